"""A local GitHub with a person, a stranger, an App, an installation and a small repository."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from githubkit import AppAuthStrategy, AppInstallationAuthStrategy, GitHub
from githubkit.cache import MemCacheStrategy
from githubkit_schemas.core import RestVersionSwitcher

from app.fakehub import AppCredentials, FakeHub
from tests.fakehub.contract import hold, load_contract

PERMISSIONS = {
    "issues": "write",
    "contents": "write",
    "pull_requests": "write",
    "checks": "write",
}
EVENTS = ("issues", "issue_comment", "label", "push", "pull_request", "check_run")
# What generated code takes and gives: too many types to name, checked where it is used.
Loose = Any
SECRET = "between the two of us"


class Clock:
    """The time that the server goes by: the real one, shifted at will."""

    def __init__(self) -> None:
        self.shift = 0.0

    def __call__(self) -> float:
        """Seconds since the epoch."""
        return time.time() + self.shift


@dataclass
class World:
    """A running server and what was put into it."""

    hub: FakeHub
    clock: Clock
    app: AppCredentials
    installation: int
    ada: str
    eve: str
    http: httpx.Client
    clients: list[Any] = field(default_factory=list)

    def client(self, auth: Loose) -> GitHub[Any]:
        """A strict client of its own whose every answer is held to the contract."""
        contract = load_contract()
        hooks = {} if contract is None else {"response": [contract.hook]}
        made = GitHub(
            auth,
            base_url=self.hub.api_url,
            cache_strategy=MemCacheStrategy(),
            http_cache=False,
            auto_retry=False,
            trust_env=False,
            ssl_verify=False,
            event_hooks=hooks,
        )
        self.clients.append(made)  # its namespaces only hold a weak reference to it
        return made

    def person(self, token: str) -> RestVersionSwitcher:
        """The REST calls of a person."""
        return self.client(token).rest

    def as_app(self) -> RestVersionSwitcher:
        """The REST calls of the App itself."""
        auth = AppAuthStrategy(self.app.app_id, self.app.private_key_pem)
        return self.client(auth).rest

    def bot(self) -> RestVersionSwitcher:
        """The REST calls of the App's installation."""
        auth = AppInstallationAuthStrategy(
            self.app.app_id, self.app.private_key_pem, self.installation
        )
        return self.client(auth).rest

    def token(self, **narrowed: Loose) -> str:
        """A fresh installation token."""
        made = self.as_app().apps.create_installation_access_token(self.installation, **narrowed)
        return made.parsed_data.token


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Files for the first commit."""
    folder = tmp_path / "source"
    (folder / "pkg").mkdir(parents=True)
    (folder / "README.md").write_text("# Demo\n\nA *small* one.\n")
    (folder / "pkg" / "maths.py").write_text("def add(a, b):\n    return a - b\n")
    (folder / "data.bin").write_bytes(bytes(range(256)))
    return folder


@pytest.fixture
def world(tmp_path: Path, source: Path) -> Iterator[World]:
    """ada owns `demo`, `empty` and the private `secret`; the bot is installed on demo and empty."""
    clock = Clock()
    with FakeHub(tmp_path / "hub", clock=clock) as hub:
        faults = hold(hub)
        ada, eve = hub.create_user("ada"), hub.create_user("eve")
        app = hub.create_app(
            "patchwright",
            webhook_url=None,
            webhook_secret=SECRET,
            permissions=PERMISSIONS,
            events=EVENTS,
        )
        hub.create_repository("ada", "demo", source)
        hub.create_repository("ada", "empty", None)
        hub.create_repository("ada", "secret", source, private=True)
        installation = hub.install_app(app.app_id, "ada", ["demo", "empty"])
        hub.create_issue("ada", "demo", "add() subtracts", "`add(1, 2)` is -1", author="eve")
        # Nothing is encrypted on loopback: without certificates to load a client is made at once.
        with httpx.Client(trust_env=False, verify=False, timeout=30) as http:  # noqa: S501
            yield World(hub, clock, app, installation, ada, eve, http)
        assert faults == []


@pytest.fixture
def refused() -> Callable[..., Any]:
    """Call something and return the response of the refusal; fails when it is not refused."""
    from githubkit.exception import RequestFailed

    def call(status: int, function: Callable[..., Any], *args: Loose, **named: Loose) -> Loose:
        with pytest.raises(RequestFailed) as caught:
            function(*args, **named)
        assert caught.value.response.status_code == status, caught.value.response.text
        return caught.value.response

    return call
