"""A run's life as a durable workflow: the order of its steps and what happens when one fails."""

from collections.abc import Callable
from dataclasses import dataclass
from time import sleep
from typing import Any

import structlog
from dbos import DBOS, StepOptions

from app.errors import UserError
from app.github.errors import GitHubUnavailable
from app.report.story import Ending
from app.runs.run import Run
from app.runs.steps.acknowledge import acknowledge
from app.runs.steps.clone import clone
from app.runs.steps.conclude import fixed, settle, tell
from app.runs.steps.permit import permit
from app.runs.steps.preflight import preflight
from app.runs.steps.publish import check, open_pull, push
from app.runs.steps.room import baseline, environment, loop, prove
from app.services import WorkerServices
from sandbox.executor.model import SandboxError

Act = Callable[[Run], Ending | None]

NAME = "run"
RECOVERIES = 5
PATIENT = 8  # attempts with doubling pauses: about four minutes of GitHub being away
STUBBORN = 12  # for the last words: about an hour
BRIEF = 3
LONGEST_WAIT = 3_700.0  # GitHub's primary limit is for an hour


@dataclass(frozen=True, slots=True)
class Step:
    """One durable step: its name in the records, what it does, how often it is tried.

    A run goes on without what a `spare` step could not do.
    """

    name: str
    act: Act
    tries: int = PATIENT
    transient: tuple[type[Exception], ...] = (GitHubUnavailable,)
    spare: bool = False


STEPS = (
    Step("permit", permit),
    Step("acknowledge", acknowledge),
    Step("preflight", preflight),
    Step("clone", clone),
    Step("environment", environment, BRIEF, (SandboxError,)),
    Step("baseline", baseline, BRIEF, (SandboxError,)),
    Step("loop", loop, 1, ()),
    Step("prove", prove, BRIEF, (SandboxError,)),
    Step("push", push),
    Step("open_pull", open_pull),
    Step("check", check, spare=True),
)


def register(services: WorkerServices) -> Callable[[str], None]:
    """Make the workflow known to dbos; called once, before the launch."""

    @DBOS.workflow(name=NAME, max_recovery_attempts=RECOVERIES)
    def run_issue(run_id: str) -> None:
        with services.at_work(run_id):
            run = Run(run_id, services)
            ending = _first_ending(run) or _durable(Step("fixed", fixed), run)
            if ending is not None:
                _durable(Step("tell", lambda run: tell(run, ending), STUBBORN), run)
                _durable(Step("settle", lambda run: settle(run, ending)), run)

    return run_issue


def _first_ending(run: Run) -> Ending | None:
    for step in STEPS:
        ending = _durable(step, run)
        if ending is not None:
            return ending
    return None


def _durable(step: Step, run: Run) -> Ending | None:
    """Do a step unless it is recorded as done; what it says is recorded as plain JSON."""
    options = StepOptions(
        name=step.name,
        retries_allowed=step.tries > 1,
        max_attempts=step.tries,
        should_retry=lambda error: isinstance(error, step.transient),
    )

    def once() -> dict[str, Any] | None:
        ending = attempt(step, run, last_try=_is_last_try())
        return ending.to_json() if ending else None

    said = DBOS.run_step(options, once)
    return Ending.from_json(said) if said else None


def _is_last_try() -> bool:
    status = DBOS.step_status
    if status is None or status.current_attempt is None or status.max_attempts is None:
        return True
    return status.current_attempt + 1 >= status.max_attempts


def attempt(step: Step, run: Run, *, last_try: bool) -> Ending | None:
    """One try of a step. Only a transient error that may be tried again leaves it as an error."""
    log = structlog.get_logger().bind(run_id=run.run_id, step=step.name)
    try:
        return step.act(run)
    except UserError as error:
        log.info("refused", reason=str(error))
        return None if step.spare else Ending("refused", "refused", str(error))
    except Exception as error:  # the consumer root: a run must end with its comment
        if isinstance(error, step.transient) and not last_try:
            log.warning("will be tried again", error=str(error))
            _wait_as_told(error)
            raise
        log.exception("step failed")
        return None if step.spare else _failure(error)


def _wait_as_told(error: Exception) -> None:
    """GitHub says how long its limits last; asking earlier would only prolong them."""
    told = error.retry_after if isinstance(error, GitHubUnavailable) else None
    sleep(min(told or 0.0, LONGEST_WAIT))


def _failure(error: Exception) -> Ending:
    if isinstance(error, GitHubUnavailable):
        return Ending("failed", "github", "GitHub did not answer for too long.")
    if isinstance(error, SandboxError):
        return Ending("failed", "engine", "The container engine did not do its part.")
    return Ending("failed", "own_error", "Something in Patchwright itself broke.")
