"""Who can act on the local GitHub: people, Apps, installations and their tokens."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal["User", "Bot", "Organization"]
Role = Literal["admin", "maintain", "write", "triage", "read", "none"]

ROLES: tuple[Role, ...] = ("none", "read", "triage", "write", "maintain", "admin")
LEVELS = ("none", "read", "write", "admin")


@dataclass(eq=False)
class User:
    """A person, an organization or the bot account of an App."""

    id: int
    login: str
    kind: Kind
    created_at: float
    app_slug: str | None = None


@dataclass(eq=False)
class App:
    """A registered GitHub App; only the public half of its key is kept after registration."""

    id: int
    slug: str
    owner: User
    bot: User
    public_key_pem: str
    webhook_secret: str
    permissions: Mapping[str, str]
    events: tuple[str, ...]
    created_at: float
    webhook_url: str | None = None


@dataclass(eq=False)
class Installation:
    """An App on one account; `repository_ids` is None when it covers all repositories."""

    id: int
    app: App
    account: User
    repository_ids: frozenset[int] | None
    created_at: float


@dataclass(eq=False)
class Token:
    """A bearer token; those of installations expire and are narrowed, personal ones are not."""

    value: str
    user: User
    installation: Installation | None = None
    repository_ids: frozenset[int] | None = None
    permissions: Mapping[str, str] | None = None
    expires_at: float | None = None


@dataclass(frozen=True)
class AppCredentials:
    """What the owner of an App gets once, at registration."""

    app_id: int
    private_key_pem: str
    webhook_secret: str


def role_at_least(role: Role, needed: Role) -> bool:
    """Whether `role` includes everything that `needed` allows."""
    return ROLES.index(role) >= ROLES.index(needed)


def level_at_least(level: str, needed: str) -> bool:
    """Whether a permission level (none, read, write, admin) includes `needed`."""
    return level in LEVELS and LEVELS.index(level) >= LEVELS.index(needed)
