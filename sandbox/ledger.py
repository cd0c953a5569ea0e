"""What a run did and what it cost; printed for every run however it ended."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from time import monotonic
from typing import Any

from sandbox.proposer import Usage


@dataclass(slots=True)
class Ledger:
    """Counts of one run. `applied` counts what was ever applied, `kept` what survived."""

    attempts: int = 0
    applied: int = 0
    kept: int = 0
    reverted: int = 0
    refused: int = 0
    candidate_runs: int = 0
    test_runs: int = 0
    usage: Usage = field(default_factory=Usage)
    seconds: dict[str, float] = field(default_factory=dict)

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
        return (
            f"edits: {self.applied} applied ({self.kept} kept, {self.reverted} reverted), "
            f"{self.refused} refused"
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
