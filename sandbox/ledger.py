"""What a run did and what it cost; printed for every run however it ended."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from time import monotonic
from typing import Any

from sandbox.patch import HunkReport
from sandbox.proposer import Usage


@dataclass(slots=True)
class Ledger:
    """Counts of one run. `applied` counts what was ever applied, `kept` what survived.

    `retries` are answers asked for again at once because they could not be applied. `rungs`,
    `repairs` and `refusals` count how the diff engine placed each hunk, what it put right and why
    it refused.
    """

    attempts: int = 0
    applied: int = 0
    kept: int = 0
    reverted: int = 0
    refused: int = 0
    candidate_runs: int = 0
    test_runs: int = 0
    usage: Usage = field(default_factory=Usage)
    seconds: dict[str, float] = field(default_factory=dict)
    retries: int = 0
    rungs: dict[str, int] = field(default_factory=dict)
    repairs: dict[str, int] = field(default_factory=dict)
    refusals: dict[str, int] = field(default_factory=dict)

    def placed(self, hunks: Iterable[HunkReport]) -> None:
        """Count how the hunks of an applied answer found their places."""
        for hunk in hunks:
            _add(self.rungs, hunk.rung)
            for repair in hunk.repairs:
                _add(self.repairs, repair)

    def refuse(self, reason: str) -> None:
        """Count a refused answer under its reason."""
        self.refused += 1
        _add(self.refusals, reason)

    @contextmanager
    def timing(self, stage: str) -> Iterator[None]:
        """Add the wall time of the block to `stage`, also when it raises."""
        began = monotonic()
        try:
            yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + monotonic() - began

    def edits(self) -> str:
        """The line of the ledger that says what became of the edits."""
        asked = f" ({self.retries} asked for again at once)" if self.retries else ""
        return (
            f"edits: {self.applied} applied ({self.kept} kept, {self.reverted} reverted), "
            f"{self.refused} refused{asked}"
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values; seconds rounded to milliseconds."""
        plain = asdict(self)
        plain["seconds"] = {stage: round(took, 3) for stage, took in self.seconds.items()}
        return plain

    @classmethod
    def from_json(cls, plain: dict[str, Any]) -> "Ledger":
        """The inverse of `to_json`."""
        return cls(**{**plain, "usage": Usage(**plain["usage"])})


def _add(counts: dict[str, int], word: str) -> None:
    counts[word] = counts.get(word, 0) + 1
