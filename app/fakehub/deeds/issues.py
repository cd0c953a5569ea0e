"""Open, edit and close issues; comment and react."""

from collections.abc import Mapping
from typing import Any

from app.fakehub.deeds.announce import announce
from app.fakehub.deeds.labels import add_labels, remove_label
from app.fakehub.domain.accounts import App, User
from app.fakehub.domain.forge import Forge, Json
from app.fakehub.domain.records import Comment, Issue, IssueEvent, Reaction, Repository
from app.fakehub.errors import invalid, not_found, too_long_comment, too_long_issue
from app.fakehub.render.issues import REACTIONS, comment_json, issue_json

BODY_LIMIT = 65536
_TITLE_LIMIT = 256


def check_issue_texts(title: str | None, body: str | None, resource: str = "Issue") -> None:
    """422 when a title is empty or too long, or a body is above 65,536 characters."""
    if title is not None and not title.strip():
        raise invalid(resource, "missing_field", field="title")
    if title is not None and len(title) > _TITLE_LIMIT:
        text = f"title is too long (maximum is {_TITLE_LIMIT} characters)"
        raise invalid(resource, "custom", field="title", message=text)
    if body is not None and len(body) > BODY_LIMIT:
        raise too_long_issue()


def next_number(repository: Repository) -> int:
    """Issues and pull requests share one series of numbers."""
    return len(repository.issues) + 1


def open_issue(
    forge: Forge,
    repository: Repository,
    title: str,
    body: str | None,
    author: User,
    app: App | None = None,
) -> Issue:
    """A new issue; 422 as in `check_issue_texts`."""
    check_issue_texts(title, body)
    with forge.lock:
        now, number = forge.clock(), next_number(repository)
        issue = Issue(forge.next_id(), number, title, body, author, now, now, app)
        repository.issues[number] = issue
    payload = {"action": "opened", "issue": issue_json(forge, repository, issue)}
    announce(forge, repository, author, "issues", payload)
    return issue


def find_issue(repository: Repository, number: int) -> Issue:
    """An issue or pull request; 404 otherwise."""
    issue = repository.issues.get(number)
    if issue is None:
        raise not_found()
    return issue


def edit_issue(
    forge: Forge, repository: Repository, issue: Issue, given: Mapping[str, Any], actor: User
) -> None:
    """Apply the fields of an issue update that were given: title, body, state, labels."""
    check_issue_texts(given.get("title"), given.get("body"))
    changes = edit_texts(forge, issue, given, actor)
    if changes:
        tell_issue(forge, repository, issue, "edited", actor, {"changes": changes})
    if given.get("state") and given["state"] != issue.state:
        set_state(forge, issue, given["state"], given.get("state_reason"), actor)
        action = "closed" if issue.state == "closed" else "reopened"
        tell_issue(forge, repository, issue, action, actor)
    if given.get("labels") is not None:
        _replace_labels(forge, repository, issue, given["labels"], actor)


def edit_texts(forge: Forge, issue: Issue, given: Mapping[str, Any], actor: User) -> Json:
    """Change title and body where they differ; returns the webhook's `changes`."""
    changes: Json = {}
    with forge.lock:
        for name in ("title", "body"):
            before = getattr(issue, name)
            if name in given and given[name] is not None and given[name] != before:
                changes[name] = {"from": before or ""}
                setattr(issue, name, given[name])
        if "title" in changes:
            renamed = {"rename": {"from": changes["title"]["from"], "to": issue.title}}
            note(forge, issue, "renamed", actor, renamed)
        if changes:
            issue.updated_at = forge.clock()
    return changes


def set_state(forge: Forge, issue: Issue, state: str, reason: str | None, actor: User) -> None:
    """Close or reopen, with the line in the timeline."""
    with forge.lock:
        closing = state == "closed"
        issue.state = state
        issue.closed_at = forge.clock() if closing else None
        issue.closed_by = actor if closing else None
        if issue.pull is None:
            issue.state_reason = (reason or "completed") if closing else "reopened"
        issue.updated_at = forge.clock()
        event = "closed" if closing else "reopened"
        details = {"state_reason": issue.state_reason} if issue.state_reason else {}
        note(forge, issue, event, actor, details)


def note(
    forge: Forge, issue: Issue, event: str, actor: User, details: Mapping[str, Any] | None = None
) -> None:
    """Add a line to the timeline."""
    issue.events.append(IssueEvent(forge.next_id(), actor, event, forge.clock(), details or {}))


def tell_issue(
    forge: Forge,
    repository: Repository,
    issue: Issue,
    action: str,
    actor: User,
    more: Json | None = None,
) -> None:
    """Announce an `issues` event."""
    payload = {"action": action, "issue": issue_json(forge, repository, issue), **(more or {})}
    announce(forge, repository, actor, "issues", payload)


def _replace_labels(
    forge: Forge, repository: Repository, issue: Issue, names: list[str], actor: User
) -> None:
    wanted = {name.lower() for name in names}
    for label in list(issue.labels):
        if label.name.lower() not in wanted:
            remove_label(forge, repository, issue, label.name, actor)
    add_labels(forge, repository, issue, names, actor)


def add_comment(
    forge: Forge,
    repository: Repository,
    issue: Issue,
    body: str,
    author: User,
    app: App | None = None,
) -> Comment:
    """A new comment; 422 when it is empty or above 65,536 characters."""
    _check_comment(body)
    with forge.lock:
        now = forge.clock()
        comment = Comment(forge.next_id(), author, body, now, now, app)
        issue.comments.append(comment)
        issue.updated_at = now
    _tell_comment(forge, repository, issue, comment, "created", author)
    return comment


def _check_comment(body: str) -> None:
    if not body.strip():
        raise invalid("IssueComment", "unprocessable", field="data", message="Body cannot be blank")
    if len(body) > BODY_LIMIT:
        raise too_long_comment()


def find_comment(repository: Repository, number: int) -> tuple[Issue, Comment]:
    """A comment by its id with the issue it is on; 404 otherwise."""
    for issue in list(repository.issues.values()):
        for comment in list(issue.comments):
            if comment.id == number:
                return issue, comment
    raise not_found()


def edit_comment(
    forge: Forge, repository: Repository, issue: Issue, comment: Comment, body: str, actor: User
) -> None:
    """Replace the text of a comment; 422 as in `add_comment`."""
    _check_comment(body)
    with forge.lock:
        before, comment.body = comment.body, body
        comment.updated_at = issue.updated_at = forge.clock()
    changes = {"changes": {"body": {"from": before}}}
    _tell_comment(forge, repository, issue, comment, "edited", actor, changes)


def delete_comment(
    forge: Forge, repository: Repository, issue: Issue, comment: Comment, actor: User
) -> None:
    """Remove a comment."""
    with forge.lock:
        issue.comments.remove(comment)
    _tell_comment(forge, repository, issue, comment, "deleted", actor)


def _tell_comment(
    forge: Forge,
    repository: Repository,
    issue: Issue,
    comment: Comment,
    action: str,
    actor: User,
    more: Json | None = None,
) -> None:
    payload = {
        "action": action,
        "issue": issue_json(forge, repository, issue),
        "comment": comment_json(forge, repository, issue, comment),
        **(more or {}),
    }
    announce(forge, repository, actor, "issue_comment", payload)


def react(
    forge: Forge, reactions: list[Reaction], content: str, user: User
) -> tuple[Reaction, bool]:
    """The reaction of a user and whether it is new; 422 for a content that GitHub lacks."""
    if content not in REACTIONS:
        raise invalid("Reaction", "invalid", field="content")
    with forge.lock:
        for known in reactions:
            if known.user is user and known.content == content:
                return known, False
        made = Reaction(forge.next_id(), user, content, forge.clock())
        reactions.append(made)
        return made, True
