"""Register Apps, install them, make and revoke tokens."""

import secrets
from collections.abc import Mapping, Sequence

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from app.fakehub.deeds.announce import announce_added, announce_installation, announce_ping
from app.fakehub.domain.accounts import (
    App,
    AppCredentials,
    Installation,
    Token,
    User,
    level_at_least,
)
from app.fakehub.domain.forge import Forge, covers, narrowed
from app.fakehub.domain.records import Repository
from app.fakehub.errors import unprocessable

TOKEN_SECONDS = 3600
_KEY_BITS = 2048


def register_app(
    forge: Forge,
    slug: str,
    *,
    webhook_url: str | None,
    webhook_secret: str,
    permissions: Mapping[str, str],
    events: Sequence[str],
) -> AppCredentials:
    """A new App with its bot account `slug[bot]`; the private key is returned, not kept."""
    private, public = _key_pair()
    with forge.lock:
        if any(one.slug == slug for one in forge.apps.values()):
            message = f"an App {slug!r} exists already"
            raise ValueError(message)
        owner = forge.add_user("app-owner", "Organization")
        bot = forge.add_user(f"{slug}[bot]", "Bot", slug)
        number = forge.next_id()
        app = App(
            number, slug, owner, bot, public, webhook_secret,
            dict(permissions), tuple(events), forge.clock(), webhook_url,
        )  # fmt: skip
        forge.apps[number] = app
    announce_ping(forge, app)
    return AppCredentials(number, private, webhook_secret)


def _key_pair() -> tuple[str, str]:
    key = rsa.generate_private_key(public_exponent=65537, key_size=_KEY_BITS)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return private.decode(), public.decode()


def install(
    forge: Forge, app: App, account: User, chosen: Sequence[Repository] | None
) -> Installation:
    """Install an App on an account, for the chosen repositories or (None) for all."""
    with forge.lock:
        ids = None if chosen is None else frozenset(one.id for one in chosen)
        made = Installation(forge.next_id(), app, account, ids, forge.clock())
        forge.installations[made.id] = made
    announce_installation(forge, made, account)
    return made


def welcome_repository(forge: Forge, repository: Repository) -> None:
    """Tell installations that cover all repositories about a new one."""
    for installation in forge.installations_on(repository):
        announce_added(forge, installation, repository)


def personal_token(forge: Forge, user: User) -> str:
    """A new token with which a person does everything their roles allow."""
    value = f"ghp_{secrets.token_hex(18)}"
    with forge.lock:
        forge.tokens[value] = Token(value, user)
    return value


def installation_token(
    forge: Forge,
    installation: Installation,
    *,
    names: Sequence[str] | None,
    ids: Sequence[int] | None,
    permissions: Mapping[str, str] | None,
) -> Token:
    """A token for one hour; repositories and permissions can only be narrowed (422)."""
    chosen = _chosen(forge, installation, names, ids)
    granted = _granted(installation.app, permissions)
    value = f"ghs_{secrets.token_hex(18)}"
    expiry = forge.clock() + TOKEN_SECONDS
    token = Token(value, installation.app.bot, installation, chosen, granted, expiry)
    with forge.lock:
        forge.tokens[value] = token
    return token


def _chosen(
    forge: Forge,
    installation: Installation,
    names: Sequence[str] | None,
    ids: Sequence[int] | None,
) -> frozenset[int] | None:
    if names is None and ids is None:
        return installation.repository_ids
    covered = forge.covered(installation)
    by_name = {one.name.lower(): one.id for one in covered}
    wanted = [by_name.get(name.lower()) for name in names or ()]
    wanted += [number if number in by_name.values() else None for number in ids or ()]
    found = frozenset(number for number in wanted if number is not None)
    if len(found) < len(set(wanted)) or not wanted:
        raise unprocessable(
            "There is at least one repository that does not exist or is not accessible "
            "to the parent installation."
        )
    return found


def _granted(app: App, wanted: Mapping[str, str] | None) -> dict[str, str]:
    own = narrowed(app.permissions)
    if wanted is None:
        return own
    for name, level in wanted.items():
        if not level_at_least(own.get(name, "none"), level):
            raise unprocessable("The permissions requested are not granted to this installation.")
    return narrowed(wanted)


def reachable(forge: Forge, token: Token) -> list[Repository]:
    """The repositories that an installation token may use."""
    if token.installation is None:
        return []
    return [one for one in forge.covered(token.installation) if token_covers(token, one)]


def token_covers(token: Token, repository: Repository) -> bool:
    """Whether an installation token was made for a repository."""
    if token.installation is None or not covers(token.installation, repository):
        return False
    return token.repository_ids is None or repository.id in token.repository_ids
