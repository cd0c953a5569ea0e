"""What one test run says: a status that was measured, and the result of each test."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any


class Status(StrEnum):
    """`unusable` is the absence of a result, never a bad result."""

    PASS = "pass"
    FAIL = "fail"
    UNUSABLE = "unusable"


class Cause(StrEnum):
    """Why a run is unusable."""

    TIMEOUT = "timeout"
    OUT_OF_MEMORY = "out_of_memory"
    OUTPUT_LIMIT = "output_limit"
    DISK_LIMIT = "disk_limit"
    KILLED = "killed"
    NO_REPORT = "no_report"
    BAD_REPORT = "bad_report"
    INCOMPLETE = "incomplete"
    COLLECTION = "collection"
    NO_TESTS = "no_tests"
    DISAGREEMENT = "disagreement"
    ENGINE = "engine"


class Result(StrEnum):
    """The result of one test."""

    PASSED = "passed"
    FAILED = "failed"
    ERROR = "error"
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    XPASSED = "xpassed"


RED = frozenset({Result.FAILED, Result.ERROR})


@dataclass(frozen=True, slots=True)
class CaseResult:
    """One test: `id` is the runner's own, opaque; `message` holds the end of its traceback.

    `file` is the test file's path in the repository, empty where the runner does not say.
    """

    id: str
    result: Result
    seconds: float = 0.0
    message: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class TestRun:
    """One run of a suite or of some of its tests.

    `container` is the engine's own account of the container (runtime, network, limits), read back
    with inspect, never the wish. `seconds` is wall time by the bot's clock.
    """

    __test__ = False

    status: Status
    cause: Cause | None = None
    detail: str = ""
    exit_status: int | None = None
    cases: tuple[CaseResult, ...] = ()
    output_tail: str = ""
    seconds: float = 0.0
    container: Mapping[str, Any] = field(default_factory=dict)

    @property
    def usable(self) -> bool:
        """Whether this run is a result at all."""
        return self.status is not Status.UNUSABLE

    @property
    def failing(self) -> frozenset[str]:
        """Ids of the tests that failed or ended in an error."""
        return frozenset(case.id for case in self.cases if case.result in RED)

    @property
    def passing(self) -> frozenset[str]:
        """Ids of the tests that passed; skipped and xfailed ones did not."""
        return frozenset(case.id for case in self.cases if case.result is Result.PASSED)

    @property
    def signature(self) -> str:
        """An identity of the failure that survives noise: sorted ids, `green` when none."""
        if not self.usable:
            return f"unusable:{self.cause}"
        return "|".join(sorted(self.failing)) or "green"

    @property
    def ids(self) -> frozenset[str]:
        """Ids of all tests that were reported."""
        return frozenset(case.id for case in self.cases)

    def count(self, result: Result) -> int:
        """How many tests ended with `result`."""
        return sum(case.result is result for case in self.cases)

    def summary(self) -> str:
        """The counts in words, for people and logs."""
        if not self.usable:
            return f"unusable: {self.cause}" + (f" ({self.detail})" if self.detail else "")
        red = len(self.failing)
        skipped = self.count(Result.SKIPPED)
        words = [f"{len(self.passing)} passed", f"{red} failed"]
        return ", ".join(words + ([f"{skipped} skipped"] if skipped else []))

    def to_json(self) -> dict[str, Any]:
        """Plain values, the inverse of `from_json`."""
        return asdict(self)

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "TestRun":
        """The run that `to_json` wrote down."""
        cases = tuple(
            CaseResult(**{**case, "result": Result(case["result"])}) for case in plain["cases"]
        )
        cause = Cause(plain["cause"]) if plain["cause"] else None
        return cls(**{**plain, "status": Status(plain["status"]), "cause": cause, "cases": cases})
