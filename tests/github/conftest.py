"""A local GitHub with two repositories, one issue and the App installed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.fakehub import FakeHub
from app.github.manifest import app_manifest
from tests.github.place import Place, source


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with FakeHub(tmp_path / "hub") as hub:
        for login in ("ada", "grace", "eve"):
            hub.create_user(login)
        credentials = hub.create_app(
            "patchwright",
            webhook_url=None,
            webhook_secret="s",
            permissions=app_manifest().permissions,
            events=["issues"],
        )
        hub.create_repository("ada", "rrule", source(tmp_path / "source"))
        hub.create_repository("ada", "secret", source(tmp_path / "other"), private=True)
        installation_id = hub.install_app(credentials.app_id, "ada", ["rrule", "secret"])
        issue = hub.create_issue("ada", "rrule", "Last day lost", "It is.", author="eve")
        yield Place(hub, credentials, installation_id, issue)
