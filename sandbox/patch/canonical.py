"""Writes the one git diff that stands for what was applied."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from sandbox.patch.assemble import Change

CONTEXT = 3
MANY, WIDE = 500, 20

_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r"}


@dataclass(frozen=True)
class FileChange:
    """What becomes of one file.

    `old_path` is None for a new file, `new_path` for a deleted one; modes are git's (0o100644 or
    0o100755). `changes` are line changes against `old_lines`.
    """

    old_path: bytes | None
    new_path: bytes | None
    old_data: bytes
    new_data: bytes
    old_mode: int
    new_mode: int
    old_lines: tuple[bytes, ...]
    changes: tuple[Change, ...]

    @property
    def idle(self) -> bool:
        """Whether nothing changes."""
        return (
            self.old_path == self.new_path
            and self.old_data == self.new_data
            and self.old_mode == self.new_mode
        )


def canonical_diff(files: Sequence[FileChange]) -> bytes:
    """One git diff of all files, in order of their names."""
    ordered = sorted(files, key=lambda file: file.new_path or file.old_path or b"")
    return b"".join(_file(file) for file in ordered if not file.idle)


def _file(file: FileChange) -> bytes:
    old, new = file.old_path or file.new_path or b"", file.new_path or file.old_path or b""
    head = [b"diff --git " + quoted(b"a/" + old) + b" " + quoted(b"b/" + new)]
    if file.old_path is None:
        head.append(b"new file mode %o" % file.new_mode)
    elif file.new_path is None:
        head.append(b"deleted file mode %o" % file.old_mode)
    elif file.old_mode != file.new_mode:
        head += [b"old mode %o" % file.old_mode, b"new mode %o" % file.new_mode]
    if file.old_path is not None and file.new_path is not None and old != new:
        head.append(b"similarity index %d%%" % _similarity(file))
        head += [b"rename from " + quoted(old), b"rename to " + quoted(new)]
    if file.old_data != file.new_data or None in (file.old_path, file.new_path):
        head.append(_index(file))
    body = _hunks(file)
    if body:
        head += [_name(b"--- ", b"a/", file.old_path), _name(b"+++ ", b"b/", file.new_path)]
    return b"\n".join(head) + b"\n" + body


def _index(file: FileChange) -> bytes:
    old = _blob(file.old_data) if file.old_path is not None else b"0" * 40
    new = _blob(file.new_data) if file.new_path is not None else b"0" * 40
    line = b"index " + old + b".." + new
    same = None not in (file.old_path, file.new_path) and file.old_mode == file.new_mode
    return line + b" %o" % file.new_mode if same else line


def _blob(data: bytes) -> bytes:
    digest = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False)
    return digest.hexdigest().encode()


def _similarity(file: FileChange) -> int:
    changed = sum(len(line) for change in file.changes for line in change.old)
    size = max(len(file.old_data), len(file.new_data), 1)
    return max(0, 100 * (len(file.old_data) - changed) // size)


def _name(mark: bytes, side: bytes, path: bytes | None) -> bytes:
    if path is None:
        return mark + b"/dev/null"
    name = quoted(side + path)
    return mark + name + (b"\t" if b" " in name and not name.startswith(b'"') else b"")


def quoted(name: bytes) -> bytes:
    """The name as git writes it: in quotes with C escapes where it holds odd bytes."""
    if not any(byte < 32 or byte > 126 or byte in b'"\\' for byte in name):
        return name
    out = []
    for byte in name:
        if byte in _ESCAPES:
            out.append(_ESCAPES[byte])
        elif byte in b'"\\':
            out.append("\\" + chr(byte))
        else:
            out.append(chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")
    return b'"' + "".join(out).encode() + b'"'


def _hunks(file: FileChange) -> bytes:
    out: list[bytes] = []
    shift = 0
    for group in _grouped(file.changes):
        text, gained = _hunk(group, file.old_lines, shift)
        out.append(text)
        shift += gained
    return b"".join(out)


def _grouped(changes: Sequence[Change]) -> list[list[Change]]:
    """Changes that share a hunk: those whose context touches, as git has it.

    Where there are very many, hunks farther apart are joined too: git's time to apply grows with
    the number of hunks times the length of the file.
    """
    apart = 2 * CONTEXT + (WIDE if len(changes) > MANY else 0)
    groups: list[list[Change]] = []
    end = -1
    for change in changes:
        if groups and change.start - end <= apart:
            groups[-1].append(change)
        else:
            groups.append([change])
        end = change.start + len(change.old)
    return groups


def _hunk(group: list[Change], lines: Sequence[bytes], shift: int) -> tuple[bytes, int]:
    first = max(group[0].start - CONTEXT, 0)
    last = min(group[-1].start + len(group[-1].old) + CONTEXT, len(lines))
    body: list[bytes] = []
    at = first
    for change in group:
        body += [_line(b" ", line) for line in lines[at : change.start]]
        body += [_line(b"-", line) for line in change.old]
        body += [_line(b"+", line) for line in change.new]
        at = change.start + len(change.old)
    body += [_line(b" ", line) for line in lines[at:last]]
    gained = sum(len(change.new) - len(change.old) for change in group)
    old, new = last - first, last - first + gained
    head = b"@@ -%s +%s @@\n" % (_span(first, old), _span(first + shift, new))
    return head + b"".join(body), gained


def _span(start: int, count: int) -> bytes:
    where = start + 1 if count else start
    return b"%d" % where if count == 1 else b"%d,%d" % (where, count)


def _line(mark: bytes, line: bytes) -> bytes:
    if line.endswith(b"\n"):
        return mark + line
    return mark + line + b"\n\\ No newline at end of file\n"
