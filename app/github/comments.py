"""The App's own comment on an issue, found again by its marker."""

from collections.abc import Iterator
from typing import Any

from githubkit import GitHub

from app.github.fitting import fitted
from app.github.models import COMMENTS, CommentInfo

PAGE = 100

Place = tuple[str, str, int]
"""Owner, repository, issue number."""


def upsert(github: GitHub[Any], place: Place, login: str, marker: str, body: str) -> CommentInfo:
    """Edit the comment of `login` that holds `marker`, or make it."""
    owner, repo, number = place
    wanted = fitted(body if marker in body else f"{marker}\n{body}")
    found = next((one for one in _own(github, place, login) if marker in one.body), None)
    if found is None:
        answer = github.rest.issues.create_comment(owner, repo, number, data={"body": wanted})
        return CommentInfo.model_validate(answer.json())
    if _plain(found.body) == _plain(wanted):
        return found
    edited = github.rest.issues.update_comment(owner, repo, found.id, data={"body": wanted})
    return CommentInfo.model_validate(edited.json())


def _own(github: GitHub[Any], place: Place, login: str) -> Iterator[CommentInfo]:
    page = 1
    while True:
        answer = github.rest.issues.list_comments(*place, per_page=PAGE, page=page)
        comments = COMMENTS.validate_python(answer.json())
        yield from (comment for comment in comments if comment.author == login)
        if len(comments) < PAGE:
            return
        page += 1


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip()
