"""What a run has left on disk, as far as its page shows it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

READ_BYTES = 2_000_000


@dataclass(frozen=True, slots=True)
class Artifacts:
    """None where the run has not come that far, or where a file cannot be read."""

    ledger: dict[str, Any] | None
    proof: dict[str, Any] | None
    diff: str | None


def read(run_dir: Path) -> Artifacts:
    """The artifacts in a run's directory; a file still being written counts as absent."""
    worked, proof = _object(run_dir / "worked.json"), _object(run_dir / "proof.json")
    ledger = worked.get("ledger") if worked else None
    return Artifacts(
        ledger=ledger if isinstance(ledger, dict) else None,
        proof=proof,
        diff=_text(run_dir / "fix.diff"),
    )


def _object(file: Path) -> dict[str, Any] | None:
    text = _text(file)
    try:
        found = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _text(file: Path) -> str | None:
    try:
        with file.open("rb") as opened:
            return opened.read(READ_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
