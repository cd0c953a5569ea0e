"""What every request passes through: log, faults, size limit, and GitHub's common headers."""

import asyncio
import contextlib
import hashlib
import json
import threading
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.fakehub.errors import ApiError
from app.fakehub.faults import Fault, Faults

API = "/api/v3"
# Marks an answer that was asked for by a fault, so that nobody holds it to the contract.
FAULT = "x-fakehub-fault"
BODY_LIMIT = 40 * 1024 * 1024
Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True)
class Exchange:
    """An answered API request; `path` is below the API's base, still percent-encoded."""

    method: str
    path: str
    status: int
    body: bytes


@dataclass
class RequestLog:
    """Every answered request as (method, path, status), oldest first.

    `watchers` are shown each whole API answer before it leaves, those of faults excepted.
    """

    rows: list[tuple[str, str, int]] = field(default_factory=list)
    watchers: list[Callable[[Exchange], None]] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, method: str, path: str, status: int) -> None:
        """Write a line."""
        with self._lock:
            self.rows.append((method, path, status))

    def copy(self) -> list[tuple[str, str, int]]:
        """The lines so far."""
        with self._lock:
            return list(self.rows)


class BodyTooLarge(Exception):
    """More bytes arrived than an API request may have."""


class _Limited:
    """The receiving side of a request, which stops at the size limit."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._seen = receive, 0

    @property
    def exceeded(self) -> bool:
        """Whether more arrived than is allowed."""
        return self._seen > BODY_LIMIT

    async def __call__(self) -> Message:
        """The next message; BodyTooLarge when the limit is passed."""
        message = await self._receive()
        self._seen += len(message.get("body", b""))
        if self.exceeded:
            raise BodyTooLarge
        return message


class Envelope:
    """ASGI middleware around everything the server answers."""

    def __init__(self, app: ASGIApp, log: RequestLog, faults: Faults) -> None:
        self._app, self._log, self._faults = app, log, faults

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request; anything but HTTP is passed on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        method, path = scope["method"], scope["path"]
        fault = None if path.startswith("/_fake/") else self._faults.take(method, path)
        answer = _Answer(scope, send, self._log)
        try:
            await self._handle(fault, scope, receive, answer)
        except Exception:
            self._log.add(method, path, 500)
            raise

    async def _handle(
        self, fault: Fault | None, scope: Scope, receive: Receive, answer: "_Answer"
    ) -> None:
        if fault is not None:
            await asyncio.sleep(fault.delay)
        if fault is not None and fault.status is not None:
            await self._broken(fault, scope, receive, answer)
        elif scope["path"].startswith(f"{API}/"):
            await self._call_api(scope, receive, answer)
        else:
            await self._app(scope, receive, answer.pass_on)

    async def _broken(
        self, fault: Fault, scope: Scope, receive: Receive, answer: "_Answer"
    ) -> None:
        if fault.when == "after":
            await self._app(scope, receive, _nowhere)
        body = fault.body if fault.body is not None else {"message": "Server Error"}
        data = body.encode() if isinstance(body, str) else json.dumps(body).encode()
        headers = {"content-type": "application/json; charset=utf-8", FAULT: "1", **fault.headers}
        pairs = [(name.lower().encode(), text.encode()) for name, text in headers.items()]
        await answer.give(fault.status or 500, pairs, data)

    async def _call_api(self, scope: Scope, receive: Receive, answer: "_Answer") -> None:
        refusal = _unacceptable(scope)
        limited = _Limited(receive)
        if refusal is None:
            # The framework may swallow it, too: the flag below decides.
            with contextlib.suppress(BodyTooLarge):
                await self._app(scope, limited, answer.keep)
        if limited.exceeded:
            refusal = _too_large()
        if refusal is not None:
            answer.replace(refusal.status, json.dumps(refusal.body).encode())
        await answer.finish()


def _too_large() -> ApiError:
    return ApiError(413, "Payload too large")


async def _nowhere(_message: Message) -> None:
    """Swallow what a request would have been answered."""


def _header(scope: Scope, name: bytes) -> bytes | None:
    return next((value for key, value in scope["headers"] if key == name), None)


def _unacceptable(scope: Scope) -> ApiError | None:
    if not _header(scope, b"user-agent"):
        text = (
            "Request forbidden by administrative rules. Please make sure your request has a "
            "User-Agent header."
        )
        return ApiError(403, text)
    length = _header(scope, b"content-length") or b"0"
    if not length.isdigit() or int(length) > BODY_LIMIT:
        return _too_large()
    return None


class _Answer:
    """One answer on its way out; API answers are kept until they are whole."""

    def __init__(self, scope: Scope, send: Send, log: RequestLog) -> None:
        self._scope, self._send, self._log = scope, send, log
        self._status, self._headers, self._body = 500, Headers(), b""

    def _write_log(self, status: int) -> None:
        self._log.add(self._scope["method"], self._scope["path"], status)

    def _show(self) -> None:
        path = self._scope["raw_path"].decode().removeprefix(API)
        exchange = Exchange(self._scope["method"], path, self._status, self._body)
        for watcher in list(self._log.watchers):
            watcher(exchange)

    async def pass_on(self, message: Message) -> None:
        """Send at once, as pages and git do."""
        if message["type"] == "http.response.start":
            self._write_log(message["status"])
        await self._send(message)

    async def keep(self, message: Message) -> None:
        """Collect an API answer."""
        if message["type"] == "http.response.start":
            self._status, self._headers = message["status"], list(message["headers"])
        elif message["type"] == "http.response.body":
            self._body += message.get("body", b"")

    def replace(self, status: int, body: bytes) -> None:
        """Forget what was collected and answer this instead."""
        self._status, self._body = status, body
        self._headers = [(b"content-type", b"application/json; charset=utf-8")]

    async def finish(self) -> None:
        """Send the collected API answer with GitHub's common headers; 304 where it is known."""
        headers = [pair for pair in self._headers if pair[0] != b"content-length"]
        headers += self._common()
        if self._scope["method"] in ("GET", "HEAD") and self._status == 200:
            tag = f'W/"{hashlib.sha256(self._body).hexdigest()}"'.encode()
            # GitHub lets a client reuse an answer for a minute: a bot that caches reads old news.
            headers += [(b"etag", tag), (b"cache-control", b"private, max-age=60, s-maxage=60")]
            if _header(self._scope, b"if-none-match") == tag:
                self._status, self._body = 304, b""
        self._show()
        await self.give(self._status, headers, self._body)

    def _common(self) -> Headers:
        common = {
            "x-github-request-id": uuid.uuid4().hex[:20].upper(),
            "x-github-media-type": "github.v3; format=json",
            "vary": "Accept, Authorization, Cookie, Accept-Encoding, Accept, X-Requested-With",
            **self._scope.get("state", {}).get("rate_headers", {}),
        }
        return [(name.encode(), text.encode()) for name, text in common.items()]

    async def give(self, status: int, headers: Headers, body: bytes) -> None:
        """Send a whole answer."""
        self._write_log(status)
        if status not in (204, 304):
            headers = [*headers, (b"content-length", str(len(body)).encode())]
        await self._send({"type": "http.response.start", "status": status, "headers": headers})
        await self._send({"type": "http.response.body", "body": body})
