"""Endpoints of issues, their comments and their timeline."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from app.fakehub.auth import role_in
from app.fakehub.deeds.issues import (
    add_comment,
    delete_comment,
    edit_comment,
    edit_issue,
    find_comment,
    find_issue,
    open_issue,
)
from app.fakehub.deeds.labels import add_labels
from app.fakehub.domain.accounts import Role, User, role_at_least
from app.fakehub.domain.records import Issue
from app.fakehub.errors import not_allowed
from app.fakehub.render.issues import comment_json, issue_json, timeline_json
from app.fakehub.routes.bodies import CommentBody, IssueUpdate, NewIssue, given
from app.fakehub.routes.context import Page, RepositoryContext, There, listed

router = APIRouter(prefix="/repos/{owner}/{repo}")
READ = (("issues", "read"), ("pull_requests", "read"))
WRITE = (("issues", "write"), ("pull_requests", "write"))


def require_own_or(there: RepositoryContext, author: User, role: Role) -> None:
    """A person edits what they wrote; anything else needs the role."""
    there.require(*WRITE)
    if there.caller.app is None and there.actor is not author:
        there.require(*WRITE, person=role)


@router.get("/issues")
def list_issues(
    there: There,
    page: Page,
    state: str = "open",
    labels: str = "",
    creator: str = "",
    direction: str = "desc",
) -> JSONResponse:
    """issues/list-for-repo, newest first; pull requests are issues too."""
    there.require(*READ)
    wanted = {name.strip().lower() for name in labels.split(",") if name.strip()}
    rows = [
        one
        for one in list(there.repository.issues.values())
        if state in (one.state, "all")
        and wanted <= {label.name.lower() for label in one.labels}
        and creator.lower() in ("", one.user.login.lower())
    ]
    rows.sort(key=lambda one: one.number, reverse=direction != "asc")
    return listed(page, [issue_json(there.forge, there.repository, one) for one in rows])


@router.post("/issues")
def create_issue(there: There, body: NewIssue) -> JSONResponse:
    """issues/create; labels of people who may not label are dropped in silence."""
    there.require(("issues", "write"))
    app = there.caller.app
    issue = open_issue(there.forge, there.repository, body.title, body.body, there.actor, app)
    if role_at_least(role_in(there.caller, there.repository), "triage"):
        add_labels(there.forge, there.repository, issue, body.labels, there.actor)
    return _issue(there, issue, 201)


def _issue(there: RepositoryContext, issue: Issue, status: int = 200) -> JSONResponse:
    return JSONResponse(issue_json(there.forge, there.repository, issue), status_code=status)


@router.get("/issues/{number:int}")
def get_issue(there: There, number: int) -> JSONResponse:
    """issues/get."""
    there.require(*READ)
    return _issue(there, find_issue(there.repository, number))


@router.patch("/issues/{number:int}")
def update_issue(there: There, number: int, body: IssueUpdate) -> JSONResponse:
    """issues/update."""
    there.require(*WRITE)
    issue = find_issue(there.repository, number)
    require_own_or(there, issue.user, "triage")
    if body.labels is not None:
        there.require(*WRITE, person="triage")
    edit_issue(there.forge, there.repository, issue, given(body), there.actor)
    return _issue(there, issue)


@router.get("/issues/{number:int}/timeline")
def list_timeline(there: There, page: Page, number: int) -> JSONResponse:
    """issues/list-events-for-timeline."""
    there.require(*READ)
    issue = find_issue(there.repository, number)
    return listed(page, timeline_json(there.forge, there.repository, issue))


@router.get("/issues/{number:int}/comments")
def list_comments(there: There, page: Page, number: int, since: str = "") -> JSONResponse:
    """issues/list-comments, oldest first; `since` compares the time of the last change."""
    there.require(*READ)
    issue = find_issue(there.repository, number)
    rows = [comment_json(there.forge, there.repository, issue, one) for one in issue.comments]
    return listed(page, [one for one in rows if one["updated_at"] >= since])


@router.post("/issues/{number:int}/comments")
def create_comment(there: There, number: int, body: CommentBody) -> JSONResponse:
    """issues/create-comment."""
    there.require(*WRITE)
    issue = find_issue(there.repository, number)
    app = there.caller.app
    comment = add_comment(there.forge, there.repository, issue, body.body, there.actor, app)
    shown = comment_json(there.forge, there.repository, issue, comment)
    return JSONResponse(shown, status_code=201)


@router.get("/issues/comments/{number:int}")
def get_comment(there: There, number: int) -> JSONResponse:
    """issues/get-comment."""
    there.require(*READ)
    issue, comment = find_comment(there.repository, number)
    return JSONResponse(comment_json(there.forge, there.repository, issue, comment))


@router.patch("/issues/comments/{number:int}")
def update_comment(there: There, number: int, body: CommentBody) -> JSONResponse:
    """issues/update-comment; an App edits only its own comments, a person their own."""
    there.require(*WRITE)
    issue, comment = find_comment(there.repository, number)
    _require_author(there, comment.user)
    edit_comment(there.forge, there.repository, issue, comment, body.body, there.actor)
    return JSONResponse(comment_json(there.forge, there.repository, issue, comment))


@router.delete("/issues/comments/{number:int}")
def remove_comment(there: There, number: int) -> Response:
    """issues/delete-comment."""
    there.require(*WRITE)
    issue, comment = find_comment(there.repository, number)
    _require_author(there, comment.user)
    delete_comment(there.forge, there.repository, issue, comment, there.actor)
    return Response(status_code=204)


def _require_author(there: RepositoryContext, author: User) -> None:
    if there.actor is author or there.caller.app is not None:
        return
    if not role_at_least(there.repository.role_of(there.actor), "write"):
        raise not_allowed()
