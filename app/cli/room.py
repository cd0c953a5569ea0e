"""The room in which a verb works: a copy that stands still, an engine, and a way to stop."""

import signal
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from app.cli.console import note
from app.errors import UserError
from sandbox.events import Watch
from sandbox.executor.docker import DockerExecutor
from sandbox.executor.model import Limits
from sandbox.session import Session
from sandbox.workspace import copy_tree

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@dataclass(frozen=True, slots=True)
class Room:
    """`base` is a copy of the folder as it was at the start; `session` works on it."""

    base: Path
    session: Session


@contextmanager
def room(path: Path, limits: Limits, watch: Watch) -> Iterator[Room]:
    """Open the room for PATH, which may change meanwhile. Raises `UserError`, `SandboxError`."""
    with (
        stoppable() as stopped,
        closing(DockerExecutor()) as executor,
        tempfile.TemporaryDirectory(prefix="patchwright-base-") as home,
    ):
        executor.sweep()
        base = Path(home) / "base"
        try:
            copy_tree(path, base)
        except OSError as error:
            raise UserError(f"{path} cannot be read: {error}") from error
        yield Room(base, Session(base, executor, limits, watch=watch, stopped=stopped))


@contextmanager
def stoppable() -> Iterator[Callable[[], bool]]:
    """A stop signal for runs in other threads, raised here as `KeyboardInterrupt`.

    A second signal comes while containers are being removed and waits for that; a third does not.
    """
    told, count = threading.Event(), 0

    def stop(_number: int, _frame: FrameType | None) -> None:
        nonlocal count
        count += 1
        told.set()
        if count == 2:
            note("stopping: the containers are being removed")
        else:
            raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in SIGNALS}
    try:
        yield told.is_set
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
