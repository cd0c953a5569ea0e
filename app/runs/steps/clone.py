"""The tree at the base commit, fetched with a token that can only read this repository."""

from app.github import git
from app.report.story import Ending
from app.runs.run import Run


def clone(run: Run) -> Ending | None:
    """One commit, no remote, no token left behind."""
    owner, repo, _ = run.where
    sha = run.row.base_sha
    run.say("clone", f"fetching {sha[:7]}")
    token = run.github.git_token(owner, repo, write=False)
    git.clone(run.services.clone_url(owner, repo), sha, token, run.files.fresh_base())
    return None
