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
    tried: list[dict[str, Any]]
    proof: dict[str, Any] | None
    diff: str | None


def read(run_dir: Path) -> Artifacts:
    """The artifacts in a run's directory; a file still being written counts as absent."""
    worked, proof = _object(run_dir / "worked.json"), _object(run_dir / "proof.json")
    ledger = worked.get("ledger") if worked else None
    tried = worked.get("tried") if worked else None
    return Artifacts(
        ledger=ledger if isinstance(ledger, dict) else None,
        tried=[one for one in tried if isinstance(one, dict)] if isinstance(tried, list) else [],
        proof=proof,
        diff=_text(run_dir / "fix.diff"),
    )


def _object(file: Path) -> dict[str, Any] | None:
    text = _text(file)
    try:
        found = json.loads(text) if text else None
    except (ValueError, RecursionError):
        return None
    return _encodable(found) if isinstance(found, dict) else None


def _encodable(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Bytes of a repository that are no UTF-8 come as lone surrogates, which no page can hold."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, list):
        return [_encodable(one) for one in value]
    if isinstance(value, dict):
        return {_encodable(name): _encodable(one) for name, one in value.items()}
    return value


def _text(file: Path) -> str | None:
    try:
        with file.open("rb") as opened:
            return opened.read(READ_BYTES).decode("utf-8", "replace")
    except OSError:
        return None
