"""What the App's own database holds of a run: its state, its row, its events."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sandbox.outcome import Outcome


class RunState(StrEnum):
    """Where a run stands. It has an outcome exactly when it is done."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING = "waiting"
    DONE = "done"
    REFUSED = "refused"
    FAILED = "failed"
    CANCELLED = "cancelled"

    @property
    def final(self) -> bool:
        """Whether nothing more happens to a run in this state."""
        return self in FINAL


FINAL = frozenset({RunState.DONE, RunState.REFUSED, RunState.FAILED, RunState.CANCELLED})


@dataclass(frozen=True, slots=True)
class RunRow:
    """One run. `created` and `updated` are seconds since the epoch, `reason` is for machines,
    `sentence` for people."""

    run_id: str
    delivery_id: str
    installation_id: int
    owner: str
    repo: str
    issue: int
    title: str
    sender: str
    sender_type: str
    label: str
    state: RunState
    outcome: Outcome | None
    reason: str
    sentence: str
    base_sha: str
    pull_number: int | None
    comment_id: int | None
    created: float
    updated: float

    @property
    def repository(self) -> str:
        """`owner/repo`, as people write it."""
        return f"{self.owner}/{self.repo}"


@dataclass(frozen=True, slots=True)
class EventRow:
    """One thing a run said. `seq` counts from 1 within its run."""

    seq: int
    at: float
    stage: str
    text: str
    data: Mapping[str, Any]
