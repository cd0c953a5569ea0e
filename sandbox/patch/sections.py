"""The raw model of an answer: one section per file, hunks with their lines as written."""

from __future__ import annotations

from dataclasses import dataclass, field

from sandbox.patch.syntax import Numbers


@dataclass
class RawHunk:
    """A hunk as written: header fields are hints, `body` still has its operator column.

    `strict` is set where the operators were made by this engine (search blocks). `closed` tells
    that something after the hunk marks its end, `weakly` that it is only a newline.
    """

    numbers: Numbers = field(default_factory=Numbers)
    heading: bytes = b""
    body: list[bytes] = field(default_factory=list)
    closed: bool = False
    weakly: bool = False
    strict: bool = False


@dataclass
class Section:
    """What an answer says about one file; names as written, None where none was given."""

    old: bytes | None = None
    new: bytes | None = None
    creates: bool = False
    deletes: bool = False
    deletes_unseen: bool = False
    rename_from: bytes | None = None
    rename_to: bytes | None = None
    copies: bool = False
    old_mode: int | None = None
    new_mode: int | None = None
    git_line: bool = False
    prefixed: bool = True
    index: bytes = b""
    complete: bool = True
    named: bool = False
    hunks: list[RawHunk] = field(default_factory=list)
