"""The local GitHub at the door: a label put there becomes a row here, once."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from githubkit import AppAuthStrategy, GitHub
from githubkit.cache import MemCacheStrategy

from app.fakehub import AppCredentials, DeliveryView, FakeHub
from app.runs.store import Store

SECRET = "It's a Secret to Everybody"


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[FakeHub]:
    with FakeHub(tmp_path / "hub") as hub:
        hub.create_user("grace")
        hub.create_repository("ada", "rrule", None)
        hub.add_collaborator("ada", "rrule", "grace", "write")
        yield hub


def app_at(hub: FakeHub, url: str, secret: str) -> AppCredentials:
    credentials = hub.create_app(
        "patchwright",
        webhook_url=f"{url}/webhook",
        webhook_secret=secret,
        permissions={"metadata": "read", "issues": "write"},
        events=["issues"],
    )
    hub.install_app(credentials.app_id, "ada", ["rrule"])
    return credentials


def label(hub: FakeHub, name: str) -> None:
    number = hub.create_issue("ada", "rrule", "Last day lost", "It is.", author="grace")
    hub.label_issue("ada", "rrule", number, name, actor="grace")


def soon(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline, "nothing came"
        time.sleep(0.05)


def labels_delivered(hub: FakeHub, app_id: int) -> list[DeliveryView]:
    return [one for one in hub.deliveries(app_id) if one.action == "labeled" and one.status_code]


def test_a_label_becomes_a_row(hub: FakeHub, url: str, store: Store) -> None:
    app_id = app_at(hub, url, SECRET).app_id
    label(hub, "patchwright")
    soon(lambda: bool(labels_delivered(hub, app_id)))
    (row,) = store.undispatched()
    (delivery,) = labels_delivered(hub, app_id)
    assert delivery.status_code == 202
    assert (row.delivery_id, row.repository, row.sender) == (delivery.guid, "ada/rrule", "grace")
    assert {one.status for one in hub.deliveries(app_id)} == {"OK"}  # ping, installation, opened


def test_a_redelivery_of_it_starts_nothing(hub: FakeHub, url: str, store: Store) -> None:
    credentials = app_at(hub, url, SECRET)
    label(hub, "patchwright")
    soon(lambda: bool(labels_delivered(hub, credentials.app_id)))
    (delivery,) = labels_delivered(hub, credentials.app_id)
    github = GitHub(
        AppAuthStrategy(credentials.app_id, credentials.private_key_pem),
        base_url=hub.api_url,
        cache_strategy=MemCacheStrategy(),
    )
    github.rest.apps.redeliver_webhook_delivery(delivery.id)
    soon(lambda: len(labels_delivered(hub, credentials.app_id)) == 2)
    again = labels_delivered(hub, credentials.app_id)[-1]
    assert (again.guid, again.status_code) == (delivery.guid, 200)
    assert "duplicate" in again.response
    assert len(store.runs()) == 1


def test_an_app_with_another_secret_is_turned_away(hub: FakeHub, url: str, store: Store) -> None:
    app_id = app_at(hub, url, "another secret").app_id
    label(hub, "patchwright")
    soon(lambda: bool(labels_delivered(hub, app_id)))
    assert labels_delivered(hub, app_id)[0].status_code == 401
    assert store.runs() == []


def test_another_label_is_ignored(hub: FakeHub, url: str, store: Store) -> None:
    app_id = app_at(hub, url, SECRET).app_id
    label(hub, "bug")
    soon(lambda: bool(labels_delivered(hub, app_id)))
    assert labels_delivered(hub, app_id)[0].status_code == 200
    assert store.runs() == []
