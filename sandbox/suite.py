"""A repository's suite in its environment: each run is a fresh container and a TestRun."""

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.executor.model import Executor, Job, Limits, never
from sandbox.results import TestRun
from sandbox.results.read import REPORT_FILES, read
from sandbox.toolchain import Toolchain


class Cancelled(Exception):
    """A person stopped the run."""


@dataclass(slots=True)
class Suite:
    """Runs are counted in `runs`; `limits.seconds` bounds each of them."""

    executor: Executor
    image: str
    toolchain: Toolchain
    limits: Limits
    run_id: str = ""
    stopped: Callable[[], bool] = never
    runs: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def run(
        self,
        tree: Path,
        *,
        tests: Sequence[str] = (),
        seed: int | None = None,
        overlay: Mapping[str, bytes] | None = None,
    ) -> TestRun:
        """One run of the whole suite or of `tests`; `overlay` adds files to the tree inside.

        Raises `SandboxError` when the engine fails, which says nothing about the suite, and
        `Cancelled` when the stop signal is up.
        """
        if self.stopped():
            raise Cancelled
        with self._lock:
            self.runs += 1
        runner = self.toolchain.runner
        job = Job(
            image=self.image,
            argv=runner.argv(some=bool(tests), seed=seed),
            tree=tree,
            tools=runner.tools(tests),
            overlay=overlay or {},
            collect=REPORT_FILES,
            run_id=self.run_id,
        )
        run = read(self.executor.run(job, self.limits, stopped=self.stopped))
        if self.stopped():
            raise Cancelled
        return run
