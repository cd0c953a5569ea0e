"""Faults on purpose: the next N matching requests are answered otherwise, or late."""

import re
import threading
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator


class Fault(BaseModel):
    """What to do to the next `times` requests whose method and path match.

    `when` decides whether the request is carried out first (`after`: only its answer is lost).
    Without a `status` the request is only delayed by `delay` seconds.
    """

    model_config = ConfigDict(extra="forbid")

    method: str = ".*"
    path: str = ".*"
    times: int = Field(default=1, ge=1)
    when: Literal["before", "after"] = "before"
    delay: float = Field(default=0.0, ge=0, le=60)
    status: int | None = Field(default=None, ge=200, le=599)
    headers: dict[str, str] = Field(default_factory=dict)
    body: Any = None

    @field_validator("method", "path")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            message = f"not a regular expression: {error}"
            raise ValueError(message) from error
        return value

    def matches(self, method: str, path: str) -> bool:
        """Whether a request is meant; the method in full, the path anywhere."""
        return bool(re.fullmatch(self.method, method, re.IGNORECASE) and re.search(self.path, path))


class Faults:
    """The faults still to come, in the order in which they were asked for."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[Fault] = []

    def add(self, fault: Fault) -> None:
        """Arm a fault."""
        with self._lock:
            self._waiting.append(fault.model_copy())

    def clear(self) -> None:
        """Disarm everything."""
        with self._lock:
            self._waiting.clear()

    def waiting(self) -> list[Fault]:
        """Copies of the faults still armed."""
        with self._lock:
            return [one.model_copy() for one in self._waiting]

    def take(self, method: str, path: str) -> Fault | None:
        """The first fault that matches, counted down; None when there is none."""
        with self._lock:
            for fault in self._waiting:
                if fault.matches(method, path):
                    fault.times -= 1
                    self._waiting = [one for one in self._waiting if one.times > 0]
                    return fault
        return None
