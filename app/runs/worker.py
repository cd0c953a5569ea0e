"""The worker process: takes runs from the inbox and sees each to its end."""

import os
import signal
from threading import Event
from types import FrameType

import structlog
from dbos import DBOS

from app.errors import UserError
from app.github.client import GitHubUnavailable
from app.runs.dispatcher import Dispatcher
from app.runs.durable import configure, sole_worker
from app.runs.logs import log_to_stderr
from app.runs.orphan import end_with_parent
from app.runs.workflow import register
from app.services import WorkerServices, worker_services
from app.settings import WorkerSettings, load
from sandbox.executor.model import SandboxError

LOCK_WAIT = 10.0


def run_worker(settings: WorkerSettings) -> None:
    """Work until SIGTERM or SIGINT; does not return then, but ends the process with status 0.

    Raises `UserError` when another worker holds the data directory or GitHub refuses the key.
    """
    with sole_worker(settings.data_dir, LOCK_WAIT):
        services = worker_services(settings)
        _warm_up(services)
        swept = services.executor.sweep()
        configure(settings.data_dir)
        workflow = register(services)
        DBOS.launch()
        Dispatcher(services, workflow).start()
        structlog.get_logger().info("worker ready", containers_swept=swept)
        _until_signalled()
        structlog.get_logger().info("worker stopped")
        # At once: a step under way stays unrecorded and the next worker does it again, and its
        # container ends with this process. Waiting could take as long as a test run.
        os._exit(0)


def _warm_up(services: WorkerServices) -> None:
    """A key that GitHub does not take is found at start; GitHub being away is no hindrance."""
    try:
        services.github.warm_up()
    except GitHubUnavailable as error:
        structlog.get_logger().warning("GitHub is away", error=str(error))


def _until_signalled() -> None:
    told = Event()

    def tell(_: int, __: FrameType | None) -> None:
        told.set()

    signal.signal(signal.SIGTERM, tell)
    signal.signal(signal.SIGINT, tell)
    told.wait()


def main() -> None:
    """The worker as a process: settings from the environment, one sentence when it cannot start."""
    log_to_stderr()
    end_with_parent()
    try:
        run_worker(load(WorkerSettings))
    except (UserError, SandboxError) as error:
        raise SystemExit(str(error)) from error


if __name__ == "__main__":
    main()
