"""Applies the edits of one file in memory and says which bytes change."""

from __future__ import annotations

from dataclasses import dataclass

from sandbox.patch.edits import Edit
from sandbox.patch.source import Source


@dataclass(frozen=True)
class Change:
    """Lines `start` up to `start + len(old)` of the old file become `new`; all with their ends."""

    start: int
    old: tuple[bytes, ...]
    new: tuple[bytes, ...]


def pieces(source: Source) -> list[bytes]:
    """The lines of a file with their ends; joined they are the file without its mark."""
    found = [text + b"\n" for text in source.texts]
    if found and not source.has_final_newline:
        found[-1] = source.texts[-1]
    return found


def assemble(source: Source, edits: list[Edit]) -> tuple[bytes, list[Change]]:
    """The new content, and the changes that lead to it, in order and without idle ones."""
    old = pieces(source)
    changes = [_change(edit, source, old, edit is edits[-1]) for edit in edits]
    changes = [change for change in changes if change.old != change.new]
    out: list[bytes] = []
    at = 0
    for change in changes:
        out += old[at : change.start]
        out += change.new
        at = change.start + len(change.old)
    out += old[at:]
    return source.bom + b"".join(out), changes


def _change(edit: Edit, source: Source, old: list[bytes], is_last: bool) -> Change:
    start, end = edit.start, edit.end
    new = [text + b"\n" for text in edit.new]
    if start == end == len(old) and old and not source.has_final_newline and new:
        start -= 1
        carriage = b"\r" if source.common_end == b"\r\n" else b""
        new.insert(0, old[start] + carriage + b"\n")
    if end == len(old) and new and is_last and not _keeps_newline(edit, source):
        new[-1] = new[-1][:-1]
        # A carriage return that was added to fit the file's line ends goes with the newline.
        if not edit.verbatim and source.common_end == b"\r\n" and not old[-1].endswith(b"\r"):
            new[-1] = new[-1].removesuffix(b"\r")
    return trimmed(start, old[start:end], new)


def _keeps_newline(edit: Edit, source: Source) -> bool:
    return source.has_final_newline if edit.final_newline is None else edit.final_newline


def trimmed(start: int, old: list[bytes], new: list[bytes]) -> Change:
    """The change from `old` to `new` without the lines they begin and end with alike."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return Change(
        start + head,
        tuple(old[head : len(old) - tail]),
        tuple(new[head : len(new) - tail]),
    )
