"""Reads unified diffs tolerantly: every header field is a hint, every line is accounted for."""

from __future__ import annotations

from dataclasses import dataclass, field

from sandbox.patch import syntax
from sandbox.patch.extract import Block
from sandbox.patch.fileheader import (
    named_in,
    read_extended,
    section_of_git_line,
    unsupported,
)
from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.paths import DEV_NULL, clean_name, show, strip_prefixes
from sandbox.patch.sections import RawHunk, Section


@dataclass
class _State:
    """The reader's place in one block."""

    lines: list[bytes]
    at: int = 0
    sections: list[Section] = field(default_factory=list)
    hunk: RawHunk | None = None
    ready: bool = False
    old_seen: int = 0
    new_seen: int = 0


def parse_unified(block: Block) -> list[Section]:
    """The sections of one block of unified diff.

    Raises RefusalError `unsupported` for combined diffs, binary stubs and submodules.
    """
    state = _State([syntax.minus_sign(line) for line in block.lines])
    while state.at < len(state.lines):
        _step(state, block)
    _finish(state, block)
    return state.sections


def _step(state: _State, block: Block) -> None:
    line = state.lines[state.at]
    if state.hunk is not None and _plainly_body(line):
        _add_line(state, line)
        return
    if syntax.COMBINED.match(line):
        unsupported("a combined diff of a merge")
    if syntax.BINARY.match(line) or syntax.SUBMODULE.match(line):
        unsupported("a binary file or a submodule")
    git = syntax.GIT_HEADER.match(line)
    if git:
        _start(state, section_of_git_line(git.group(1)))
    elif _at_svn_index(state):
        _close(state)
        state.at += 2
    elif _at_names(state):
        _read_names(state)
    elif syntax.HUNK.match(line):
        _start_hunk(state, block)
    elif state.hunk is None:
        _between(state)
    elif _at_signature(state):
        _close(state)
        state.at = len(state.lines) if _only_blank_after(state, state.at + 2) else state.at + 2
    else:
        _add_line(state, line)


def _plainly_body(line: bytes) -> bool:
    """Whether no header or mark could look like this line, so that it need not be tried."""
    if line[:1] in (b"+", b"-"):
        return line[1:2] not in (b"+", b"-", b"S")
    return line[:1] == b" "


def _start(state: _State, section: Section) -> None:
    _close(state)
    state.sections.append(section)
    state.at += 1


def _close(state: _State) -> None:
    if state.hunk is not None:
        state.hunk.closed = True
    state.hunk = None
    state.ready = False


def _at_svn_index(state: _State) -> bool:
    return bool(syntax.SVN_INDEX.match(state.lines[state.at])) and _ahead(state, 1).startswith(
        b"====="
    )


def _at_names(state: _State) -> bool:
    """Whether `---`/`+++` name files here, or are a removed `--` and an added `++` line."""
    old = syntax.OLD_NAME.match(state.lines[state.at])
    new = syntax.NEW_NAME.match(state.lines[state.at])
    if old and state.hunk is None:
        return bool(syntax.NEW_NAME.match(_ahead(state, 1))) or _last_line(state)
    if old:
        return _old_name_in_hunk(state, old.group(1))
    if new and state.hunk is not None:
        known = _remaining(state)[1] < 1 or _looks_like_path(new.group(1))
        return known and bool(syntax.HUNK.match(_ahead(state, 1)))
    return bool(new)


def _old_name_in_hunk(state: _State, old: bytes) -> bool:
    pair = syntax.NEW_NAME.match(_ahead(state, 1))
    if not pair:
        return _last_line(state) and _looks_like_path(old)
    named = _same_file(old, pair.group(1))
    if syntax.HUNK.match(_ahead(state, 2)):
        return named or _remaining(state) != (1, 1)
    return named and min(_remaining(state)) < 1


def _ahead(state: _State, count: int) -> bytes:
    return state.lines[state.at + count] if state.at + count < len(state.lines) else b""


def _last_line(state: _State) -> bool:
    return _only_blank_after(state, state.at + 1)


def _only_blank_after(state: _State, at: int) -> bool:
    return not any(line.strip() for line in state.lines[at:])


def _remaining(state: _State) -> tuple[int, int]:
    if state.hunk is None:
        return 0, 0
    numbers = state.hunk.numbers
    declared = (numbers.old_start, numbers.old_count), (numbers.new_start, numbers.new_count)
    old, new = (0 if start is None else 1 if count is None else count for start, count in declared)
    return old - state.old_seen, new - state.new_seen


def _looks_like_path(text: bytes) -> bool:
    name = clean_name(text)
    return name[:2] in (b"a/", b"b/") or name == DEV_NULL


def _same_file(old: bytes, new: bytes) -> bool:
    first, second = clean_name(old), clean_name(new)
    if DEV_NULL in (first, second) or strip_prefixes(first)[0] == strip_prefixes(second)[0]:
        return True
    return first[:2] == b"a/" and second[:2] == b"b/"


def _read_names(state: _State) -> None:
    section = state.sections[-1] if state.sections else None
    if section is None or not section.git_line or section.hunks or section.named:
        section = Section()
        _start(state, section)
        state.at -= 1
    _close(state)
    old = syntax.OLD_NAME.match(state.lines[state.at])
    if old:
        section.old = clean_name(old.group(1))
        state.at += 1
    new = syntax.NEW_NAME.match(state.lines[state.at]) if state.at < len(state.lines) else None
    section.complete = new is not None
    section.named = True
    if new:
        section.new = clean_name(new.group(1))
        state.at += 1
    section.creates = section.creates or section.old == DEV_NULL
    section.deletes = section.deletes or section.new == DEV_NULL
    state.ready = section.complete


def _start_hunk(state: _State, block: Block) -> None:
    if not state.sections:
        state.sections.append(Section(new=named_in(block.label)))
    _close(state)
    numbers, heading = syntax.read_hunk_header(state.lines[state.at])
    _open_hunk(state, RawHunk(numbers=numbers, heading=heading))
    state.at += 1


def _open_hunk(state: _State, hunk: RawHunk) -> None:
    state.hunk = hunk
    state.sections[-1].hunks.append(hunk)
    state.sections[-1].complete = True
    state.old_seen = state.new_seen = 0


def _between(state: _State) -> None:
    """A line outside hunks: an extended header, the body of a hunk without header, or prose."""
    line = state.lines[state.at]
    extended = syntax.EXTENDED.match(line)
    if extended and state.sections and not state.sections[-1].hunks:
        read_extended(state.sections[-1], extended.group(1), extended.group(2))
    elif state.ready and line.strip():
        _open_hunk(state, RawHunk())
        _add_line(state, line)
        return
    state.at += 1


def _at_signature(state: _State) -> bool:
    marked = bool(syntax.MAIL_SIGNATURE.match(state.lines[state.at]))
    if not marked or not syntax.VERSION.match(_ahead(state, 1)):
        return False
    return _remaining(state)[0] < 2 or _only_blank_after(state, state.at + 2)


def _add_line(state: _State, line: bytes) -> None:
    assert state.hunk is not None  # noqa: S101 (for the type checker)
    state.hunk.body.append(line)
    state.old_seen += line[:1] not in (b"+", b"\\")
    state.new_seen += line[:1] not in (b"-", b"\\")
    state.at += 1


def _finish(state: _State, block: Block) -> None:
    last = state.lines[-1] if state.lines else b""
    if not block.closed and _starts_header(last):
        raise RefusalError(
            RefusalReason.TRUNCATED,
            f"The diff breaks off in a header: `{show(last)}`. Send the whole diff again.",
        )
    if state.hunk is not None:
        state.hunk.closed = block.closed
        state.hunk.weakly = block.weakly
    for section in state.sections:
        if section.hunks:
            continue
        if not section.complete or (section is state.sections[-1] and _cut(section, block)):
            raise RefusalError(
                RefusalReason.TRUNCATED,
                "The diff names a file and then breaks off. Send the whole diff again.",
                show(section.new or section.old or b"") or None,
            )


def _starts_header(line: bytes) -> bool:
    """Whether a last line without newline is the beginning of a header."""
    return line in (b"@", b"@@", b"@@ ", b"@@ -") or (
        bool(line) and line != b"diff" and b"diff --git ".startswith(line)
    )


def _cut(section: Section, block: Block) -> bool:
    """Whether a new file without lines is more likely one whose lines never came."""
    return section.creates and not block.closed and b"..e69de29" not in section.index
