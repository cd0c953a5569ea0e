"""What would make a run pointless is found before anything is spent on it."""

from app.github.client import IssueInfo, RepoInfo
from app.github.errors import GitHubRefused
from app.report.story import Ending
from app.runs.run import Run
from sandbox.outcome import Outcome, Phase


def preflight(run: Run) -> Ending | None:
    """Name every problem at once; else freeze the issue's words and the base commit."""
    owner, repo, number = run.where
    repository = run.github.repository(owner, repo)
    issue = run.github.issue(owner, repo, number)
    wrong = problems(repository, issue)
    if wrong:
        return Ending("refused", "preflight", " ".join(wrong))
    sha = _head(run, repository)
    if sha is None:
        return _empty()
    run.files.write_json("issue", {"title": issue.title, "body": issue.body})
    run.services.store.update(run.run_id, title=issue.title, base_sha=sha)
    run.say("accepted", f"base commit {sha[:7]} of {repository.default_branch}", base=sha)
    return None


def problems(repository: RepoInfo, issue: IssueInfo) -> list[str]:
    """A sentence for each thing that stands in the way, in the order of their weight."""
    checks = (
        (repository.archived, "The repository is archived: nothing can be pushed to it."),
        (issue.is_pull, "This is a pull request: put the label on an issue."),
        (issue.state != "open", "The issue is closed: open it again first."),
        (issue.locked, "The conversation is locked: unlock it first."),
    )
    return [sentence for wrong, sentence in checks if wrong]


def _head(run: Run, repository: RepoInfo) -> str | None:
    owner, repo, _ = run.where
    try:
        return run.github.head(owner, repo, repository.default_branch)
    except GitHubRefused:
        if repository.size_kb:
            raise
        return None


def _empty() -> Ending:
    return Ending(
        "done",
        "no_tests",
        "The repository is empty: it has no commit on its default branch, so there are no tests "
        "to go by.",
        Outcome.UNRUNNABLE,
        phase=Phase.CLONE,
    )
