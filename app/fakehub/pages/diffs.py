"""Prepare a diff for showing: each line with its kind and its numbers on both sides."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from app.fakehub.domain.diff import FileChange

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_KINDS = {"+": "added", "-": "removed", "\\": "remark"}


@dataclass(frozen=True)
class DiffLine:
    """One line; a number is None on the side where the line is not."""

    kind: str
    old: int | None
    new: int | None
    text: str


@dataclass(frozen=True)
class ShownFile:
    """One changed file and its lines; no lines for binary content."""

    change: FileChange
    lines: tuple[DiffLine, ...]


def shown_files(changes: Sequence[FileChange]) -> list[ShownFile]:
    """The files of a diff, ready for the template."""
    return [ShownFile(one, tuple(_lines(one.patch or ""))) for one in changes]


def _lines(patch: str) -> Iterator[DiffLine]:
    old = new = 0
    for row in patch.split("\n") if patch else ():
        start = _HUNK.match(row)
        if start is not None:
            old, new = int(start[1]), int(start[2])
            yield DiffLine("hunk", None, None, row)
            continue
        kind = _KINDS.get(row[:1], "same")
        before = old if kind in ("same", "removed") else None
        after = new if kind in ("same", "added") else None
        yield DiffLine(kind, before, after, row)
        old += before is not None
        new += after is not None
