"""What a repository holds beside its git objects: labels, issues, pull requests, check runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.fakehub.domain.accounts import App, Role, User
from app.fakehub.domain.git import GitRepository


@dataclass(eq=False)
class Label:
    """A label of a repository; `color` is six hexadecimal digits."""

    id: int
    name: str
    color: str = "ededed"
    description: str | None = None


@dataclass(eq=False)
class Reaction:
    """One reaction; GitHub keeps at most one of each content per user and subject."""

    id: int
    user: User
    content: str
    created_at: float


@dataclass(eq=False)
class Comment:
    """A comment on an issue or on a pull request's conversation."""

    id: int
    user: User
    body: str
    created_at: float
    updated_at: float
    app: App | None = None
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(eq=False)
class IssueEvent:
    """One line of an issue's timeline that is not a comment."""

    id: int
    actor: User
    event: str
    created_at: float
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(eq=False)
class Pull:
    """The half of a pull request that an issue does not have."""

    id: int
    head_ref: str
    base_ref: str
    head_sha: str
    base_sha: str
    draft: bool = False
    merged_at: float | None = None
    merged_by: User | None = None
    merge_commit_sha: str | None = None
    maintainer_can_modify: bool = False


@dataclass(eq=False)
class Issue:
    """An issue, or the issue half of a pull request when `pull` is set."""

    id: int
    number: int
    title: str
    body: str | None
    user: User
    created_at: float
    updated_at: float
    app: App | None = None
    pull: Pull | None = None
    state: str = "open"
    state_reason: str | None = None
    closed_at: float | None = None
    closed_by: User | None = None
    labels: list[Label] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    events: list[IssueEvent] = field(default_factory=list)
    reactions: list[Reaction] = field(default_factory=list)


@dataclass(eq=False)
class CheckRun:
    """A check run of one App on one commit; times are seconds since the epoch."""

    id: int
    suite_id: int
    app: App
    name: str
    head_sha: str
    status: str = "queued"
    conclusion: str | None = None
    external_id: str | None = None
    details_url: str | None = None
    started_at: str | None = None
    completed_at: str | None = None
    title: str | None = None
    summary: str | None = None
    text: str | None = None
    annotations: list[dict[str, Any]] = field(default_factory=list)


@dataclass(eq=False)
class Repository:
    """A repository; `refs` is the last state of branches and tags that was announced by hooks."""

    id: int
    owner: User
    name: str
    private: bool
    default_branch: str
    git: GitRepository
    created_at: float
    pushed_at: float
    labels: dict[str, Label] = field(default_factory=dict)
    issues: dict[int, Issue] = field(default_factory=dict)
    checks: dict[int, CheckRun] = field(default_factory=dict)
    collaborators: dict[str, Role] = field(default_factory=dict)
    refs: dict[str, str] = field(default_factory=dict)

    @property
    def full_name(self) -> str:
        """`owner/name` as it was spelled at creation."""
        return f"{self.owner.login}/{self.name}"

    def role_of(self, user: User | None) -> Role:
        """The role of a user; everybody reads a public repository."""
        floor: Role = "none" if self.private else "read"
        if user is None:
            return floor
        if user is self.owner:
            return "admin"
        given = self.collaborators.get(user.login.lower(), "none")
        return floor if given == "none" else given


def pull_of(issue: Issue) -> Pull:
    """The pull request half of `issue`, which the caller knows to be there."""
    if issue.pull is None:
        message = f"#{issue.number} is an issue, not a pull request"
        raise LookupError(message)
    return issue.pull
