"""What a proof consists of, in a form that is stored, shown and compared."""

from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from sandbox.executor.model import Isolation
from sandbox.outcome import Verdict
from sandbox.results import Result, TestRun


class Kind(StrEnum):
    """Base, fixed, control with canaries, negative control, and one run in random order."""

    BASE = "B"
    FIXED = "F"
    CONTROL = "C"
    NEGATIVE = "N"
    SHUFFLED = "R"


IN_WORDS = {
    Kind.BASE: "without the change",
    Kind.FIXED: "with the change",
    Kind.CONTROL: "control with canaries",
    Kind.NEGATIVE: "without it again",
    Kind.SHUFFLED: "with the change",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One run of the proof. `agrees` says whether it shows what its kind must show."""

    kind: Kind
    tests: str
    summary: str
    agrees: bool
    seconds: float
    failing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Counts:
    """A suite in numbers."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0

    @classmethod
    def of(cls, run: TestRun) -> "Counts":
        """The numbers of one run."""
        return cls(len(run.passing), len(run.failing), run.count(Result.SKIPPED))


@dataclass(frozen=True, slots=True)
class Proof:
    """A verdict with everything that led to it. FAIL_TO_PASS are the targets.

    `reasons` are words first (`target_green_at_base: …`) and empty unless not proved; `warnings`
    are what a person must see. `test_runs` counts the containers that were started for it.
    """

    verdict: Verdict
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]
    rows: tuple[Row, ...]
    diff: str
    targets: tuple[str, ...]
    known_red: tuple[str, ...]
    isolation: Isolation
    image: str
    image_id: str
    command: tuple[str, ...]
    base: Counts = field(default_factory=Counts)
    fixed: Counts = field(default_factory=Counts)
    unstable: tuple[str, ...] = ()
    test_runs: int = 0
    base_unusable: str = ""

    def held(self, kind: Kind, tests: str = "targets") -> tuple[int, int]:
        """How many runs of this kind showed what they must, of how many."""
        rows = [row for row in self.rows if row.kind is kind and row.tests == tests]
        return sum(row.agrees for row in rows), len(rows)

    def to_json(self) -> dict[str, Any]:
        """Plain values, the inverse of `from_json`."""
        return asdict(self)

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "Proof":
        """The proof that `to_json` wrote down."""
        rows = tuple(
            Row(**{**row, "kind": Kind(row["kind"]), "failing": tuple(row["failing"])})
            for row in plain["rows"]
        )
        tuples = ("reasons", "warnings", "targets", "known_red", "command", "unstable")
        built = {
            "verdict": Verdict(plain["verdict"]),
            "rows": rows,
            "isolation": Isolation(**plain["isolation"]),
            "base": Counts(**plain["base"]),
            "fixed": Counts(**plain["fixed"]),
            **{name: tuple(plain[name]) for name in tuples},
        }
        return cls(**{**plain, **built})
