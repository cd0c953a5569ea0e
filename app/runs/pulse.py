"""Keeps the status comment of a run under way up to date without wearing GitHub out."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

import structlog

from app.github.errors import GitHubRefused, GitHubUnavailable
from app.report.status import StageLine, working
from app.runs.marker import marker
from app.runs.rows import EventRow
from app.runs.run import Run

SECONDS_BETWEEN_EDITS = 5.0  # GitHub takes 80 content-creating requests a minute in all
LOOK = 0.5


def status_body(run: Run) -> str:
    """The status comment as it would be now."""
    said = run.services.store.events(run.run_id)
    return working(run.story(), [StageLine(_label(event), event.text) for event in said])


def _label(event: EventRow) -> str:
    attempt = event.data.get("attempt")
    return event.stage if attempt is None else f"{event.stage} {attempt}"


@contextmanager
def pulse(run: Run, every: float = SECONDS_BETWEEN_EDITS) -> Iterator[None]:
    """Edit the comment while the block runs: when it changed, at most once in `every` seconds.

    The edits have ended when the block has, so none can come after the last words on the run.
    """
    over = Event()
    beating = Thread(target=_beat, args=(run, every, over), name=f"pulse-{run.run_id}", daemon=True)
    beating.start()
    try:
        yield
    finally:
        over.set()
        beating.join()


def _beat(run: Run, every: float, over: Event) -> None:
    shown, last = "", monotonic()
    while not over.wait(min(LOOK, every)):
        if monotonic() - last < every:
            continue
        body = status_body(run)
        if body != shown and _show(run, body):
            shown = body
        last = monotonic()


def _show(run: Run, body: str) -> bool:
    try:
        run.github.upsert_comment(*run.where, marker(run.where), body)
    except (GitHubUnavailable, GitHubRefused) as error:
        # A status that is late harms nobody; the run goes on and its last words are retried.
        structlog.get_logger().warning("status not shown", run_id=run.run_id, error=str(error))
        return False
    return True
