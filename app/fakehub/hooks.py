"""Webhook deliveries: signed, sent in the background, remembered, sent again on request."""

import asyncio
import hashlib
import hmac
import json
import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import httpx

from app.fakehub.domain.accounts import App

TIMEOUT_SECONDS = 10.0
PAYLOAD_LIMIT = 25 * 1024 * 1024
_ANSWER_LIMIT = 64 * 1024


@dataclass(eq=False)
class Delivery:
    """One attempt to deliver an event; attempts for the same event share their GUID."""

    id: int
    app: App
    guid: str
    event: str
    action: str | None
    body: bytes
    installation_id: int | None
    repository_id: int | None
    delivered_at: float
    redelivery: bool = False
    status: str = "pending"
    status_code: int = 0
    duration: float = 0.0
    request_headers: dict[str, str] = field(default_factory=dict)
    response_headers: dict[str, str] = field(default_factory=dict)
    response_body: str = ""


def signature(secret: str, body: bytes, digest: str = "sha256") -> str:
    """The value of X-Hub-Signature-256 (or, with sha1, of X-Hub-Signature)."""
    return f"{digest}={hmac.new(secret.encode(), body, digest).hexdigest()}"


class Deliveries:
    """Sends deliveries on the server's event loop and keeps a list of them, oldest first."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ids = count(50001)
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._client: httpx.AsyncClient | None = None
        self.all: list[Delivery] = []

    async def open(self) -> None:
        """Start delivering on the running loop."""
        self._loop = asyncio.get_running_loop()
        self._client = httpx.AsyncClient(timeout=TIMEOUT_SECONDS, trust_env=False)

    async def close(self) -> None:
        """Give up what is still on its way."""
        self._loop = None
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._client is not None:
            await self._client.aclose()

    def send(
        self,
        app: App,
        event: str,
        payload: dict[str, Any],
        *,
        installation_id: int | None,
        repository_id: int | None,
    ) -> None:
        """Queue a new event; an App without a webhook address gets none, nor one above 25 MB."""
        body = json.dumps(payload, separators=(",", ":")).encode()
        if app.webhook_url is None or len(body) > PAYLOAD_LIMIT:
            return
        made = Delivery(
            next(self._ids), app, str(uuid.uuid4()), event, payload.get("action"), body,
            installation_id, repository_id, self._clock(),
        )  # fmt: skip
        self._queue(made)

    def send_again(self, delivery: Delivery) -> None:
        """Queue another attempt with the same GUID and the same bytes."""
        again = Delivery(
            next(self._ids), delivery.app, delivery.guid, delivery.event, delivery.action,
            delivery.body, delivery.installation_id, delivery.repository_id, self._clock(),
            redelivery=True,
        )  # fmt: skip
        self._queue(again)

    def of(self, app_id: int) -> list[Delivery]:
        """The deliveries of an App, newest first."""
        with self._lock:
            return [one for one in reversed(self.all) if one.app.id == app_id]

    def _queue(self, delivery: Delivery) -> None:
        delivery.request_headers = _headers(delivery)
        with self._lock:
            self.all.append(delivery)
        if self._loop is None:
            delivery.status = "failed to connect to host"
            return
        self._loop.call_soon_threadsafe(self._start, delivery)

    def _start(self, delivery: Delivery) -> None:
        task = asyncio.get_running_loop().create_task(self._deliver(delivery))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _deliver(self, delivery: Delivery) -> None:
        url = delivery.app.webhook_url
        if self._client is None or url is None:
            return
        started = time.monotonic()
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                answer = await self._client.post(
                    url, content=delivery.body, headers=delivery.request_headers
                )
        except (TimeoutError, httpx.TimeoutException):
            delivery.status = "timed out"
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            delivery.status = "failed to connect to host"
            delivery.response_body = str(error)
        else:
            _record(delivery, answer)
        delivery.duration = round(time.monotonic() - started, 2)


def _record(delivery: Delivery, answer: httpx.Response) -> None:
    delivery.status_code = answer.status_code
    delivery.response_headers = dict(answer.headers)
    delivery.response_body = answer.text[:_ANSWER_LIMIT]
    fine = answer.is_success
    delivery.status = "OK" if fine else f"Invalid HTTP Response: {answer.status_code}"


def _headers(delivery: Delivery) -> dict[str, str]:
    app = delivery.app
    headers = {
        "Accept": "*/*",
        "Content-Type": "application/json",
        "User-Agent": f"GitHub-Hookshot/{hashlib.sha256(app.slug.encode()).hexdigest()[:7]}",
        "X-GitHub-Delivery": delivery.guid,
        "X-GitHub-Event": delivery.event,
        "X-GitHub-Hook-ID": str(app.id),
        "X-GitHub-Hook-Installation-Target-ID": str(app.id),
        "X-GitHub-Hook-Installation-Target-Type": "integration",
    }
    if app.webhook_secret:
        headers["X-Hub-Signature"] = signature(app.webhook_secret, delivery.body, "sha1")
        headers["X-Hub-Signature-256"] = signature(app.webhook_secret, delivery.body)
    return headers
