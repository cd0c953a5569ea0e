"""What the App asks of GitHub: the permissions and events of `manifests/github-app.json`."""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class AppManifest:
    """Permissions as GitHub names them, each `read` or `write`, and the webhook events."""

    permissions: dict[str, str]
    events: tuple[str, ...]


@cache
def app_manifest() -> AppManifest:
    """The manifest that ships with the distribution."""
    found = json.loads(files("manifests").joinpath("github-app.json").read_text(encoding="utf-8"))
    return AppManifest(found["default_permissions"], tuple(found["default_events"]))
