"""Reads the content of a new file from the hunk that brings it."""

from __future__ import annotations

from sandbox.patch import syntax
from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.paths import show
from sandbox.patch.sections import RawHunk


def new_lines(hunk: RawHunk) -> tuple[list[bytes], bool, list[str]]:
    """The lines of a new file, whether the last one ends with a newline, and the repairs.

    Blank lines without plus sign inside the file belong to it; those at its end do only if the
    header counts them. Raises RefusalError `truncated` for fewer lines than declared without a
    marked end, `no_match` for lines that have no plus sign.
    """
    lines: list[bytes] = []
    repairs: list[str] = []
    final_newline, closed, pending = True, hunk.closed, 0
    for at, text in enumerate(hunk.body):
        if syntax.NO_EOL.match(text):
            final_newline = False
        elif text[:1] == b"+":
            lines += [b""] * pending
            repairs += ["blank"] if pending else []
            pending = 0
            lines.append(text[1:])
        elif not text.strip():
            pending += 1
        elif any(later[:1] == b"+" for later in hunk.body[at:]) or text[:1] in (b" ", b"-"):
            raise _without_plus(text)
        else:
            closed = True
            break
    count = hunk.numbers.new_count
    if count is not None and count == len(lines) + pending:
        lines += [b""] * pending
    if count is not None and count > len(lines) and not closed:
        raise RefusalError(
            RefusalReason.TRUNCATED,
            f"The header announces {count} lines and {len(lines)} came. Send the whole file.",
        )
    if count != len(lines):
        repairs.append("counts" if count is not None else "header")
    return lines, final_newline, sorted(set(repairs))


def _without_plus(text: bytes) -> RefusalError:
    return RefusalError(
        RefusalReason.NO_MATCH,
        f"A line of the new file has no plus sign: `{show(text.strip())}`. Every line of a new "
        "file starts with `+`. Send the whole file that way.",
    )
