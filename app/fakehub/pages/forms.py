"""The forms: label, unlabel and comment as a chosen person."""

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from app.fakehub.auth import Caller, visible_repository
from app.fakehub.deeds.issues import add_comment, find_issue
from app.fakehub.deeds.labels import add_labels, remove_label
from app.fakehub.domain.accounts import Role, User, role_at_least
from app.fakehub.domain.forge import Forge
from app.fakehub.domain.records import Issue, Repository
from app.fakehub.errors import ApiError
from app.fakehub.pages.shell import acting_person

router = APIRouter(include_in_schema=False)


@router.post("/{owner}/{repo}/issues/{number:int}/labels")
def change_label(
    request: Request,
    owner: str,
    repo: str,
    number: int,
    label: Annotated[str, Form()],
    actor: Annotated[str, Form()],
    action: Literal["add", "remove"] = "add",
) -> Response:
    """Add or remove a label as the chosen person; the webhook goes out as from GitHub."""
    person, found, shown = _as_person(request, owner, repo, number, actor, "triage")
    forge: Forge = request.app.state.forge
    if action == "remove":
        remove_label(forge, found, shown, label, person)
    else:
        add_labels(forge, found, shown, [label], person)
    return _back(found, shown)


@router.post("/{owner}/{repo}/issues/{number:int}/comments")
def comment(
    request: Request,
    owner: str,
    repo: str,
    number: int,
    body: Annotated[str, Form()],
    actor: Annotated[str, Form()],
) -> Response:
    """Comment as the chosen person."""
    person, found, shown = _as_person(request, owner, repo, number, actor, "read")
    add_comment(request.app.state.forge, found, shown, body, person)
    return _back(found, shown)


def _as_person(
    request: Request, owner: str, repo: str, number: int, actor: str, needed: Role
) -> tuple[User, Repository, Issue]:
    forge: Forge = request.app.state.forge
    person = acting_person(request, actor)
    found = visible_repository(forge, Caller(person), owner, repo)
    if not role_at_least(found.role_of(person), needed):
        raise ApiError(403, f"{person.login} needs the role {needed} in {found.full_name}.")
    return person, found, find_issue(found, number)


def _back(found: Repository, shown: Issue) -> Response:
    kind = "issues" if shown.pull is None else "pull"
    return RedirectResponse(f"/{found.full_name}/{kind}/{shown.number}", status_code=303)
