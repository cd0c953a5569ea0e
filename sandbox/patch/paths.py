"""Cleans the file names of a diff and refuses those that lead out of the tree."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from sandbox.patch.model import RefusalError, RefusalReason

DEV_NULL = b"/dev/null"

MAX_LENGTH = 4096

_SUFFIX = re.compile(
    rb"\s+\((?:original|modified|old|new|before|after|updated|current|fixed|patched|revision \d+|"
    rb"working copy|nonexistent|deleted|created|new file)\)\s*$",
    re.IGNORECASE,
)
_TIMESTAMP = re.compile(rb"\s+(?:\d{4}-\d\d-\d\d|[A-Z][a-z]{2} [A-Z][a-z]{2} +\d).*$")
_OCTAL = re.compile(rb"\\([0-7]{3}|.)", re.S)
_C_ESCAPES = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f"}
_DRIVE = re.compile(rb"^[A-Za-z]:[\\/]")
_GIT_DIR = re.compile(rb"^(?:\.git[ .]*|git~\d+)(?::.*)?$", re.IGNORECASE)


def clean_name(name: bytes) -> bytes:
    """A file name without quotes, backticks, time stamps and version remarks.

    Quoted names are read the way git writes them (C escapes, three octal digits).
    """
    name = name[:MAX_LENGTH].strip(b" \r\n")
    if name[:1] == b'"' and name.rstrip().find(b'"', 1) > 0:
        return unquote(name[1 : name.rindex(b'"')])
    name = name.split(b"\t", 1)[0].strip()
    name = _TIMESTAMP.sub(b"", _SUFFIX.sub(b"", name))
    for mark in (b"**", b"`", b"'", b"*"):
        if len(name) > 2 * len(mark) and name.startswith(mark) and name.endswith(mark):
            name = name[len(mark) : -len(mark)]
    if b"\\" in name and (b"/" not in name or _DRIVE.match(name)):
        name = name.replace(b"\\", b"/")
    return name


def unquote(text: bytes) -> bytes:
    """The inside of a name quoted by git, as bytes."""

    def replace(found: re.Match[bytes]) -> bytes:
        body = found.group(1)
        if len(body) == 3:
            return bytes([int(body, 8) & 0xFF])
        return _C_ESCAPES.get(body, body)

    return _OCTAL.sub(replace, text)


def strip_prefixes(name: bytes) -> list[bytes]:
    """The name without `a/` or `b/` (once, then twice), then as written."""
    found = []
    rest = name
    for _ in range(2):
        if re.match(rb"^[abciow]/.", rest):
            rest = rest[2:]
            found.append(rest)
    return [*found, name]


def is_absolute(name: bytes) -> bool:
    """Whether the name starts at the root of a file system (POSIX or a Windows drive)."""
    return name.startswith((b"/", b"~")) or bool(_DRIVE.match(name))


def refuse_unsafe(name: bytes) -> None:
    """Raises RefusalError `unsafe_path` for names that no diff may hold, wherever they lead."""
    shown = show(name)
    parts = name.replace(b"\\", b"/").split(b"/")
    if b".." in parts:
        _unsafe(shown, "climbs out of the repository with `..`")
    if any(_GIT_DIR.match(part) for part in parts):
        _unsafe(shown, "lies inside a .git directory")
    if any(byte < 32 or byte == 127 for byte in name):
        _unsafe(shown, "holds a control character")


def refuse_absolute(name: bytes) -> None:
    """Raises RefusalError `unsafe_path` for a name outside the repository."""
    if is_absolute(name):
        _unsafe(show(name), "is absolute and names no file of the repository")


def refuse_links(root: Path, relative: bytes) -> None:
    """Raises RefusalError `unsafe_path` when the path or a parent of it is a symbolic link."""
    at = os.fsencode(root)
    for part in relative.split(b"/"):
        at = os.path.join(at, part)  # noqa: PTH118 (bytes paths)
        try:
            mode = os.lstat(at).st_mode
        except OSError:
            return  # what cannot be there cannot lead out either
        if stat.S_ISLNK(mode):
            _unsafe(show(relative), "goes through a symbolic link")


def _unsafe(shown: str, why: str) -> None:
    raise RefusalError(
        RefusalReason.UNSAFE_PATH,
        f"The path `{shown}` {why}. Name a file inside the repository, relative to its root.",
        shown,
    )


def show(text: bytes) -> str:
    """Bytes of a path or a line as text for a message."""
    return text.decode("utf-8", "replace")
