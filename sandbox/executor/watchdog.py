"""Ends a container from a thread of its own, so that whoever drains it goes on draining."""

import threading
from collections.abc import Callable
from time import monotonic
from types import TracebackType

import docker
from docker.errors import APIError

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
            now = monotonic()
            reason = self._over(now - began)
            if reason is None and now >= disk_due:
                disk_due = now + DISK_EVERY
                reason = "disk" if self._written() > self._limits.disk else None
            if reason:
                self.reason = self.reason or reason
                self._kill()

    def _over(self, seconds: float) -> str | None:
        if seconds > self._limits.seconds:
            return "seconds"
        if self._seen > self._limits.output:
            return "output"
        return "stopped" if self._stopped() else None

    def _written(self) -> int:
        found = self._api.containers(all=True, size=True, filters={"id": self._container})
        return int(found[0].get("SizeRw") or 0) if found else 0

    def _kill(self) -> None:
        try:
            self._api.kill(self._container)
        except APIError as error:
            if error.status_code not in (404, 409):  # gone, or no longer running
                raise
