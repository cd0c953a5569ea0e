"""What a proposer is asked and what it may answer; whoever stands behind it is not known here."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from sandbox.patch import HunkReport
from sandbox.results import TestRun


@dataclass(frozen=True, slots=True)
class Task:
    """The issue as frozen when it was labelled."""

    title: str
    body: str = ""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a diff was not even run: a reason word, a text to act on, the paths concerned."""

    reason: str
    message: str
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tried:
    """One earlier answer: its diff and what became of it (`kept`, `reverted` or `refused`).

    `hunks` says how each hunk of an applied one found its place.
    """

    diff: str
    fate: str
    run: TestRun | None = None
    refusal: Refusal | None = None
    hunks: tuple[HunkReport, ...] = ()


class Probe(Protocol):
    """A trial run of `diff` on the current workspace in a fresh container; changes nothing.

    `tests` narrows the run to these ids. Raises `ProbeRefused` when the diff does not apply or
    touches a protected path, `BudgetSpent` when no candidate run is left.
    """

    def __call__(self, diff: str, tests: Sequence[str] = ()) -> TestRun: ...


class ProbeRefused(Exception):
    """The diff of a probe was refused; `refusal` says why."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


class BudgetSpent(Exception):
    """A cap was reached; `cap` names it."""

    def __init__(self, cap: str) -> None:
        super().__init__(f"the budget of {cap} is spent")
        self.cap = cap


class ProposerFailed(Exception):
    """The proposer itself broke (time-out, exit status, empty safety block): one failed attempt."""


class KeyRejected(Exception):
    """The proposer's credential is missing or was rejected: the run is refused, not failed."""


@dataclass(frozen=True, slots=True)
class Situation:
    """All that a proposer sees. `workspace` is a read-only copy of the current tree."""

    task: Task
    attempt: int
    targets: tuple[str, ...]
    baseline: TestRun
    last: TestRun
    workspace: Path
    probe: Probe
    plan: int = 1
    refusal: Refusal | None = None
    tried: tuple[Tried, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """What one answer cost; `dollars` is None when the price is unknown."""

    model_calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    dollars: float | None = 0.0

    def __add__(self, other: "Usage") -> "Usage":
        known = self.dollars is not None and other.dollars is not None
        return Usage(
            self.model_calls + other.model_calls,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            (self.dollars or 0) + (other.dollars or 0) if known else None,
        )


@dataclass(frozen=True, slots=True)
class Proposal:
    """A diff as text, or None when there is nothing left to try (`note` then says why)."""

    diff: str | None
    note: str = ""
    usage: Usage = field(default_factory=Usage)
    finish_reason: str | None = None


class Proposer(Protocol):
    """A model, a search, a recorded reply or a person with an editor.

    Raises `ProposerFailed`, `KeyRejected` or `BudgetSpent`.
    """

    def __call__(self, situation: Situation, /) -> Proposal: ...
