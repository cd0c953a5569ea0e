"""Branch, draft pull request and check run: each is found again rather than made twice."""

from app.github import git
from app.github.models import Author
from app.report.check import NAME, check_text
from app.report.pull import commit_message, pull_body, pull_title
from app.report.story import Ending
from app.runs.run import Run
from sandbox.proof import Proof


def push(run: Run) -> Ending | None:
    """The proved diff as one commit on the base commit, on a branch of its own."""
    owner, repo, number = run.where
    run.say("publish", "pushing the branch")
    commit = git.NewCommit(
        run.row.base_sha, _proof(run).diff, commit_message(run.story()), _author(run)
    )
    name = f"patchwright/issue-{number}"
    pushed = git.push_branch(
        run.services.clone_url(owner, repo),
        run.github.git_token(owner, repo, write=True),
        commit,
        name,
        f"{name}-{run.run_id[:8]}",
    )
    run.files.write_json("branch", {"name": pushed.branch, "sha": pushed.sha})
    return None


def _author(run: Run) -> Author:
    settings = run.services.settings
    if settings.author_name and settings.author_email:
        return Author(name=settings.author_name, email=settings.author_email)
    return run.github.committer()


def open_pull(run: Run) -> Ending | None:
    """A draft, so that only a person takes it out of that state."""
    owner, repo, _ = run.where
    story = run.story()
    base = run.github.repository(owner, repo).default_branch
    pull = run.github.open_pull(
        owner,
        repo,
        head=story.branch,
        base=base,
        title=pull_title(story),
        body=pull_body(story, _proof(run)),
        draft=True,
    )
    run.services.store.update(run.run_id, pull_number=pull.number)
    run.say("publish", f"pull request {pull.number}", pull=pull.number, url=pull.html_url)
    return None


def check(run: Run) -> Ending | None:
    """The proof beside the commit; a repository that takes no checks still has the pull request."""
    owner, repo, _ = run.where
    branch = run.files.read_json("branch") or {}
    text = check_text(run.story(), _proof(run))
    run.github.check_run(
        owner,
        repo,
        branch["sha"],
        NAME,
        conclusion=text.conclusion,
        title=text.title,
        summary=text.summary,
        text=text.text,
    )
    return None


def _proof(run: Run) -> Proof:
    proof = run.proof()
    if proof is None:
        raise LookupError("the proof left nothing")
    return proof
