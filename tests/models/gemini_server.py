"""A strict local server that speaks `models/{model}:generateContent`, over real HTTP.

A request of the wrong shape is answered with 400 in Google's error form, a wrong key likewise.
Answers are scripted; the last one is not repeated: a call too many is an error of the test.
"""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "local-test-key-0123456789"
MODEL = "gemini-2.5-flash"
_PATH = re.compile(r"/v1beta/models/([\w.-]+):generateContent")
_KNOWN = {"contents", "systemInstruction", "generationConfig"}
_CONFIG = {"maxOutputTokens", "responseMimeType", "responseJsonSchema"}

Answer = tuple[int, dict[str, Any] | bytes] | Callable[[], tuple[int, dict[str, Any]]]


@dataclass
class Script:
    """What is answered, in order, and what was asked."""

    answers: list[Answer]
    address: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    calls: int = 0

    def next(self) -> tuple[int, dict[str, Any] | bytes]:
        """The next scripted answer."""
        self.calls += 1
        if not self.answers:
            self.faults.append("a call too many")
            return error(500, "INTERNAL", "no answer is left")
        answer = self.answers.pop(0)
        return answer() if callable(answer) else answer


def text(words: str, reason: str = "STOP", thought: str = "") -> tuple[int, dict[str, Any]]:
    """An answer as the API gives it, with its counts."""
    parts: list[dict[str, Any]] = [{"text": thought, "thought": True}] if thought else []
    if words:
        parts.append({"text": words})
    candidate = {"content": {"role": "model", "parts": parts}, "finishReason": reason, "index": 0}
    return 200, {"candidates": [candidate], "usageMetadata": counts(), "modelVersion": MODEL}


def counts() -> dict[str, int]:
    """1000 tokens in; 200 out, of which 80 of thinking are counted apart."""
    return {
        "promptTokenCount": 1000,
        "candidatesTokenCount": 120,
        "thoughtsTokenCount": 80,
        "totalTokenCount": 1200,
    }


def error(code: int, status: str, message: str, *details: dict[str, Any]) -> tuple[int, Any]:
    """An error in Google's form."""
    body = {"code": code, "status": status, "message": message, "details": list(details)}
    return code, {"error": body}


def slow_down(delay: str, quota: str = "GenerateRequestsPerMinutePerProject") -> tuple[int, Any]:
    """429 with the details that the API sends."""
    kind = "type.googleapis.com/google.rpc."
    return error(
        429,
        "RESOURCE_EXHAUSTED",
        "You exceeded your current quota.",
        {"@type": f"{kind}QuotaFailure", "violations": [{"quotaId": quota}]},
        {"@type": f"{kind}RetryInfo", "retryDelay": delay},
    )


@contextmanager
def serving(*answers: Answer) -> Iterator[Script]:
    """The server for the length of a test; its faults fail the test at the end."""
    script = Script(list(answers))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(script))
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    script.address = f"http://127.0.0.1:{server.server_port}"
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
    assert script.faults == []


def _handler(script: Script) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers.get("Content-Length", 0))
            body = self.rfile.read(length)
            refused = self._refusal(body)
            status, answer = refused or script.next()
            data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=UTF-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _refusal(self, body: bytes) -> tuple[int, Any] | None:
            if self.headers.get("x-goog-api-key") != KEY:
                detail = {"reason": "API_KEY_INVALID", "domain": "googleapis.com"}
                return error(400, "INVALID_ARGUMENT", "API key not valid.", detail)
            path = _PATH.fullmatch(self.path)
            if path is None or path[1] != MODEL:
                return error(404, "NOT_FOUND", "The model is not found.")
            script.bodies.append(json.loads(body))
            faults = list(faults_of(script.bodies[-1]))
            script.faults += faults
            return error(400, "INVALID_ARGUMENT", faults[0]) if faults else None

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 # library's name
            """Nothing: the test says what went wrong."""

    return Handler


def faults_of(body: dict[str, Any]) -> Iterator[str]:
    """What the API would refuse in a request, in its own field names."""
    yield from (f"unknown field {name}" for name in sorted(set(body) - _KNOWN))
    contents = body.get("contents")
    if not isinstance(contents, list) or len(contents) != 1 or contents[0].get("role") != "user":
        yield "contents has to be one turn of the user"
    elif not all(isinstance(part.get("text"), str) for part in contents[0].get("parts", [{}])):
        yield "every part needs text"
    config = body.get("generationConfig", {})
    yield from (f"unknown setting {name}" for name in sorted(set(config) - _CONFIG))
    if ("responseJsonSchema" in config) != (config.get("responseMimeType") == "application/json"):
        yield "a schema needs the JSON type"
    if not 0 < config.get("maxOutputTokens", 0) <= 65_536:
        yield "maxOutputTokens is out of range"
