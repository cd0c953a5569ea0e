"""Reads SEARCH/REPLACE blocks into the same sections as a unified diff."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from sandbox.patch import syntax
from sandbox.patch.extract import Block
from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.paths import clean_name
from sandbox.patch.sections import RawHunk, Section

ALIGNED = 1_000_000

_LABELS = (b"file:", b"filename:", b"path:", b"file path:", b"filepath:", b"in ")


def has_search_blocks(block: Block) -> bool:
    """Whether the block holds search blocks rather than a unified diff."""
    return any(
        line[:3] in (b"<<<", b"---") and syntax.SEARCH_OPEN.match(line) for line in block.lines
    )


def parse_search_blocks(block: Block, last_path: bytes | None) -> list[Section]:
    """One section per search block, in order.

    A block without a path of its own goes to the path before it. Raises RefusalError
    `truncated` for a block that has no divider or no end.
    """
    sections: list[Section] = []
    lines = list(block.lines)
    path = named_path(block.label) or last_path
    at = 0
    while at < len(lines):
        if syntax.SEARCH_OPEN.match(lines[at]):
            divider = _next(lines, at + 1, syntax.SEARCH_DIVIDER)
            end = _next(lines, divider + 1, syntax.SEARCH_CLOSE)
            body = align(lines[at + 1 : divider], lines[divider + 1 : end])
            hunk = RawHunk(body=body, closed=True, strict=True)
            sections.append(Section(new=path, hunks=[hunk], prefixed=False))
            at = end
        else:
            path = named_path(lines[at]) or path
        at += 1
    return sections


def _next(lines: list[bytes], at: int, pattern: re.Pattern[bytes]) -> int:
    for found in range(at, len(lines)):
        if pattern.match(lines[found]):
            return found
        if syntax.SEARCH_OPEN.match(lines[found]):
            break
    raise RefusalError(
        RefusalReason.TRUNCATED,
        "A search block breaks off before its end mark. Send every block whole.",
    )


def align(old: list[bytes], new: list[bytes]) -> list[bytes]:
    """A hunk body with the operators that turn `old` into `new`."""
    if len(old) * len(new) > ALIGNED:
        return [b"-" + line for line in old] + [b"+" + line for line in new]
    body: list[bytes] = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if tag == "equal":
            body += [b" " + line for line in old[old_from:old_to]]
        else:
            body += [b"-" + line for line in old[old_from:old_to]]
            body += [b"+" + line for line in new[new_from:new_to]]
    return body


def named_path(line: bytes) -> bytes | None:
    """The path that a line in front of a block names, or None when it is prose."""
    text = line.strip().strip(b"#*:= \t").strip()
    lowered = text.lower()
    for label in _LABELS:
        if lowered.startswith(label):
            text = text[len(label) :].strip()
    text = text.strip(b"`*\"'").rstrip(b":")
    if not text or b" " in text.strip() or text[:3] in (b"```", b"~~~", b"<<<", b">>>", b"==="):
        return None
    if b"/" not in text and b"." not in text[1:]:
        return None
    return clean_name(text)
