"""The door lets genuine deliveries in once, and turns everything else away with a reason."""

import json
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import run
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from hypothesis import given, settings
from hypothesis import strategies as st

from app.errors import UserError
from app.runs.store import RunState, Store
from app.settings import WebSettings, load
from app.web import incoming
from app.web.incoming import bounded_body, verified_body
from app.web.signature import genuine, signature

Deliver = Callable[..., Any]

SECRET = "It's a Secret to Everybody"
PAYLOADS = Path(__file__).parents[2].parent / "shared" / "data" / "payloads"


def refused(answer: Any, status: int, words: str) -> None:  # noqa: ANN401 - the test client's answer
    """One clear sentence and nothing else."""
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]
    sentence = answer.json()["error"]
    assert words in sentence
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_there_is_no_app_without_a_secret(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("PATCHWRIGHT_WEBHOOK_SECRET", raising=False)
    with pytest.raises(UserError, match="PATCHWRIGHT_WEBHOOK_SECRET"):
        load(WebSettings, data_dir=tmp_path)


def test_the_trigger_label_becomes_one_row(
    deliver: Deliver, labeled: dict[str, Any], store: Store
) -> None:
    answer = deliver(labeled, X_GitHub_Delivery="guid-1")
    assert answer.status_code == 202
    (row,) = store.undispatched()
    assert answer.json() == {"result": "accepted", "run": row.run_id}
    assert (row.delivery_id, row.repository, row.issue) == ("guid-1", "ada/rrule", 97)
    assert row.state is RunState.QUEUED


def test_a_redelivery_starts_nothing(
    deliver: Deliver, labeled: dict[str, Any], store: Store
) -> None:
    run_id = deliver(labeled, X_GitHub_Delivery="guid-1").json()["run"]
    again = deliver(labeled, X_GitHub_Delivery="guid-1")
    assert (again.status_code, again.json()) == (200, {"result": "duplicate"})
    store.update(run_id, state=RunState.FAILED)
    assert deliver(labeled, X_GitHub_Delivery="guid-1").json() == {"result": "duplicate"}
    assert len(store.runs()) == 1


def test_the_label_put_again_while_a_run_lives(
    deliver: Deliver, labeled: dict[str, Any], store: Store
) -> None:
    deliver(labeled)
    again = deliver(labeled)
    assert (again.status_code, again.json()) == (202, {"result": "leased"})
    assert len(store.runs()) == 1


def test_the_label_put_again_after_a_run_has_ended(
    deliver: Deliver, labeled: dict[str, Any], store: Store
) -> None:
    store.update(deliver(labeled).json()["run"], state=RunState.CANCELLED)
    assert deliver(labeled).json()["result"] == "accepted"


# The signature.


def test_the_documented_vector() -> None:
    # https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries
    assert signature(SECRET, b"Hello, World!") == (
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
    )


@settings(deadline=None)
@given(st.binary(max_size=200), st.text(min_size=1, max_size=30), st.integers(0, 199))
def test_one_changed_byte_spoils_a_signature(body: bytes, secret: str, place: int) -> None:
    claim = signature(secret, body)
    assert genuine(secret, body, claim)
    if body:
        at = place % len(body)
        changed = body[:at] + bytes([body[at] ^ 1]) + body[at + 1 :]
        assert not genuine(secret, changed, claim)


def test_the_comparison_takes_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def compare(one: bytes, other: bytes) -> bool:
        asked.append((one, other))
        return False

    monkeypatch.setattr("app.web.signature.compare_digest", compare)
    claim = signature("s", b"body")
    assert not genuine("s", b"body", claim)
    assert asked == [(claim.encode(), claim.encode())]


@pytest.mark.parametrize(
    "claim",
    ["", "sha256=", "sha1=" + "0" * 40, "sha256=" + "0" * 63, "sha256=" + "G" * 64, "x" * 9000],
)
def test_what_is_no_signature_is_refused(
    deliver: Deliver, labeled: dict[str, Any], store: Store, claim: str
) -> None:
    refused(deliver(labeled, X_Hub_Signature_256=claim), 401, "`X-Hub-Signature-256`")
    assert store.runs() == []


def test_a_missing_signature_is_refused(
    deliver: Deliver, labeled: dict[str, Any], store: Store
) -> None:
    refused(deliver(labeled, X_Hub_Signature_256=None), 401, "`X-Hub-Signature-256` is missing")
    assert store.runs() == []


def test_the_old_signature_is_no_substitute(
    deliver: Deliver, labeled: dict[str, Any], store: Store
) -> None:
    answer = deliver(labeled, X_Hub_Signature_256=None, X_Hub_Signature="sha1=" + "0" * 40)
    refused(answer, 401, "`X-Hub-Signature-256` is missing")


def forged(deliver: Deliver, labeled: dict[str, Any]) -> Any:  # noqa: ANN401 - as above
    return deliver(labeled, secret="what an attacker guesses")


def test_a_forged_delivery_is_refused(
    deliver: Deliver, labeled: dict[str, Any], store: Store
) -> None:
    refused(forged(deliver, labeled), 401, "The signature does not fit the body")
    assert store.runs() == []


def test_control_a_forged_delivery_starts_a_run_where_nobody_verifies(
    deliver: Deliver, labeled: dict[str, Any], store: Store, app: FastAPI
) -> None:
    app.dependency_overrides[verified_body] = bounded_body
    assert forged(deliver, labeled).status_code == 202
    assert len(store.runs()) == 1


def test_the_signature_is_over_the_raw_bytes(
    deliver: Deliver, labeled: dict[str, Any], store: Store
) -> None:
    spaced = json.dumps(labeled, indent=3).encode()
    claim = signature(SECRET, json.dumps(labeled).encode())
    refused(deliver(spaced, X_Hub_Signature_256=claim), 401, "does not fit")
    assert deliver(spaced).status_code == 202


# What is ignored, and what is malformed.


def published() -> list[Path]:
    return sorted(PAYLOADS.glob("*.json"))


def test_every_published_payload_is_answered_2xx(deliver: Deliver, store: Store) -> None:
    if not published():
        pytest.skip("the published payloads are not here")
    for file in published():
        answer = deliver(file.read_bytes(), file.name.split(".")[0])
        assert answer.is_success, file.name
        assert answer.json() == {"result": "ignored"}, file.name
    assert store.runs() == []


@pytest.mark.parametrize("event", ["ping", "star", "something_new"])
def test_an_unknown_event_is_ignored(deliver: Deliver, store: Store, event: str) -> None:
    answer = deliver({"zen": "whatever"}, event)
    assert (answer.status_code, answer.json()) == (200, {"result": "ignored"})


def test_without_an_installation_it_is_not_ours(
    deliver: Deliver, labeled: dict[str, Any], store: Store
) -> None:
    del labeled["installation"]
    assert deliver(labeled).json() == {"result": "ignored"}
    assert store.runs() == []


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "not an object"),
        (b"payload=%7B%7D", "`application/json`"),
        (b"{}", "no `action`"),
        (b'{"action": "labeled"}', "`issue`"),
    ],
)
def test_malformed_payloads_are_named(deliver: Deliver, body: bytes, words: str) -> None:
    refused(deliver(body), 400, words)


@pytest.mark.parametrize("name", ["X-GitHub-Event", "X-GitHub-Delivery"])
@pytest.mark.parametrize("value", [None, "", "a b", b"\xe9", "x" * 300, "../../x"])
def test_missing_and_odd_headers_are_named(
    deliver: Deliver, labeled: dict[str, Any], store: Store, name: str, value: str | bytes | None
) -> None:
    refused(deliver(labeled, **{name: value}), 400, f"`{name}`")
    assert store.runs() == []


def test_an_unwritable_inbox_is_told_and_loses_nothing(
    deliver: Deliver, labeled: dict[str, Any], monkeypatch: pytest.MonkeyPatch, store: Store
) -> None:
    def full(*arguments: object) -> str:
        raise sqlite3.OperationalError("database or disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Store, "accept", full)
        refused(deliver(labeled, X_GitHub_Delivery="guid-1"), 503, "deliver again later")
    assert deliver(labeled, X_GitHub_Delivery="guid-1").status_code == 202


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
def test_the_door_takes_nothing_but_post(client: TestClient, method: str) -> None:
    assert client.request(method, "/webhook").status_code == 405


# The size.


def test_a_body_of_the_full_size_comes_through(deliver: Deliver) -> None:
    body = b'{"a": "' + b"x" * (incoming.BODY_BYTES - 9) + b'"}'
    assert len(body) == incoming.BODY_BYTES
    assert deliver(body, "ping").status_code == 200


def announce(client: TestClient, length: str) -> Any:  # noqa: ANN401 - as above
    claim = b"sha256=" + b"0" * 64
    headers = [(b"Content-Length", length.encode()), (b"X-Hub-Signature-256", claim)]
    return client.post("/webhook", content=iter([b"short"]), headers=headers)


def test_an_announced_size_is_refused_unread(client: TestClient) -> None:
    refused(announce(client, str(incoming.BODY_BYTES + 1)), 413, "bigger than 25 MB")
    refused(announce(client, "9" * 5000), 413, "bigger than 25 MB")


@pytest.mark.parametrize("length", ["-1", "1e3", "²", ""])
def test_an_odd_length_is_refused(client: TestClient, length: str) -> None:
    refused(announce(client, length), 400, "`Content-Length`")


def test_what_the_door_imports_cannot_reach_github_or_an_engine() -> None:
    code = (
        "import sys, app.web.main; "
        "print([n for n in ('githubkit', 'docker', 'dbos', 'app.github') if n in sys.modules])"
    )
    root = Path(__file__).parents[2]
    done = run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
