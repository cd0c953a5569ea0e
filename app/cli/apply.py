"""`patchwright apply`: the diff engine alone, on any folder."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from app.cli.console import answer
from app.cli.status import Exit
from app.errors import UserError
from sandbox.patch import Applied, Refused, apply_answer
from sandbox.patch.report import hunk_lines, refusal_text, to_json


def read_diff(source: str) -> bytes:
    """The bytes of a diff file, or of standard input for `-`."""
    try:
        return sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except OSError as error:
        raise UserError(f"The diff {source} cannot be read: {error}") from error


def apply(
    path: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="the folder")],
    diff: Annotated[str, typer.Option(help="a file with the diff; - for stdin")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="change nothing")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on stdout")] = False,
) -> int:
    """Apply DIFF as a model writes it, exactly or not at all; print the canonical diff."""
    result = apply_answer(path, read_diff(diff), dry_run=dry_run)
    answer(to_json(result), _lines(result), as_json=as_json)
    return Exit.OK if isinstance(result, Applied) else Exit.NOT_PROVED


def _lines(result: Applied | Refused) -> list[str]:
    if isinstance(result, Refused):
        return [refusal_text(result)]
    return [result.diff.decode("utf-8", "replace").rstrip(), *hunk_lines(result)]
