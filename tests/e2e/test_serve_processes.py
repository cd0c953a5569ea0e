"""The served processes as the machine sees them: secrets, restarts, stop, a dead engine."""

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import httpx

if TYPE_CHECKING:
    from tests.e2e.conftest import House


def environment(pid: int) -> str:
    return Path(f"/proc/{pid}/environ").read_text()


def test_no_process_holds_the_secret_of_the_other(house: "House") -> None:
    parent = house.serve()
    served = house.children()
    key, secret = house.app.private_key_pem, house.app.webhook_secret
    assert key not in environment(served["app.web"])
    assert secret in environment(served["app.web"])
    assert secret not in environment(served["app.runs.worker"])
    assert key in environment(served["app.runs.worker"])
    # The control: what is looked for is found where nothing was taken away.
    assert key in environment(parent.pid)
    assert secret in environment(parent.pid)


def test_a_killed_process_comes_back(house: "House") -> None:
    house.serve()
    before = house.children()
    os.kill(before["app.web"], signal.SIGKILL)
    os.kill(before["app.runs.worker"], signal.SIGKILL)
    house.until(lambda: len(house.children()) == 2 and house.children() != before, "both are back")
    house.until(house.listening, "the web process listens again")
    assert httpx.get(f"http://127.0.0.1:{house.port}/healthz").is_success
    assert set(house.children().values()).isdisjoint(before.values())


def test_a_stop_ends_everything_with_status_0(house: "House") -> None:
    parent = house.serve()
    house.until(lambda: "worker ready" in house.said(), "the worker is ready")
    served = house.children()
    parent.send_signal(signal.SIGTERM)
    assert parent.wait(20) == 0
    assert not any(Path(f"/proc/{pid}").exists() for pid in served.values())


def test_without_an_engine_the_door_stays_open_and_the_log_says_why(house: "House") -> None:
    house.serve(DOCKER_HOST=f"unix://{house.root}/none.sock")
    house.until(lambda: "No Docker engine answers" in house.said(), "the log names the engine")
    assert house.listening()
