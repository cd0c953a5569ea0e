"""Guards what a diff takes away: whole files, and most of a file without saying so."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox.patch.assemble import Change
from sandbox.patch.hunk import Hunk
from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.source import Source

SHRINK_LINES = 20


def check_removal(rest: bytes, section_shows_lines: bool, empty_before: bool) -> None:
    """Raises RefusalError `no_match` when a deleted file has lines that the diff never showed."""
    if not rest.strip() and (section_shows_lines or empty_before):
        return
    raise RefusalError(
        RefusalReason.NO_MATCH,
        "The diff deletes the file, but the lines it removes are not the whole file. Send every "
        "line of the file with a minus sign, or edit it instead.",
    )


def check_shrink(source: Source, changes: Sequence[Change], hunks: Sequence[Hunk]) -> None:
    """Raises RefusalError `unsafe_content` when most of a file would go without being announced.

    It is announced by hunk headers whose counts are right. More than half of the lines, and at
    least 20, have to go for the guard to speak.
    """
    lost = sum(len(change.old) - len(change.new) for change in changes)
    if lost < SHRINK_LINES or lost * 2 <= len(source):
        return
    if all(hunk.well_counted for hunk in hunks):
        return
    raise RefusalError(
        RefusalReason.UNSAFE_CONTENT,
        f"The diff takes away {lost} of {len(source)} lines of the file, and its hunk headers do "
        "not say so. If that is meant, send it with right counts in the hunk headers, or delete "
        "the file.",
    )
