"""Ends a container from a thread of its own, so that whoever drains it goes on draining."""

import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from types import TracebackType

import docker
from docker.errors import DockerException
from requests.exceptions import RequestException

from sandbox.executor.model import Limits

TICK = 0.1
DISK_EVERY = 0.5


class Watchdog:
    """Kills at the deadline, past the output cap, past the disk bound, or when told to stop.

    `reason` is then `seconds`, `output`, `disk` or `stopped`; None when the job ended by itself.
    """

    def __init__(
        self, api: docker.APIClient, container: str, limits: Limits, stopped: Callable[[], bool]
    ) -> None:
        self._api, self._container, self._limits = api, container, limits
        self._stopped = stopped
        self._seen = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self.reason: str | None = None

    def __enter__(self) -> "Watchdog":
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self._thread.join()
        self._api.close()

    def count(self, size: int) -> None:
        """Tell of output that was read, in bytes."""
        self._seen += size

    def _watch(self) -> None:
        began = monotonic()
        disk_due = began + 2 * DISK_EVERY
        while not self._ended.wait(TICK):
            reason = self.reason or self._over(monotonic() - began)
            if reason is None and monotonic() >= disk_due:
                reason = "disk" if self._written() > self._limits.disk else None
                disk_due = monotonic() + DISK_EVERY
            if reason:
                self.reason = reason
                self._kill()

    def _over(self, seconds: float) -> str | None:
        if seconds > self._limits.seconds:
            return "seconds"
        if self._seen > self._limits.output:
            return "output"
        return "stopped" if self._stopped() else None

    def _written(self) -> int:
        """Bytes in the container's layer; 0 when a busy engine does not say, until it is asked
        again: a watchdog that dies of it would leave the container without any bound."""
        try:
            found = self._api.containers(all=True, size=True, filters={"id": self._container})
        except (DockerException, RequestException):
            return 0
        return int(found[0].get("SizeRw") or 0) if found else 0

    def _kill(self) -> None:
        """Tried again at the next tick where the engine is busy or the job has not started yet."""
        with suppress(DockerException, RequestException):
            self._api.kill(self._container)
