"""Create labels, put them on issues, take them off."""

import re
from collections.abc import Sequence

from app.fakehub.deeds.announce import announce
from app.fakehub.domain.accounts import User
from app.fakehub.domain.forge import Forge, Json
from app.fakehub.domain.records import Issue, IssueEvent, Label, Repository
from app.fakehub.errors import invalid, not_found
from app.fakehub.render.issues import issue_json, label_json
from app.fakehub.render.pulls import pull_json

_COLOR = re.compile(r"[0-9a-fA-F]{6}")
_NAME_LIMIT = 50
_DEFAULTS = (
    ("bug", "d73a4a", "Something isn't working"),
    ("enhancement", "a2eeef", "New feature or request"),
    ("question", "d876e3", "Further information is requested"),
)


def default_labels(forge: Forge, repository: Repository) -> None:
    """Give a new repository a few labels, as GitHub does."""
    for name, color, description in _DEFAULTS:
        label = Label(forge.next_id(), name, color, description)
        repository.labels[name] = label


def create_label(
    forge: Forge,
    repository: Repository,
    name: str,
    actor: User,
    *,
    color: str = "ededed",
    description: str | None = None,
) -> Label:
    """A new label; 422 when the name is taken or too long, or the color is not hexadecimal."""
    if not name.strip() or len(name) > _NAME_LIMIT:
        raise invalid("Label", "invalid", field="name")
    if not _COLOR.fullmatch(color):
        raise invalid("Label", "invalid", field="color")
    with forge.lock:
        if name.lower() in repository.labels:
            raise invalid("Label", "already_exists", field="name")
        label = Label(forge.next_id(), name, color.lower(), description)
        repository.labels[name.lower()] = label
    shown = {"action": "created", "label": label_json(forge, repository, label)}
    announce(forge, repository, actor, "label", shown)
    return label


def find_label(repository: Repository, name: str) -> Label:
    """A label of the repository by its name, upper and lower case alike; 404 otherwise."""
    label = repository.labels.get(name.lower())
    if label is None:
        raise not_found()
    return label


def add_labels(
    forge: Forge, repository: Repository, issue: Issue, names: Sequence[str], actor: User
) -> None:
    """Put labels on an issue, creating those the repository does not have."""
    for name in names:
        known = repository.labels.get(name.lower())
        label = known or create_label(forge, repository, name, actor)
        with forge.lock:
            if label in issue.labels:
                continue
            issue.labels.append(label)
            _note(forge, issue, "labeled", label, actor)
        _tell(forge, repository, issue, "labeled", label, actor)


def remove_label(
    forge: Forge, repository: Repository, issue: Issue, name: str, actor: User
) -> None:
    """Take a label off an issue; 404 when it is not there."""
    with forge.lock:
        label = next((one for one in issue.labels if one.name.lower() == name.lower()), None)
        if label is None:
            raise not_found()
        issue.labels.remove(label)
        _note(forge, issue, "unlabeled", label, actor)
    _tell(forge, repository, issue, "unlabeled", label, actor)


def _note(forge: Forge, issue: Issue, event: str, label: Label, actor: User) -> None:
    now = forge.clock()
    details = {"label": {"name": label.name, "color": label.color}}
    issue.events.append(IssueEvent(forge.next_id(), actor, event, now, details))
    issue.updated_at = now


def _tell(
    forge: Forge, repository: Repository, issue: Issue, action: str, label: Label, actor: User
) -> None:
    payload: Json = {"action": action, "label": label_json(forge, repository, label)}
    if issue.pull is None:
        payload["issue"] = issue_json(forge, repository, issue)
        announce(forge, repository, actor, "issues", payload)
    else:
        payload |= {"number": issue.number, "pull_request": pull_json(forge, repository, issue)}
        announce(forge, repository, actor, "pull_request", payload)
