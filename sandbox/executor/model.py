"""The sandbox boundary: what a run asks of an executor and what it gets back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from sandbox.images import ImageRef, Progress

MIB = 1 << 20


class SandboxError(Exception):
    """The engine could not do its part; the message says what to mend."""


def never() -> bool:
    """The stop signal of what nobody stops."""
    return False


class NotIsolated(SandboxError):
    """The isolation that was asked for is not there; nothing weaker is taken instead."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one container: bytes, seconds, counts. `cpus` is a number of cores."""

    runtime: str = "runc"
    memory: int = 1024 * MIB
    pids: int = 256
    cpus: float = 1.0
    file_size: int = 256 * MIB
    open_files: int = 1024
    tmp: int = 256 * MIB
    disk: int = 1024 * MIB
    output: int = 16 * MIB
    report: int = 32 * MIB
    seconds: float = 300.0


@dataclass(frozen=True, slots=True)
class Job:
    """One command in one fresh container.

    `tree` is a host directory laid at /repo for the runner's user, without `.git`; `tools` are
    laid root-owned and read-only under /opt/patchwright; `collect` names files (absolute, inside)
    that are read after the container has stopped.
    """

    image: str
    argv: tuple[str, ...]
    tree: Path
    tools: Mapping[str, bytes] = field(default_factory=dict)
    overlay: Mapping[str, bytes] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)
    collect: tuple[str, ...] = ()
    run_id: str = ""


@dataclass(frozen=True, slots=True)
class Finished:
    """What became of a job; `files` holds only regular files within the cap."""

    exit_status: int
    output: bytes
    files: Mapping[str, bytes]
    container: Mapping[str, Any]
    seconds: float
    timed_out: bool = False
    output_capped: bool = False
    disk_capped: bool = False
    out_of_memory: bool = False
    stopped: bool = False


@dataclass(frozen=True, slots=True)
class Isolation:
    """What was asked of the engine, what it says, and what the inside of a probe says."""

    executor: str
    runtime: str
    proved: bool
    detail: str
    facts: Mapping[str, Any] = field(default_factory=dict)


class Executor(Protocol):
    """Where jobs run. Every method raises `SandboxError` when the engine does not do its part."""

    def run(self, job: Job, limits: Limits, *, stopped: Callable[[], bool] = ...) -> Finished: ...

    def probe(self, image: str, limits: Limits) -> Isolation: ...

    def image(self, toolchain: str, progress: Progress) -> ImageRef: ...

    def sweep(self) -> int: ...
