"""Webhooks: signed, complete, in the background, and sent again with the same GUID."""

import json
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from githubkit.webhooks import parse, verify

from app.fakehub import hooks
from tests.fakehub.conftest import PERMISSIONS, SECRET, Loose, World
from tests.fakehub.gitclient import commit_file, git, with_token

HOME = ("ada", "demo")


class Receiver:
    """A server that keeps what it is sent and answers as it is told."""

    def __init__(self) -> None:
        self.got: list[tuple[dict[str, str], bytes]] = []
        self.status, self.delay = 200, 0.0
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                headers = {name.lower(): value for name, value in self.headers.items()}
                receiver.got.append((headers, body))
                time.sleep(receiver.delay)
                self.send_response(receiver.status)
                self.end_headers()
                self.wfile.write(b"noted")

            def log_message(self, *_: Loose) -> None:
                """Keep quiet."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/webhook"

    def events(self) -> list[str]:
        """event.action of each delivery, in the order of arrival."""
        rows = []
        for headers, body in list(self.got):
            action = json.loads(body).get("action")
            rows.append(headers["x-github-event"] + (f".{action}" if action else ""))
        return rows

    def payload(self, event: str) -> Any:  # noqa: ANN401 - JSON
        """The last payload of an event."""
        at = len(self.events()) - 1 - self.events()[::-1].index(event)
        return json.loads(self.got[at][1])


def wait_for(condition: Callable[[], Loose], seconds: float = 20) -> None:
    """Wait until the condition holds; fails after the time."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


@pytest.fixture
def receiver(world: World) -> Iterator[Receiver]:
    """The App's webhook endpoint."""
    made = Receiver()
    world.hub.set_webhook_url(world.app.app_id, made.url)
    wait_for(lambda: made.events() == ["ping"])
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_a_label_sends_a_signed_hook(world: World, receiver: Receiver) -> None:
    world.hub.label_issue(*HOME, 1, "patchwright", actor="ada")
    wait_for(lambda: "issues.labeled" in receiver.events())
    headers, body = receiver.got[receiver.events().index("issues.labeled")]
    assert verify(SECRET, body, headers["x-hub-signature-256"])
    assert not verify("another secret", body, headers["x-hub-signature-256"])
    assert str(uuid.UUID(headers["x-github-delivery"])) == headers["x-github-delivery"]
    assert headers["user-agent"].startswith("GitHub-Hookshot/")
    assert headers["x-github-hook-id"]
    assert headers["x-github-hook-installation-target-type"] == "integration"
    payload = json.loads(body)
    assert payload["label"]["name"] == "patchwright"
    assert payload["issue"]["number"] == 1
    assert payload["sender"]["login"] == "ada"
    assert payload["installation"]["id"] == world.installation
    assert payload["repository"]["full_name"] == "ada/demo"


def test_the_order_of_a_life(world: World, receiver: Receiver, tmp_path: Path) -> None:
    world.hub.label_issue(*HOME, 1, "new one", actor="ada")
    world.hub.unlabel_issue(*HOME, 1, "new one", actor="ada")
    bot = world.bot()
    comment = bot.issues.create_comment(*HOME, 1, body="a").parsed_data
    bot.issues.update_comment(*HOME, comment.id, body="b")
    bot.issues.delete_comment(*HOME, comment.id)
    bot.issues.update(*HOME, 1, title="other", state="closed")
    bot.issues.update(*HOME, 1, state="open")
    work = tmp_path / "work"
    git("clone", "--quiet", with_token(f"{world.hub.url}/ada/demo.git", world.token()), str(work))
    sha = commit_file(work, "pkg/maths.py", "def add(a, b):\n    return a + b\n")
    git("push", "--quiet", "origin", "HEAD:fix", cwd=work)
    number = bot.pulls.create(*HOME, title="t", head="fix", base="main").parsed_data.number
    bot.checks.create(*HOME, name="proof", head_sha=sha, conclusion="success")
    later = commit_file(work, "more.txt", "more")
    git("push", "--quiet", "origin", "HEAD:fix", cwd=work)
    bot.pulls.update(*HOME, number, state="closed")
    expected = [
        "ping", "label.created", "issues.labeled", "issues.unlabeled",
        "issue_comment.created", "issue_comment.edited", "issue_comment.deleted",
        "issues.edited", "issues.closed", "issues.reopened", "push", "pull_request.opened",
        "check_run.created", "check_run.completed", "push", "pull_request.synchronize",
        "pull_request.closed",
    ]  # fmt: skip
    wait_for(lambda: len(receiver.got) >= len(expected))
    assert sorted(receiver.events()) == sorted(expected)
    assert [one.event for one in world.hub.deliveries(world.app.app_id)] == [
        name.split(".")[0] for name in expected
    ]
    push = receiver.payload("push")
    assert (push["ref"], push["before"], push["after"]) == ("refs/heads/fix", sha, later)
    assert [one["id"] for one in push["commits"]] == [later]
    moved = receiver.payload("pull_request.synchronize")
    assert (moved["before"], moved["after"]) == (sha, later)
    for headers, body in receiver.got:
        assert verify(SECRET, body, headers["x-hub-signature-256"])


def test_every_payload_parses_in_the_strict_models(
    world: World, receiver: Receiver, tmp_path: Path
) -> None:
    test_the_order_of_a_life(world, receiver, tmp_path)
    world.hub.install_app(world.app.app_id, "eve", "all")
    world.hub.create_repository("eve", "fresh", None)
    wait_for(lambda: "installation_repositories.added" in receiver.events())
    assert "installation.created" in receiver.events()
    for headers, body in receiver.got:
        parse(headers["x-github-event"], body)


def test_only_what_was_subscribed_and_installed(world: World, receiver: Receiver) -> None:
    other = Receiver()
    app = world.hub.create_app(
        "quiet", webhook_url=other.url, webhook_secret="s", permissions=PERMISSIONS, events=["push"]
    )
    world.hub.install_app(app.app_id, "ada", "all")
    world.hub.create_issue("ada", "secret", "hidden", "", author="ada")
    world.hub.create_issue(*HOME, "seen", "", author="ada")
    wait_for(lambda: "issues.opened" in receiver.events())
    wait_for(lambda: len(other.events()) >= 2)
    assert receiver.events() == ["ping", "issues.opened"]
    assert sorted(other.events()) == ["installation.created", "ping"]
    other.server.shutdown()
    other.server.server_close()


def test_a_slow_receiver_holds_up_nobody(world: World, receiver: Receiver) -> None:
    receiver.delay = 2.0
    started = time.monotonic()
    for number in range(4):
        world.hub.comment_issue(*HOME, 1, f"{number}", author="ada")
    assert len(world.bot().issues.list_comments(*HOME, 1).parsed_data) == 4
    assert time.monotonic() - started < 2.0
    wait_for(lambda: world.hub.deliveries(world.app.app_id)[-1].status == "OK")


def test_failures_are_recorded_and_sent_again(world: World, receiver: Receiver) -> None:
    receiver.status = 503
    world.hub.label_issue(*HOME, 1, "bug", actor="ada")
    app = world.as_app()
    wait_for(lambda: world.hub.deliveries(world.app.app_id)[-1].status != "pending")
    failed = app.apps.list_webhook_deliveries(per_page=1).parsed_data[0]
    assert (failed.status, failed.status_code) == ("Invalid HTTP Response: 503", 503)
    whole = app.apps.get_webhook_delivery(failed.id).parsed_data
    request: Loose = whole.request
    assert request.headers.model_dump()["X-GitHub-Event"] == "issues"
    receiver.status = 202
    assert app.apps.redeliver_webhook_delivery(failed.id).status_code == 202
    wait_for(lambda: world.hub.deliveries(world.app.app_id)[-1].status == "OK")
    first, second = world.hub.deliveries(world.app.app_id)[-2:]
    assert (first.guid, first.body, second.redelivery) == (second.guid, second.body, True)
    assert receiver.got[-1][0]["x-github-delivery"] == first.guid
    assert receiver.got[-1][1] == first.body


def test_nobody_listening(world: World) -> None:
    world.hub.set_webhook_url(world.app.app_id, "http://127.0.0.1:9/webhook")
    wait_for(lambda: world.hub.deliveries(world.app.app_id)[-1].status != "pending")
    last = world.hub.deliveries(world.app.app_id)[-1]
    assert (last.status, last.status_code) == ("failed to connect to host", 0)


def test_deliveries_come_in_pages(world: World, receiver: Receiver) -> None:
    for number in range(5):
        world.hub.comment_issue(*HOME, 1, f"{number}", author="ada")
    app = world.as_app()
    first = app.apps.list_webhook_deliveries(per_page=4)
    rest = app.apps.list_webhook_deliveries(per_page=4, cursor=str(first.parsed_data[-1].id))
    ids = [one.id for one in (*first.parsed_data, *rest.parsed_data)]
    assert ids == sorted((one.id for one in world.hub.deliveries(world.app.app_id)), reverse=True)
    assert 'rel="next"' in first.headers["link"]


def test_a_receiver_that_takes_too_long(
    world: World, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hooks, "TIMEOUT_SECONDS", 0.3)
    receiver.delay = 1.0
    world.hub.comment_issue(*HOME, 1, "late", author="ada")
    wait_for(lambda: world.hub.deliveries(world.app.app_id)[-1].status != "pending")
    last = world.hub.deliveries(world.app.app_id)[-1]
    assert (last.status, last.status_code) == ("timed out", 0)
