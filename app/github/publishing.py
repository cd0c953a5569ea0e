"""Pull requests and check runs: looked for first, created only where they are missing."""

from dataclasses import dataclass
from typing import Any, Literal

from githubkit import GitHub

from app.github.errors import GitHubRefused, translated
from app.github.fitting import CHECK_CHARS, COMMENT_CHARS, TITLE_CHARS, fitted
from app.github.models import PULLS, CheckInfo, CheckList, PullInfo

Conclusion = Literal["success", "failure", "neutral", "cancelled", "action_required", "skipped"]


@dataclass(frozen=True, slots=True)
class WantedPull:
    """A pull request to be: `head` and `base` are branches of one repository."""

    head: str
    base: str
    title: str
    body: str
    draft: bool


def find_pull(github: GitHub[Any], owner: str, repo: str, head: str) -> PullInfo | None:
    """The open pull request from `head`, else the newest closed one."""
    answer = github.rest.pulls.list(owner, repo, head=f"{owner}:{head}", state="all")
    found = PULLS.validate_python(answer.json())
    found.sort(key=lambda pull: (pull.state == "open", pull.number), reverse=True)
    return found[0] if found else None


def open_pull(github: GitHub[Any], owner: str, repo: str, wanted: WantedPull) -> PullInfo:
    """Adopt, else create; a duplicate that appears in between is adopted as well."""
    body = fitted(wanted.body, COMMENT_CHARS)
    with translated():
        found = find_pull(github, owner, repo, wanted.head)
    if found is not None and (found.state == "open" or _same(found.body, body)):
        return found
    try:
        return _create(github, owner, repo, wanted, body)
    except GitHubRefused as refused:
        if refused.status != 422:
            raise
        if wanted.draft and "draft" in str(refused).lower():
            return _create(github, owner, repo, wanted, body, draft=False)
        with translated():
            found = find_pull(github, owner, repo, wanted.head)
        if found is None or found.state != "open":
            raise
        return found


def _create(
    github: GitHub[Any],
    owner: str,
    repo: str,
    wanted: WantedPull,
    body: str,
    *,
    draft: bool | None = None,
) -> PullInfo:
    with translated():
        answer = github.rest.pulls.create(
            owner,
            repo,
            title=wanted.title[:TITLE_CHARS],
            head=wanted.head,
            base=wanted.base,
            body=body,
            draft=wanted.draft if draft is None else draft,
        )
        return PullInfo.model_validate(answer.json())


def _same(one: str, other: str) -> bool:
    return one.replace("\r\n", "\n").strip() == other.strip()


def output(title: str, summary: str, text: str) -> dict[str, str]:
    """The page of a check run, each part cut to what GitHub takes."""
    parts = {"title": title[:TITLE_CHARS], "summary": fitted(summary, CHECK_CHARS)}
    return {**parts, "text": fitted(text, CHECK_CHARS)} if text else parts


def check_run(
    github: GitHub[Any],
    place: tuple[str, str, str],
    app_id: int,
    name: str,
    conclusion: Conclusion,
    page: dict[str, str],
) -> int:
    """Bring the App's check run of this name on the commit up to date, or make it."""
    owner, repo, sha = place
    listed = github.rest.checks.list_for_ref(owner, repo, sha, check_name=name, app_id=app_id)
    result: Any = {"status": "completed", "conclusion": conclusion, "output": page}
    for found in CheckList.model_validate(listed.json()).check_runs:
        if found.name == name:
            github.rest.checks.update(owner, repo, found.id, data=result)
            return found.id
    new: Any = {"name": name, "head_sha": sha, **result}
    made = github.rest.checks.create(owner, repo, data=new)
    return CheckInfo.model_validate(made.json()).id
