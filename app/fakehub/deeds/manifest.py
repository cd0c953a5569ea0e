"""Register an App from a manifest: a code for an hour, exchanged once for the credentials."""

import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from app.fakehub.deeds.apps import register_app
from app.fakehub.domain.accounts import App, AppCredentials
from app.fakehub.domain.forge import Forge
from app.fakehub.errors import ApiError, not_found

_CODE_SECONDS = 3600


@dataclass(frozen=True)
class Manifest:
    """The fields of an App manifest that are served."""

    name: str
    redirect_url: str
    webhook_url: str | None
    permissions: Mapping[str, str]
    events: tuple[str, ...]

    @property
    def slug(self) -> str:
        """The App's name as it stands in addresses."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")


def read_manifest(text: str) -> Manifest:
    """Check a manifest; 422 with what is wrong."""
    try:
        given = json.loads(text)
    except ValueError:
        raise ApiError(422, "The manifest is not JSON.") from None
    if not isinstance(given, dict):
        raise ApiError(422, "The manifest is not a JSON object.")
    for name in ("name", "url", "redirect_url"):
        if not isinstance(given.get(name), str) or not given[name]:
            raise ApiError(422, f"The manifest needs a {name}.")
    if not given["redirect_url"].startswith(("http://", "https://")):
        raise ApiError(422, "The manifest's redirect_url is not a web address.")
    hook = given.get("hook_attributes") or {}
    active = hook.get("active", True)
    return Manifest(
        given["name"],
        given["redirect_url"],
        hook.get("url") if active else None,
        _permissions(given.get("default_permissions")),
        tuple(given.get("default_events") or ()),
    )


def _permissions(given: Any) -> dict[str, str]:  # noqa: ANN401 - as it came over the wire
    permissions = {} if given is None else given
    levels = ("read", "write", "admin")
    if not isinstance(permissions, dict) or not set(permissions.values()) <= set(levels):
        raise ApiError(422, "default_permissions maps names to read, write or admin.")
    return permissions


def accept_manifest(forge: Forge, manifest: Manifest, state: str) -> str:
    """Keep a confirmed manifest; returns where the browser goes next, with code and state."""
    code = secrets.token_hex(20)
    with forge.lock:
        forge.manifests[code] = (manifest, forge.clock() + _CODE_SECONDS)
    joint = "&" if "?" in manifest.redirect_url else "?"
    query = urlencode({"code": code, **({"state": state} if state else {})})
    return f"{manifest.redirect_url}{joint}{query}"


def convert_manifest(forge: Forge, code: str) -> tuple[App, AppCredentials]:
    """Register the App of a code; 404 for a code that is unknown, used or an hour old."""
    with forge.lock:
        manifest, expiry = forge.manifests.pop(code, (None, 0.0))
    if not isinstance(manifest, Manifest) or expiry <= forge.clock():
        raise not_found()
    try:
        made = register_app(
            forge,
            manifest.slug,
            webhook_url=manifest.webhook_url,
            webhook_secret=secrets.token_hex(20),
            permissions=manifest.permissions,
            events=manifest.events,
        )
    except ValueError as error:
        raise ApiError(422, "Validation Failed", errors=[str(error)]) from error
    return forge.apps[made.app_id], made
