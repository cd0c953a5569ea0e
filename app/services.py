"""The one place that builds the worker's clients and hands them over."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from threading import Lock

from app.agent.choose import Options, make_proposer
from app.github.client import AppClient
from app.runs.store import Store
from app.settings import WorkerSettings
from sandbox.executor.docker import DockerExecutor
from sandbox.executor.model import Executor, Limits
from sandbox.proposer import Proposer


@dataclass(frozen=True)
class WorkerServices:
    """What the steps of a run reach outside with."""

    settings: WorkerSettings
    store: Store
    github: AppClient
    executor: Executor
    limits: Limits
    _working: set[str] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)

    def proposer(self) -> Proposer:
        """A new proposer for one run. Raises `UserError`, `KeyRejected`."""
        settings = self.settings
        options = Options.of(settings, allow_command=settings.allow_command_proposer)
        return make_proposer(settings.proposer, options)

    def clone_url(self, owner: str, repo: str) -> str:
        """Where git finds a repository; it holds no credential."""
        return f"{self.settings.github_url}/{owner}/{repo}.git"

    def working(self) -> frozenset[str]:
        """The runs that this process has in its hands."""
        with self._lock:
            return frozenset(self._working)

    def begin(self, run_id: str) -> None:
        """Count a run as being in hand from now on."""
        with self._lock:
            self._working.add(run_id)

    def end(self, run_id: str) -> None:
        """Count it no more."""
        with self._lock:
            self._working.discard(run_id)

    @contextmanager
    def at_work(self, run_id: str) -> Iterator[None]:
        """Count a run as being in hand while the block lasts."""
        self.begin(run_id)
        try:
            yield
        finally:
            self.end(run_id)


def worker_services(settings: WorkerSettings) -> WorkerServices:
    """Build everything once. Raises `UserError`, `SandboxError`."""
    return WorkerServices(
        settings=settings,
        store=Store(settings.inbox),
        github=AppClient(
            app_id=settings.app_id,
            private_key=settings.signing_key(),
            api_url=settings.github_api_url,
        ),
        executor=DockerExecutor(),
        limits=limits_of(settings),
    )


def limits_of(settings: WorkerSettings) -> Limits:
    """The bounds of one container; one test run may not outlast the run that it is part of."""
    usual = Limits(runtime=settings.runtime)
    return replace(usual, seconds=min(usual.seconds, settings.run_seconds))
