"""An app with its own inbox, and deliveries as GitHub sends them."""

import json
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread
from typing import Any
from uuid import uuid4

import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.testclient import TestClient

from app.runs.store import Store
from app.settings import WebSettings, load
from app.web.main import create_app
from app.web.signature import signature

SECRET = "It's a Secret to Everybody"

Deliver = Callable[..., Any]


@pytest.fixture
def settings(tmp_path: Path) -> WebSettings:
    return load(WebSettings, webhook_secret=SECRET, data_dir=tmp_path / "state")


@pytest.fixture
def app(settings: WebSettings) -> FastAPI:
    return create_app(settings)


@pytest.fixture
def store(app: FastAPI) -> Store:
    store: Store = app.state.store
    return store


@pytest.fixture
def client(app: FastAPI) -> Iterator[TestClient]:
    with TestClient(app) as client:
        yield client


@pytest.fixture
def url(app: FastAPI) -> Iterator[str]:
    """The app behind a real server on a free port."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
    thread = Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    server.should_exit = True
    thread.join(10)
    listener.close()


@pytest.fixture
def deliver(client: TestClient) -> Deliver:
    """Send a delivery as GitHub does; `changes` replace headers, or remove them as None."""

    def send(payload: object, event: str = "issues", **changes: object) -> Any:  # noqa: ANN401 - the test client's answer
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        secret = str(changes.pop("secret", SECRET))
        sent: dict[str, object] = {
            "X-GitHub-Event": event,
            "X-GitHub-Delivery": str(uuid4()),
            "X-Hub-Signature-256": signature(secret, body),
            "Content-Type": "application/json",
            "User-Agent": "GitHub-Hookshot/test",
        }
        sent |= {name.replace("_", "-"): value for name, value in changes.items()}
        kept = [
            (name.encode(), value if isinstance(value, bytes) else str(value).encode())
            for name, value in sent.items()
            if value is not None
        ]
        return client.post("/webhook", content=body, headers=kept)

    return send


@pytest.fixture
def labeled() -> dict[str, Any]:
    return {
        "action": "labeled",
        "issue": {"number": 97, "title": "Last day lost"},
        "label": {"name": "patchwright"},
        "repository": {"name": "rrule", "owner": {"login": "ada"}},
        "sender": {"login": "grace", "type": "User"},
        "installation": {"id": 5},
    }
