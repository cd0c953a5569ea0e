"""Who is calling, and may they: App JWTs, installation tokens, personal tokens, nobody."""

import base64
import binascii
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jwt

from app.fakehub.deeds.apps import token_covers
from app.fakehub.domain.accounts import App, Role, Token, User, level_at_least, role_at_least
from app.fakehub.domain.forge import Forge
from app.fakehub.domain.records import Repository
from app.fakehub.errors import (
    ApiError,
    bad_credentials,
    missing_permission,
    not_allowed,
    not_found,
    unauthenticated,
)

JWT_SECONDS = 600
# GitHub's clock and the caller's may differ by this much.
_CLOCK_DRIFT = 60


@dataclass(frozen=True)
class Caller:
    """The sender of a request: an App itself, an account with a token, or nobody."""

    user: User | None = None
    token: Token | None = None
    app: App | None = None

    @property
    def is_app(self) -> bool:
        """Whether an App signed as itself, which is not an installation token."""
        return self.app is not None and self.token is None

    @property
    def actor(self) -> User:
        """The account that acts; 401 when there is none."""
        if self.user is None:
            raise unauthenticated()
        return self.user


def identify(forge: Forge, authorization: str | None) -> Caller:
    """The caller behind an Authorization header; 401 when it is not genuine."""
    if not authorization:
        return Caller()
    scheme, _, value = authorization.partition(" ")
    value = value.strip()
    if scheme.lower() == "basic":
        value = _basic_password(value)
    elif scheme.lower() not in ("bearer", "token"):
        raise bad_credentials()
    if value.count(".") == 2:
        return Caller(app=_app_of(forge, value))
    return _token_caller(forge, value)


def _basic_password(value: str) -> str:
    try:
        user, _, password = base64.b64decode(value, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise bad_credentials() from None
    return password or user


def _token_caller(forge: Forge, value: str) -> Caller:
    token = forge.tokens.get(value)
    if token is None or (token.expires_at is not None and token.expires_at <= forge.clock()):
        raise bad_credentials()
    app = None if token.installation is None else token.installation.app
    return Caller(token.user, token, app)


def _app_of(forge: Forge, value: str) -> App:
    undecodable = ApiError(401, "A JSON web token could not be decoded")
    try:
        claims = jwt.decode(value, options={"verify_signature": False})
        app = forge.apps.get(int(str(claims.get("iss")).removeprefix("Iv23fake")))
    except (jwt.InvalidTokenError, ValueError):
        raise undecodable from None
    if app is None:
        raise ApiError(404, "Integration not found")
    try:
        # The times are checked below, by this server's own clock.
        jwt.decode(
            value,
            app.public_key_pem,
            algorithms=["RS256"],
            options={"verify_exp": False, "verify_iat": False, "verify_nbf": False},
        )
    except jwt.InvalidTokenError:
        raise undecodable from None
    _check_times(claims, forge.clock())
    return app


def _check_times(claims: Mapping[str, Any], now: float) -> None:
    expires, issued = claims.get("exp"), claims.get("iat")
    if not isinstance(issued, int) or issued > now + _CLOCK_DRIFT:
        text = (
            "'Issued at' claim ('iat') must be an Integer representing the time that the "
            "assertion was issued"
        )
        raise ApiError(401, text)
    if not isinstance(expires, int) or expires <= now:
        text = (
            "'Expiration time' claim ('exp') must be a numeric value representing the future "
            "time at which the assertion expires"
        )
        raise ApiError(401, text)
    if expires > now + JWT_SECONDS + _CLOCK_DRIFT:
        raise ApiError(401, "'Expiration time' claim ('exp') is too far in the future")


def role_in(caller: Caller, repository: Repository) -> Role:
    """The role of a caller; an installation token counts as admin where it reaches."""
    if caller.token is not None and token_covers(caller.token, repository):
        return "admin"
    return repository.role_of(None if caller.app is not None else caller.user)


def visible_repository(forge: Forge, caller: Caller, owner: str, name: str) -> Repository:
    """A repository that the caller may know of; 404 otherwise."""
    try:
        repository = forge.repository(owner, name)
    except LookupError:
        raise not_found() from None
    if role_in(caller, repository) == "none":
        raise not_found()
    return repository


def require(
    caller: Caller, repository: Repository, *accepted: tuple[str, str], person: Role = "read"
) -> None:
    """Refuse a caller who lacks every accepted (permission, level) or, as a person, the role.

    Anybody reads a public repository outside an installation; nobody writes without an account.
    """
    writes = all(level != "read" for _, level in accepted)
    if caller.token is not None and caller.token.installation is not None:
        _require_granted(caller.token, repository, accepted, writes=writes)
    elif caller.user is None and (writes or caller.is_app):
        raise unauthenticated()
    elif not role_at_least(role_in(caller, repository), person):
        raise not_allowed()


def _require_granted(
    token: Token, repository: Repository, accepted: tuple[tuple[str, str], ...], *, writes: bool
) -> None:
    covered = token_covers(token, repository)
    if not covered and not writes:
        return
    granted = (token.permissions or {}) if covered else {}
    if not any(level_at_least(granted.get(name, "none"), level) for name, level in accepted):
        raise missing_permission("; ".join(f"{name}={level}" for name, level in accepted))


def require_app(caller: Caller) -> App:
    """The App that signed as itself; 401 for anybody else."""
    if caller.app is None or not caller.is_app:
        raise ApiError(401, "A JSON web token could not be decoded")
    return caller.app
