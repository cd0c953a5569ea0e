"""What a fix starts from: orders, environment, baseline and targets, each written down whole."""

from dataclasses import asdict, dataclass, field
from typing import Any

from sandbox.executor.model import Isolation
from sandbox.ledger import Ledger
from sandbox.outcome import Outcome, Phase
from sandbox.patch import HunkReport
from sandbox.proposer import Refusal, Task, Tried
from sandbox.results import TestRun


@dataclass(frozen=True, slots=True)
class Orders:
    """What is asked and what it may cost; times are wall seconds."""

    task: Task
    targets: tuple[str, ...] = ()
    attempts: int = 6
    patience: int = 2
    seconds: float = 1800.0
    candidate_runs: int = 400
    proof_seconds: float = 1800.0


@dataclass(frozen=True, slots=True)
class Environment:
    """Toolchain, image by tag and id, and the isolation as it was probed."""

    toolchain: str
    runner: str
    image: str
    image_id: str
    isolation: Isolation

    def to_json(self) -> dict[str, Any]:
        """Plain values, the inverse of `from_json`."""
        return asdict(self)

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "Environment":
        """The environment that `to_json` wrote down."""
        return cls(**{**plain, "isolation": Isolation(**plain["isolation"])})


@dataclass(frozen=True, slots=True)
class Ground:
    """The state before the first edit: `targets` are fixed here, `known_red` may stay red."""

    environment: Environment
    baseline: TestRun
    targets: tuple[str, ...]
    known_red: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """Plain values, the inverse of `from_json`."""
        return asdict(self)

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "Ground":
        """The ground that `to_json` wrote down."""
        return cls(
            Environment.from_json(plain["environment"]),
            TestRun.from_json(plain["baseline"]),
            tuple(plain["targets"]),
            tuple(plain["known_red"]),
        )


@dataclass(frozen=True, slots=True)
class Worked:
    """How the loop ended. `outcome` is None when the targets are green and a proof is due."""

    outcome: Outcome | None
    reason: str
    sentence: str
    diff: str
    ledger: Ledger
    final: TestRun
    tried: tuple[Tried, ...] = field(default_factory=tuple)

    def to_json(self) -> dict[str, Any]:
        """Plain values; of `tried` only what a reader needs, see `tried_to_json`."""
        return {
            "outcome": self.outcome,
            "reason": self.reason,
            "sentence": self.sentence,
            "diff": self.diff,
            "ledger": self.ledger.to_json(),
            "final": self.final.to_json(),
            "tried": [tried_to_json(tried) for tried in self.tried],
        }

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "Worked":
        """The result that `to_json` wrote down."""
        return cls(
            outcome=Outcome(plain["outcome"]) if plain["outcome"] else None,
            reason=plain["reason"],
            sentence=plain["sentence"],
            diff=plain["diff"],
            ledger=Ledger.from_json(plain["ledger"]),
            final=TestRun.from_json(plain["final"]),
            tried=tuple(tried_from_json(tried) for tried in plain["tried"]),
        )


def tried_to_json(tried: Tried) -> dict[str, Any]:
    """Plain values, the inverse of `tried_from_json`."""
    return {
        "diff": tried.diff,
        "fate": tried.fate,
        "run": tried.run.to_json() if tried.run else None,
        "refusal": asdict(tried.refusal) if tried.refusal else None,
        "hunks": [asdict(hunk) for hunk in tried.hunks],
    }


def tried_from_json(plain: dict[str, Any]) -> Tried:
    """The attempt that `tried_to_json` wrote down."""
    refusal = plain["refusal"]
    return Tried(
        diff=plain["diff"],
        fate=plain["fate"],
        run=TestRun.from_json(plain["run"]) if plain["run"] else None,
        refusal=Refusal(**{**refusal, "paths": tuple(refusal["paths"])}) if refusal else None,
        hunks=tuple(
            HunkReport(**{**hunk, "repairs": tuple(hunk["repairs"])})
            for hunk in plain.get("hunks", ())
        ),
    )


class Unrunnable(Exception):
    """The suite gives no signal. The message is a sentence for people, `tail` the last output."""

    def __init__(self, phase: Phase, cause: str, sentence: str, tail: str = "") -> None:
        super().__init__(sentence)
        self.phase, self.cause, self.tail = phase, cause, tail


class NoTarget(Exception):
    """Nothing fails that a fix could turn green; `reason` is a word, the message a sentence."""

    def __init__(self, reason: str, sentence: str) -> None:
        super().__init__(sentence)
        self.reason = reason
