"""Turns accepted runs into workflows, and mends those that ended without their last words."""

from collections.abc import Callable
from threading import Thread
from time import sleep

import structlog
from dbos import DBOS, SetWorkflowID, WorkflowStatus

from app.report.story import Ending
from app.runs.durable import VERSION
from app.runs.rows import RunRow
from app.runs.run import Run
from app.runs.steps.conclude import settle, tell
from app.runs.workflow import Step, attempt
from app.services import WorkerServices

POLL = 0.2
MEND_EVERY = 30.0
AT_ONCE = 2
OVER = frozenset({"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})

Start = Callable[[str], None]


class Dispatcher:
    """Looks at the inbox in its own thread; a run's id is its workflow's id, so twice is once."""

    def __init__(self, services: WorkerServices, workflow: Start) -> None:
        self._services = services
        self._workflow = workflow
        self._threads = [
            Thread(target=self._repeat, args=(self.dispatch, POLL), name="dispatch", daemon=True),
            Thread(target=self._repeat, args=(self.mend, MEND_EVERY), name="mend", daemon=True),
        ]

    def start(self) -> None:
        """Begin to look."""
        for thread in self._threads:
            thread.start()

    def _repeat(self, act: Callable[[], None], every: float) -> None:
        while True:
            try:
                act()
            except Exception:  # noqa: BLE001 - the consumer root: the next round may succeed
                structlog.get_logger().exception("round failed", round=act.__name__)
            sleep(every)

    def dispatch(self) -> None:
        """Start what may start now: so many at once, one for each repository."""
        for row in self._services.store.undispatched():
            working = self._services.working()
            if len(working) >= AT_ONCE:
                return
            if not any(row.repository == self._repository(other) for other in working):
                self._begin(row)

    def _repository(self, run_id: str) -> str:
        return self._services.store.run(run_id).repository

    def _begin(self, row: RunRow) -> None:
        self._services.begin(row.run_id)
        try:
            with SetWorkflowID(row.run_id):
                DBOS.start_workflow(self._workflow, row.run_id)
        except BaseException:
            self._services.end(row.run_id)
            raise
        self._services.store.mark_dispatched(row.run_id)

    def mend(self) -> None:
        """Give runs that are still live in the store although their workflow is over an ending.

        That happens when a run killed its worker again and again, so that dbos gave it up, and
        when an update changed the steps while the run was under way.
        """
        waiting = {row.run_id for row in self._services.store.undispatched()}
        for row in self._services.store.runs(limit=1000):
            if row.state.final or row.run_id in waiting:
                continue
            status = DBOS.get_workflow_status(row.run_id)
            if status is None:
                self._begin(row)
            elif _abandoned(status) and not self._services.store.run(row.run_id).state.final:
                self._give_ending(row.run_id)

    def _give_ending(self, run_id: str) -> None:
        run = Run(run_id, self._services)
        ending = Ending("failed", "own_error", "This run broke off and cannot be taken up again.")
        attempt(Step("tell", lambda run: tell(run, ending)), run, last_try=True)
        attempt(Step("settle", lambda run: settle(run, ending)), run, last_try=True)


def _abandoned(status: WorkflowStatus) -> bool:
    """Whether dbos will never go on with it: it is over, or it belongs to an older version."""
    return status.status in OVER or status.app_version != VERSION
