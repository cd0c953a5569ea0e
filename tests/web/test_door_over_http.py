"""The door and the live page behind a real server: endless bodies, slow senders, streams."""

import socket
import time
from collections.abc import Iterator
from threading import Thread

import httpx
import pytest
from fastapi import FastAPI, Request

from app.runs.store import RunState, Store
from app.web import incoming, live
from handlers.intents import StartRun
from sandbox.outcome import Outcome

RUN = "0123456789abcdef" * 2
INTENT = StartRun(5, "ada", "rrule", 97, "Last day lost", "ada", "User", "patchwright")
ALL = 96 << 20
"""What the endless sender has, far more than the limit and the buffers of both sockets."""
CLAIM = {"X-Hub-Signature-256": "sha256=" + "0" * 64}


def endless(url: str) -> int:
    """How many bytes of a body without a length the server took before it answered or hung up."""
    host, port = url.removeprefix("http://").split(":")
    head = (
        f"POST /webhook HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n"
        f"X-Hub-Signature-256: {CLAIM['X-Hub-Signature-256']}\r\n\r\n"
    )
    chunk = b"40000\r\n" + b"x" * 0x40000 + b"\r\n"
    taken = 0
    with socket.create_connection((host, int(port)), timeout=10) as line:
        line.sendall(head.encode())
        line.setblocking(True)
        try:
            while taken < ALL:
                line.sendall(chunk)
                taken += 0x40000
        except OSError:
            pass  # it hung up
    return taken


def test_a_body_without_a_length_is_cut_off_while_it_streams(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(incoming, "BODY_BYTES", 4 << 20)
    assert endless(url) < ALL // 2


def test_control_without_the_count_it_is_taken_to_its_end(
    url: str, monkeypatch: pytest.MonkeyPatch, app: FastAPI
) -> None:
    monkeypatch.setattr(incoming, "BODY_BYTES", 4 << 20)

    async def uncounted(request: Request) -> bytes:
        body: bytes = await request.body()
        return body

    app.dependency_overrides[incoming.bounded_body] = uncounted
    assert endless(url) == ALL


def chunks(size: int) -> Iterator[bytes]:
    for _ in range(size >> 16):
        yield b"x" * (1 << 16)


def test_too_much_in_chunks_is_answered_413(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incoming, "BODY_BYTES", 1 << 20)
    answer = httpx.post(f"{url}/webhook", content=chunks((1 << 20) + (1 << 16)), headers=CLAIM)
    assert (answer.status_code, answer.json()) == (413, {"error": "The body is bigger than 1 MB."})
    fits = httpx.post(f"{url}/webhook", content=chunks(1 << 20), headers=CLAIM)
    assert fits.status_code == 401


def test_a_body_that_does_not_come_is_given_up(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(incoming, "BODY_SECONDS", 0.2)

    def slow() -> Iterator[bytes]:
        yield b"{"
        time.sleep(2)
        yield b"}"

    answer = httpx.post(f"{url}/webhook", content=slow(), headers=CLAIM, timeout=10)
    assert (answer.status_code, answer.json()) == (
        408,
        {"error": "The body did not arrive in time."},
    )


def said(stream: httpx.Response) -> list[tuple[str, str, str]]:
    """What a browser would see: (event, id, data), up to the end of the stream."""
    blocks = "".join(stream.iter_text()).strip().split("\n\n")
    seen = []
    for block in blocks:
        fields = dict.fromkeys(("event", "id", "data"), "")
        for line in block.splitlines():
            name, _, value = line.partition(": ")
            fields[name] = fields.get(name, "") + value
        if fields["event"]:
            seen.append((fields["event"], fields["id"], fields["data"]))
    return seen


@pytest.fixture
def run_id(store: Store, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(live, "POLL_SECONDS", 0.02)
    store.accept("guid-1", INTENT, RUN)
    store.add_event(RUN, "baseline", "412 passed, **2 failed**")
    return RUN


def test_a_stream_follows_a_run_to_its_end(url: str, store: Store, run_id: str) -> None:
    def finish() -> None:
        time.sleep(0.3)
        store.add_event(run_id, "proof", "proved")
        store.update(run_id, state=RunState.DONE, outcome=Outcome.FIXED)

    worker = Thread(target=finish)
    worker.start()
    with httpx.stream("GET", f"{url}/runs/{run_id}/events", timeout=10) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        seen = said(stream)
    worker.join()
    assert [(event, number) for event, number, _ in seen] == [
        ("said", "1"),
        ("said", "2"),
        ("end", ""),
    ]
    assert "<strong>2 failed</strong>" in seen[0][2]
    assert seen[-1][2] == "done"


@pytest.mark.parametrize(
    ("query", "header", "first"),
    [
        ("", None, "1"),
        ("?after=1", None, "2"),
        ("", "1", "2"),
        ("", "nonsense", "1"),
        ("", "²", "1"),
    ],
)
def test_a_stream_goes_on_where_the_browser_stopped(
    url: str, store: Store, run_id: str, query: str, header: str | None, first: str
) -> None:
    store.add_event(run_id, "proof", "proved")
    store.update(run_id, state=RunState.CANCELLED)
    headers = [(b"Last-Event-ID", header.encode())] if header else []
    with httpx.stream("GET", f"{url}/runs/{run_id}/events{query}", headers=headers) as stream:
        assert said(stream)[0][1] == first


def test_a_stream_does_not_last_for_ever(
    url: str, run_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "STREAM_SECONDS", 0.2)
    with httpx.stream("GET", f"{url}/runs/{run_id}/events", timeout=10) as stream:
        assert [event for event, _, _ in said(stream)] == ["said"]


@pytest.mark.parametrize("path", ["/runs/none/events", f"/runs/{'f' * 32}/events"])
def test_a_stream_of_no_run_is_404(url: str, path: str) -> None:
    assert httpx.get(url + path).status_code == 404
