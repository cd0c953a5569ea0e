"""The whole state of the local GitHub behind one lock, and look-ups in it."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any, Protocol

from app.fakehub.domain.accounts import App, Installation, Kind, Token, User
from app.fakehub.domain.git import GitRepository, Person
from app.fakehub.domain.records import Issue, Repository
from app.fakehub.workflow_guard import install_hooks

Json = dict[str, Any]


class Announcer(Protocol):
    """Sends one webhook delivery to an App without making the caller wait."""

    def send(
        self,
        app: App,
        event: str,
        payload: Json,
        *,
        installation_id: int | None,
        repository_id: int | None,
    ) -> None:
        """Queue the delivery."""


@dataclass(eq=False)
class Forge:
    """Accounts, Apps and repositories; whoever changes them holds `lock`."""

    data: Path
    clock: Callable[[], float]
    announcer: Announcer
    api_url: str = ""
    html_url: str = ""
    rate_limit: int = 5000
    lock: threading.RLock = field(default_factory=threading.RLock)
    users: dict[str, User] = field(default_factory=dict)
    apps: dict[int, App] = field(default_factory=dict)
    installations: dict[int, Installation] = field(default_factory=dict)
    tokens: dict[str, Token] = field(default_factory=dict)
    repositories: dict[tuple[str, str], Repository] = field(default_factory=dict)
    manifests: dict[str, tuple[object, float]] = field(default_factory=dict)
    _ids: "count[int]" = field(default_factory=lambda: count(1001))

    def __post_init__(self) -> None:
        self.hooks = install_hooks(self.data / "server-hooks")

    def next_id(self) -> int:
        """An id that nothing else on this server has."""
        return next(self._ids)

    def time_text(self, seconds: float | None = None) -> str:
        """Seconds since the epoch (default: now) as GitHub writes them, to the second."""
        moment = self.clock() if seconds is None else seconds
        return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def add_user(self, login: str, kind: Kind = "User", app_slug: str | None = None) -> User:
        """The account `login`, made if it is new."""
        with self.lock:
            known = self.users.get(login.lower())
            if known is None:
                known = User(self.next_id(), login, kind, self.clock(), app_slug)
                self.users[login.lower()] = known
            return known

    def user(self, login: str) -> User:
        """The account `login`; LookupError when nobody made it."""
        try:
            return self.users[login.lower()]
        except KeyError:
            message = f"no account {login!r} here: call create_user first"
            raise LookupError(message) from None

    def add_repository(
        self, owner: User, name: str, *, private: bool, default_branch: str
    ) -> Repository:
        """A new, empty repository with its bare git directory; ValueError when it exists."""
        key = (owner.login.lower(), name.lower())
        with self.lock:
            if key in self.repositories:
                message = f"{owner.login}/{name} exists already"
                raise ValueError(message)
            git = GitRepository(self.data / "git" / key[0] / f"{key[1]}.git")
            git.create(default_branch, self.hooks)
            now = self.clock()
            made = Repository(
                self.next_id(), owner, name, private, default_branch, git, now, pushed_at=now
            )
            self.repositories[key] = made
            return made

    def repository(self, owner: str, name: str) -> Repository:
        """The repository `owner/name`; LookupError when there is none."""
        try:
            return self.repositories[owner.lower(), name.lower()]
        except KeyError:
            message = f"no repository {owner}/{name} here: call create_repository first"
            raise LookupError(message) from None

    def issue(self, owner: str, name: str, number: int) -> Issue:
        """An issue or pull request by number; LookupError when there is none."""
        try:
            return self.repository(owner, name).issues[number]
        except KeyError:
            message = f"no issue #{number} in {owner}/{name}"
            raise LookupError(message) from None

    def installations_on(self, repository: Repository) -> list[Installation]:
        """The installations that cover a repository."""
        with self.lock:
            return [one for one in self.installations.values() if covers(one, repository)]

    def covered(self, installation: Installation) -> list[Repository]:
        """The repositories that an installation covers."""
        with self.lock:
            return [one for one in self.repositories.values() if covers(installation, one)]

    def signature(self, user: User) -> Person:
        """How a commit made on the server for `user` is signed."""
        email = f"{user.id}+{user.login}@users.noreply.github.com"
        return Person(user.login, email, self.time_text())


def covers(installation: Installation, repository: Repository) -> bool:
    """Whether the repository belongs to the account and was chosen at installation."""
    if repository.owner is not installation.account:
        return False
    chosen = installation.repository_ids
    return chosen is None or repository.id in chosen


def narrowed(permissions: Mapping[str, str]) -> dict[str, str]:
    """The permissions of an App or token; reading metadata is always among them."""
    return {"metadata": "read", **permissions}
