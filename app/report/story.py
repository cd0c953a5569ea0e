"""What is known of one run when somebody is to be told of it."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from app.report.words import storable
from sandbox.ground import Ground, Worked
from sandbox.ledger import Ledger
from sandbox.outcome import Outcome, Verdict
from sandbox.proof import Proof


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended: its state, its outcome exactly when it is `done`, and why.

    `reason` is a word for machines, `sentence` says it to people and may hold words of others.
    `tail` is the end of an output.
    """

    state: str
    reason: str
    sentence: str
    outcome: Outcome | None = None
    tail: str = ""
    phase: str = ""

    def to_json(self) -> dict[str, Any]:
        """Plain values that every database takes."""
        plain = asdict(self)
        return {name: storable(value) if value else value for name, value in plain.items()}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> "Ending":
        """The inverse of `to_json`."""
        outcome = plain["outcome"]
        return cls(**{**plain, "outcome": Outcome(outcome) if outcome else None})


@dataclass(frozen=True, slots=True)
class Earlier:
    """How the last run before on the same issue ended."""

    outcome: str
    pull_number: int | None = None


@dataclass(frozen=True, slots=True)
class Story:
    """The run as far as it came; what is None has not happened."""

    run_id: str
    owner: str
    repo: str
    issue: int
    title: str
    asked_by: str
    label: str
    live_url: str | None = None
    base_sha: str = ""
    branch: str = ""
    pull_number: int | None = None
    ground: Ground | None = None
    worked: Worked | None = None
    proof: Proof | None = None
    seconds: float = 0.0
    earlier: Earlier | None = None

    @property
    def ledger(self) -> Ledger:
        """What the loop did; all zeros before it."""
        return self.worked.ledger if self.worked else Ledger()

    @property
    def diff(self) -> str:
        """The proved diff if there is one, else the best state of the loop."""
        if self.proof and self.proof.verdict is not Verdict.NOT_PROVED:
            return self.proof.diff
        return self.worked.diff if self.worked else ""


@dataclass(frozen=True, slots=True)
class FileChange:
    """One file of a diff and how many lines it gains and loses."""

    path: str
    added: int
    removed: int


def changes(diff: str) -> list[FileChange]:
    """The files of a well-formed diff; none when it cannot be read."""
    try:
        patch = PatchSet(diff)
    except UnidiffParseError:
        return []
    return [FileChange(part.path, part.added, part.removed) for part in patch]
