"""`patchwright serve`: the web process and the worker, each with its own secrets only."""

import signal
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from os import environ
from threading import Event
from types import FrameType

import structlog

from app.runs.logs import log_to_stderr
from app.runs.orphan import FLAG
from app.runs.supervisor import Child, Supervisor
from app.settings import PREFIX, CommonSettings, WebSettings, WorkerSettings, load

WEB = (sys.executable, "-m", "app.web", FLAG)
WORKER = (sys.executable, "-m", "app.runs.worker", FLAG)
# What a process that faces the network gets of the rest: nothing that could be a credential.
HARMLESS = frozenset(
    {"PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR", "VIRTUAL_ENV", "XDG_STATE_HOME"}
)
HARMLESS_PREFIXES = ("PYTHON", "COVERAGE_")


def web_environment(whole: Mapping[str, str]) -> dict[str, str]:
    """What the web process may see: its settings and a few harmless names."""
    settings = _own_settings(whole, WebSettings)
    rest = {
        name: value
        for name, value in whole.items()
        if name in HARMLESS or name.startswith(HARMLESS_PREFIXES)
    }
    return {**rest, **settings}


def worker_environment(whole: Mapping[str, str]) -> dict[str, str]:
    """What the worker may see: everything but the settings that are not its own."""
    rest = {name: value for name, value in whole.items() if not _is_setting(name)}
    return {**rest, **_own_settings(whole, WorkerSettings)}


def _own_settings(whole: Mapping[str, str], kind: type[CommonSettings]) -> dict[str, str]:
    fields = {f"{PREFIX}{name}".upper() for name in kind.model_fields}
    return {name: value for name, value in whole.items() if name.upper() in fields}


def _is_setting(name: str) -> bool:
    return name.upper().startswith(PREFIX)


def household(environment: Mapping[str, str]) -> list[Child]:
    """The two processes, not yet started, each with its part of `environment`."""
    return [
        Child("web", WEB, web_environment(environment)),
        Child("worker", WORKER, worker_environment(environment)),
    ]


def serve() -> int:
    """Run both until SIGTERM or SIGINT, then end both. Returns the exit status.

    0 after an orderly stop, 70 when a process of the two could not be ended but by force.
    A process that ends by itself is started again, later and later while it keeps ending.
    Raises `UserError` for settings that do not do, before anything is started.
    """
    log_to_stderr()
    load(WebSettings)
    load(WorkerSettings)
    with _told_to_stop() as told, Supervisor(household(environ)) as supervisor:
        told.wait()
    structlog.get_logger().info("stopped", orderly=supervisor.orderly)
    return 0 if supervisor.orderly else 70


@contextmanager
def _told_to_stop() -> Iterator[Event]:
    told = Event()

    def tell(_: int, __: FrameType | None) -> None:
        told.set()

    before = {number: signal.signal(number, tell) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield told
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
