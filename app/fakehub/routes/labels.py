"""Endpoints of labels and reactions."""

from typing import Annotated, Any

from fastapi import APIRouter, Body
from fastapi.responses import JSONResponse

from app.fakehub.deeds.issues import find_comment, find_issue, react
from app.fakehub.deeds.labels import add_labels, create_label, find_label, remove_label
from app.fakehub.domain.records import Issue, Reaction
from app.fakehub.errors import unprocessable
from app.fakehub.render.issues import label_json, reaction_json
from app.fakehub.routes.bodies import NewLabel, NewReaction
from app.fakehub.routes.context import Page, RepositoryContext, There, listed
from app.fakehub.routes.issues import READ, WRITE

router = APIRouter(prefix="/repos/{owner}/{repo}")
AnyJson = Annotated[Any, Body()]


@router.get("/labels")
def list_labels(there: There, page: Page) -> JSONResponse:
    """issues/list-labels-for-repo."""
    there.require(*READ)
    rows = list(there.repository.labels.values())
    return listed(page, [label_json(there.forge, there.repository, one) for one in rows])


@router.post("/labels")
def new_label(there: There, body: NewLabel) -> JSONResponse:
    """issues/create-label."""
    there.require(*WRITE, person="write")
    label = create_label(
        there.forge,
        there.repository,
        body.name,
        there.actor,
        color=body.color,
        description=body.description,
    )
    return JSONResponse(label_json(there.forge, there.repository, label), status_code=201)


@router.get("/labels/{name:path}")
def get_label(there: There, name: str) -> JSONResponse:
    """issues/get-label."""
    there.require(*READ)
    label = find_label(there.repository, name)
    return JSONResponse(label_json(there.forge, there.repository, label))


@router.get("/issues/{number:int}/labels")
def labels_of_issue(there: There, page: Page, number: int) -> JSONResponse:
    """issues/list-labels-on-issue."""
    there.require(*READ)
    return listed(page, _labels(there, find_issue(there.repository, number)))


def _labels(there: RepositoryContext, issue: Issue) -> list[dict[str, Any]]:
    return [label_json(there.forge, there.repository, one) for one in list(issue.labels)]


@router.post("/issues/{number:int}/labels")
def add_to_issue(there: There, number: int, body: AnyJson) -> JSONResponse:
    """issues/add-labels, which takes an object, a list of names or a list of objects."""
    there.require(*WRITE, person="triage")
    issue = find_issue(there.repository, number)
    add_labels(there.forge, there.repository, issue, _names(body), there.actor)
    return JSONResponse(_labels(there, issue))


def _names(body: AnyJson) -> list[str]:
    rows = body.get("labels") if isinstance(body, dict) else body
    rows = [rows] if isinstance(rows, str) else rows
    if not isinstance(rows, list):
        raise unprocessable('Invalid request.\n\n"labels" wasn\'t supplied.')
    names = [row.get("name") if isinstance(row, dict) else row for row in rows]
    if not all(isinstance(name, str) and name.strip() for name in names):
        raise unprocessable("Invalid request.\n\nFor 'properties/labels', names are strings.")
    return [str(name) for name in names]


@router.delete("/issues/{number:int}/labels/{name:path}")
def remove_from_issue(there: There, number: int, name: str) -> JSONResponse:
    """issues/remove-label."""
    there.require(*WRITE, person="triage")
    issue = find_issue(there.repository, number)
    remove_label(there.forge, there.repository, issue, name, there.actor)
    return JSONResponse(_labels(there, issue))


@router.get("/issues/{number:int}/reactions")
def issue_reactions(there: There, page: Page, number: int) -> JSONResponse:
    """reactions/list-for-issue."""
    there.require(*READ)
    rows = list(find_issue(there.repository, number).reactions)
    return listed(page, [reaction_json(there.forge, one) for one in rows])


@router.post("/issues/{number:int}/reactions")
def react_to_issue(there: There, number: int, body: NewReaction) -> JSONResponse:
    """reactions/create-for-issue; 200 when the caller had reacted so already."""
    there.require(*WRITE)
    return _react(there, find_issue(there.repository, number).reactions, body)


@router.get("/issues/comments/{number:int}/reactions")
def comment_reactions(there: There, page: Page, number: int) -> JSONResponse:
    """reactions/list-for-issue-comment."""
    there.require(*READ)
    rows = list(find_comment(there.repository, number)[1].reactions)
    return listed(page, [reaction_json(there.forge, one) for one in rows])


@router.post("/issues/comments/{number:int}/reactions")
def react_to_comment(there: There, number: int, body: NewReaction) -> JSONResponse:
    """reactions/create-for-issue-comment."""
    there.require(*WRITE)
    return _react(there, find_comment(there.repository, number)[1].reactions, body)


def _react(there: RepositoryContext, reactions: list[Reaction], body: NewReaction) -> JSONResponse:
    reaction, new = react(there.forge, reactions, body.content, there.actor)
    return JSONResponse(reaction_json(there.forge, reaction), status_code=201 if new else 200)
