"""Finds the parts of an answer that hold a patch: fences, tags, here-documents, bare text."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from sandbox.patch.syntax import is_truncation_notice, starts_patch

_FENCE = re.compile(rb"^([ \t>]*)(`{3,}|~{3,})[ \t]*([^`]*)$")
_TAGS = rb"patch|diff|answer|solution|code|response|output|fix|edit|edits|changes|git_diff|udiff"
_OPEN_TAG = re.compile(rb"^\s*<(" + _TAGS + rb")(?: [^<>]*)?>(.*)$", re.IGNORECASE)
_CLOSE_TAG = re.compile(rb"^</(?:" + _TAGS + rb")>\s*$", re.IGNORECASE)
_HEREDOC = re.compile(
    rb"\b(?:git|patch|apply_patch|cat|tee)\b.*<<-?\s*(['\"]?)([A-Za-z_]\w*)\1[^<]*$"
)
_PREFIX = re.compile(rb"^[ \t>]*")


@dataclass(frozen=True)
class Block:
    """Lines that hold a patch; `closed` when something marks that their end was reached.

    `weakly` says that the mark is no more than a newline at the end of the answer.
    """

    lines: tuple[bytes, ...]
    closed: bool
    fenced: bool = False
    label: bytes = b""
    weakly: bool = False


@dataclass
class _Open:
    """The block being read: how it ends, and what stood in front of it."""

    close: re.Pattern[bytes] | None
    label: bytes
    indent: bytes = b""
    fenced: bool = False


def find_blocks(text: bytes) -> list[Block]:
    """Every part of the answer that holds a patch, in order."""
    lines = text.split(b"\n")
    ended = lines[-1] == b""
    if ended:
        lines.pop()
    return [block for block in _scan(lines, ended) if _holds_patch(block.lines)]


def _scan(lines: list[bytes], ended: bool) -> list[Block]:
    blocks: list[Block] = []
    current: _Open | None = None
    start, label = 0, b""
    for at, line in enumerate(lines):
        if current is not None:
            if _closes(current, line, start, at):
                blocks.append(_block(current, lines[start:at], closed=True))
                current = None
                if _FENCE.match(line) and not _bare_fence(line):
                    current, start = _opens(line, label), at + 1
            continue
        current = _opens(line, label)
        if current is not None:
            start = at + 1
        elif starts_patch([_unprefixed(later) for later in lines[at : at + 2]], 0):
            current, start = _Open(None, label), at
        elif line.strip():
            label = line
    if current is not None:
        closed = ended and not current.fenced
        block = _block(current, lines[start:], closed=closed)
        blocks.append(replace(block, weakly=closed))
    return blocks


def _opens(line: bytes, label: bytes) -> _Open | None:
    fence = _FENCE.match(line)
    if fence:
        indent, mark, info = fence.groups()
        close = re.compile(re.escape(indent) + re.escape(mark[:1]) + b"{%d,}\\s*$" % len(mark))
        named = info.strip()
        return _Open(close, named if b"/" in named or b"." in named else label, indent, True)
    tag = _OPEN_TAG.match(line)
    if tag and not tag.group(2).strip():
        close = re.compile(rb"^\s*</" + re.escape(tag.group(1)) + rb">\s*$", re.IGNORECASE)
        return _Open(close, label)
    if line.strip() == b"<<<":
        return _Open(re.compile(rb"^\s*>>>\s*$"), label)
    heredoc = _HEREDOC.search(line)
    if heredoc and not starts_patch([_unprefixed(line)], 0):
        return _Open(re.compile(rb"^\s*" + re.escape(heredoc.group(2)) + rb"\s*$"), label)
    return None


def _closes(current: _Open, line: bytes, start: int, at: int) -> bool:
    if current.close is not None:
        return bool(current.close.match(line))
    if line[:3] in (b"```", b"~~~"):
        return True
    return line[:2] == b"</" and at > start and bool(_CLOSE_TAG.match(line))


def _bare_fence(line: bytes) -> bool:
    return not line.strip().strip(b"`~")


def _unprefixed(line: bytes) -> bytes:
    return line[len(_prefix(line)) :]


def _prefix(line: bytes) -> bytes:
    found = _PREFIX.match(line)
    return found.group(0) if found else b""


def _block(current: _Open, lines: list[bytes], closed: bool) -> Block:
    if current.indent:
        lines = [_without(line, current.indent) for line in lines]
    inner = _inner_wrapping(lines)
    if inner is not None:
        lines, closed = inner[0], inner[1] or closed
    prefix = next(
        (
            _prefix(line)
            for at, line in enumerate(lines)
            if starts_patch([_unprefixed(later) for later in lines[at : at + 2]], 0)
        ),
        b"",
    )
    if prefix:
        lines = [_without(line, prefix) for line in lines]
    return Block(tuple(lines), closed, current.fenced, current.label)


def _inner_wrapping(lines: list[bytes]) -> tuple[list[bytes], bool] | None:
    """A fence inside a tag, a tag or a here-document inside a fence: one more layer off."""
    for at, line in enumerate(lines):
        if starts_patch([_unprefixed(later) for later in lines[at : at + 2]], 0):
            return None
        opened = _opens(line, b"")
        if opened is not None and opened.close is not None:
            rest = lines[at + 1 :]
            for end, later in enumerate(rest):
                if opened.close.match(later):
                    return rest[:end], True
            return rest, False
    return None


def _without(line: bytes, prefix: bytes) -> bytes:
    if line.startswith(prefix):
        return line[len(prefix) :]
    return b"" if line.strip(b" \t>") == b"" else line


def _holds_patch(lines: tuple[bytes, ...]) -> bool:
    held = list(lines)
    return any(starts_patch(held, at) for at in range(len(held)))


def says_truncated(lines: tuple[bytes, ...]) -> bool:
    """Whether a line without operator says that the text was cut."""
    return any(line[:1] not in (b"+", b"-", b" ") and is_truncation_notice(line) for line in lines)
