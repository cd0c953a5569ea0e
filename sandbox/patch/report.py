"""Turns a result of the engine into the CLI's JSON object and into text for a terminal."""

from __future__ import annotations

from typing import Any

from sandbox.patch.model import Applied, HunkReport, Refused


def to_json(result: Applied | Refused) -> dict[str, Any]:
    """The object that `apply --json` prints.

    Keys: `outcome` (applied, already_applied, refused), `reason` and `message` (null unless
    refused), `path` and `hunk` of the refusal, `paths` changed, `hunks`, and `diff` as text.
    Bytes that are not UTF-8 are shown as replacement characters.
    """
    if isinstance(result, Refused):
        return {
            "outcome": "refused",
            "reason": result.reason.value,
            "message": result.message,
            "path": result.path,
            "hunk": result.hunk,
            "paths": [],
            "hunks": [],
            "diff": "",
        }
    return {
        "outcome": result.outcome,
        "reason": None,
        "message": None,
        "path": None,
        "hunk": None,
        "paths": list(result.paths),
        "hunks": [_hunk_json(hunk) for hunk in result.hunks],
        "diff": result.diff.decode("utf-8", "replace"),
    }


def _hunk_json(hunk: HunkReport) -> dict[str, Any]:
    return {
        "path": hunk.path,
        "hunk": hunk.hunk,
        "rung": hunk.rung,
        "offset": hunk.offset,
        "repairs": list(hunk.repairs),
    }


def refusal_text(refused: Refused) -> str:
    """The refusal for a terminal: one head line with the reason word, then the message."""
    where = ""
    if refused.path is not None:
        where = f" {refused.path}"
        if refused.hunk is not None:
            where += f", hunk {refused.hunk}"
    return f"refused: {refused.reason.value}{where}\n{refused.message.rstrip()}\n"


def hunk_lines(result: Applied) -> list[str]:
    """One line per hunk for a terminal: path, hunk, rung, offset and repairs."""
    lines = []
    for hunk in result.hunks:
        shift = f", {hunk.offset:+d} lines" if hunk.offset else ""
        repairs = f" (repaired: {', '.join(hunk.repairs)})" if hunk.repairs else ""
        lines.append(f"{hunk.path} hunk {hunk.hunk}: {hunk.rung}{shift}{repairs}")
    return lines
