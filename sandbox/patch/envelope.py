"""Reads the Begin-Patch envelope into the same sections as a unified diff."""

from __future__ import annotations

import re

from sandbox.patch import syntax
from sandbox.patch.extract import Block
from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.paths import DEV_NULL, clean_name
from sandbox.patch.sections import RawHunk, Section

_FILE = re.compile(rb"^\*\*\* (Update|Add|Delete) File: *(\S.*)$")
_MOVE = re.compile(rb"^\*\*\* Move to: *(\S.*)$")


def has_envelope(block: Block) -> bool:
    """Whether the block holds a Begin-Patch envelope."""
    return any(line[:4] == b"*** " and syntax.ENVELOPE.match(line) for line in block.lines)


def parse_envelope(block: Block) -> list[Section]:
    """The sections of an envelope.

    Raises RefusalError `truncated` when its end line is missing: the form has no counts, so
    nothing else could tell that the answer is whole.
    """
    sections: list[Section] = []
    ended = False
    for line in block.lines:
        stripped = line.rstrip()
        if stripped == b"*** End Patch":
            ended = True
        named = _FILE.match(stripped)
        if named:
            ended = False
            sections.append(_section(named.group(1), clean_name(named.group(2))))
        elif sections and not ended:
            _read_line(sections[-1], line)
    if not ended and not (block.fenced and block.closed):
        raise RefusalError(
            RefusalReason.TRUNCATED,
            "The patch has no `*** End Patch` line, so it may have broken off. Send it whole.",
        )
    return sections


def _section(kind: bytes, path: bytes) -> Section:
    if kind == b"Add":
        return Section(old=DEV_NULL, new=path, creates=True, prefixed=False)
    if kind == b"Delete":
        return Section(old=path, new=DEV_NULL, deletes=True, deletes_unseen=True, prefixed=False)
    return Section(old=path, new=path, prefixed=False)


def _read_line(section: Section, line: bytes) -> None:
    move = _MOVE.match(line.rstrip())
    if move:
        section.rename_from, section.rename_to = section.new, clean_name(move.group(1))
        section.new = section.rename_to
    elif syntax.HUNK.match(line):
        _open(section, line)
    elif line.startswith(b"*** "):
        return
    else:
        if not section.hunks:
            section.hunks.append(RawHunk(closed=True))
        section.hunks[-1].body.append(syntax.minus_sign(line))


def _open(section: Section, line: bytes) -> None:
    """Stacked `@@` lines name nested blocks: the innermost one is the heading."""
    numbers, heading = syntax.read_hunk_header(line)
    if section.hunks and not section.hunks[-1].body:
        section.hunks[-1].heading = heading
        return
    section.hunks.append(RawHunk(numbers=numbers, heading=heading, closed=True))
