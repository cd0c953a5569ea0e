"""Decides between several places that match alike: by the declared line or by the heading."""

from __future__ import annotations

import re

from sandbox.patch.hunk import Hunk
from sandbox.patch.source import Level, Source

MANY = 200

_FUNCTION = re.compile(rb"^[A-Za-z_$]")


def choose(starts: list[int], hunk: Hunk, source: Source) -> int | None:
    """The one start among several, or None if nothing decides.

    Only a declared line that is exactly right, or a heading that names the block around exactly
    one place, decides; where both speak and differ, nothing does. Nearness never counts.
    """
    if len(starts) == 1:
        return starts[0]
    by_line = [at for at in starts if hunk.numbers.old_start == at + 1]
    few = len(starts) <= MANY
    by_heading = [at for at in starts if few and _in_block(at, hunk.heading, source)]
    if len(by_heading) == 1:
        return by_heading[0] if not by_line or by_line == by_heading else None
    if by_heading and by_line and by_line[0] not in by_heading:
        return None
    return by_line[0] if by_line else None


def _in_block(start: int, heading: bytes, source: Source) -> bool:
    heading = heading.strip()
    if not heading:
        return False
    return any(
        text == heading or (len(heading) >= 40 and text.startswith(heading))
        for text in enclosing(start, source)
    )


def enclosing(start: int, source: Source) -> list[bytes]:
    """The stripped lines that open the blocks around a line, innermost first.

    A block is opened by the nearest line above that is indented less; the outermost one is the
    line git would print after the range, the nearest that starts with a letter.
    """
    keys = source.keys(Level.UNICODE)
    found: list[bytes] = []
    limit = _indent(keys[start]) if start < len(keys) and keys[start].strip() else None
    for at in range(start - 1, -1, -1):
        text = keys[at]
        if not text.strip():
            continue
        indent = _indent(text)
        if limit is None:
            limit = indent + 1
        if indent < limit:
            found.append(text.strip())
            limit = indent
        if _FUNCTION.match(text):
            if text.strip() not in found:
                found.append(text.strip())
            break
    return found


def _indent(text: bytes) -> int:
    return len(text) - len(text.lstrip())
