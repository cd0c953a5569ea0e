"""Refuses added lines that are no code: placeholders and marks of an unresolved merge."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox.patch.elision import is_conflict_marker, is_elision, is_placeholder
from sandbox.patch.hunk import Hunk
from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.paths import show
from sandbox.patch.source import Level, Source, fold, squeeze


def check_hunk(hunk: Hunk, source: Source, path: bytes) -> None:
    """Raises RefusalError `elided` or `unsafe_content` for what a hunk adds or removes.

    Lines that the file has already, or that the hunk removes too, are not new and may be anything.
    """
    before = b""
    for line in hunk.lines:
        if line.op == "-":
            if is_elision(line.text) and not _in_file(line.text, source):
                raise elided(line.text, "removes")
            continue
        fault = _fault(line.text, before, path) if line.op == "+" else None
        if fault is not None and not _known(line.text, hunk, source):
            raise fault
        before = line.text


def _known(text: bytes, hunk: Hunk, source: Source) -> bool:
    removed = {squeeze(line.text) for line in hunk.removed}
    return squeeze(text) in removed or _in_file(text, source)


def _in_file(text: bytes, source: Source) -> bool:
    return squeeze(fold(text)) in source.where(Level.BLANKS)


def check_lines(lines: Sequence[bytes], path: bytes) -> None:
    """The same for every line of a new file."""
    for at, text in enumerate(lines):
        fault = _fault(text, lines[at - 1] if at else b"", path)
        if fault is not None:
            raise fault


def _fault(text: bytes, before: bytes, path: bytes) -> RefusalError | None:
    """What is wrong with one line that is added after the line `before`."""
    if is_conflict_marker(text):
        return RefusalError(
            RefusalReason.UNSAFE_CONTENT,
            f"The diff adds a conflict marker: `{show(text.strip())}`. Send the resolved lines.",
        )
    return elided(text, "adds") if is_placeholder(text, before, path) else None


def elided(text: bytes, verb: str) -> RefusalError:
    """The refusal for a line that stands for lines which were left out."""
    return RefusalError(
        RefusalReason.ELIDED,
        f"The diff {verb} a placeholder: `{show(text.strip())}`. Write out every line that is "
        "removed or added; leave unchanged lines out of the diff.",
    )
