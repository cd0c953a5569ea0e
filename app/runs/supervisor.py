"""Child processes that are started again when they end unasked."""

import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from threading import Event, Thread
from time import monotonic
from types import TracebackType
from typing import Self

import structlog

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
LOOK = 0.1
GRACE = 10.0
STEADY = 60.0  # after so many seconds of life the next pause is the first again


@dataclass(slots=True)
class Child:
    """One process in a group of its own, so that Ctrl-C reaches the parent alone."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    _process: "subprocess.Popen[bytes] | None" = None
    _began: float = 0.0
    _pause: float = FIRST_PAUSE
    _due: float | None = field(default=None)

    @property
    def pid(self) -> int | None:
        """The process id while one was started."""
        return self._process.pid if self._process else None

    def start(self) -> None:
        """Start it."""
        self._began, self._due = monotonic(), None
        self._process = subprocess.Popen(
            list(self.command), env=dict(self.environment), process_group=0
        )
        structlog.get_logger().info("started", process=self.name, pid=self._process.pid)

    def keep_alive(self) -> None:
        """Start it again when it has ended and its pause is over."""
        if self._process is None or self._process.poll() is None:
            return
        if self._due is None:
            self._plan_restart(self._process.returncode)
        elif monotonic() >= self._due:
            self.start()

    def _plan_restart(self, status: int) -> None:
        if monotonic() - self._began > STEADY:
            self._pause = FIRST_PAUSE
        self._due = monotonic() + self._pause
        structlog.get_logger().error(
            "ended unasked", process=self.name, status=status, starts_again_in=self._pause
        )
        self._pause = min(self._pause * 2, LONGEST_PAUSE)

    def ask_to_end(self) -> None:
        """Send SIGTERM."""
        if self._process and self._process.poll() is None:
            self._process.terminate()

    def end_within(self, seconds: float) -> bool:
        """Wait for the end, then force it. Returns whether force was not needed."""
        if self._process is None:
            return True
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            return False
        return True


class Supervisor:
    """Keeps children alive from a thread of its own while the context lasts, then ends them."""

    def __init__(self, children: Sequence[Child], grace: float = GRACE) -> None:
        """`grace` is how many seconds each child has to end by itself."""
        self.children = children
        self.orderly = True
        self._grace = grace
        self._over = Event()
        self._thread = Thread(target=self._watch, name="supervisor", daemon=True)

    def __enter__(self) -> Self:
        for child in self.children:
            child.start()
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._over.wait(LOOK):
            for child in self.children:
                child.keep_alive()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._thread.join()
        for child in self.children:
            child.ask_to_end()
        self.orderly = all([child.end_within(self._grace) for child in self.children])
