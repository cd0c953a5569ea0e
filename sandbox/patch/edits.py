"""Turns placed hunks into edits of line ranges, and merges the edits of one file."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from sandbox.patch.adapt import adapted_lines
from sandbox.patch.habits import Habits
from sandbox.patch.hunk import Hunk
from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.place import Placement
from sandbox.patch.source import Level, Source

_ALIGNED = 400

_Marked = tuple[bytes, bool]


@dataclass(frozen=True)
class Edit:
    """File lines `start` up to `end` become `new`, texts with a carriage return where due.

    `final_newline` says what the hunk's markers ask for at the end of the file: True, False, or
    None to keep the file's own way. `verbatim` says that the carriage returns are the diff's own.
    """

    start: int
    end: int
    new: tuple[bytes, ...]
    final_newline: bool | None = None
    verbatim: bool = False


@dataclass
class _Run:
    """One run of changes of a hunk: indices of its removed and added lines, and neighbours."""

    removed: list[int]
    added: list[int]
    before: int | None
    after: int | None = None


def edits_of(hunk: Hunk, placement: Placement, source: Source, habits: Habits) -> list[Edit]:
    """The edits that a placed hunk asks for; `habits` are those of all hunks of the file.

    Raises RefusalError `no_match` when lines to be removed do not stand together or an insert
    falls between lines that the hunk does not know of.
    """
    if placement.idle:
        return []
    reading, texts = adapted_lines(hunk, placement, source, habits)
    place = _file_lines(hunk, placement)
    edits: list[Edit] = []
    for run in _runs(hunk):
        start, end = _range(run, place, texts, source)
        old = [(reading.texts[at], hunk.lines[at].open_end) for at in run.removed]
        new = [(reading.texts[at], hunk.lines[at].open_end) for at in run.added]
        ends = _Ends(source, placement.level, start, end)
        for old_from, old_to, new_from, new_to in _opcodes(old, new):
            final = [texts[run.added[at]] for at in range(new_from, new_to)]
            lines = tuple(ends.give(text, old_from + n) for n, text in enumerate(final))
            newline = _final_newline(old, new[new_from:new_to])
            edits.append(Edit(start + old_from, start + old_to, lines, newline, ends.verbatim))
    return edits


def _final_newline(old: list[_Marked], new: list[_Marked]) -> bool | None:
    if new and new[-1][1]:
        return False
    return True if old and old[-1][1] else None


def _file_lines(hunk: Hunk, placement: Placement) -> list[int | None]:
    """For each line of the hunk its line in the file, None for added or unmatched ones."""
    old = iter(placement.lines)
    return [None if line.op == "+" else next(old, None) for line in hunk.lines]


def _runs(hunk: Hunk) -> list[_Run]:
    runs: list[_Run] = []
    open_run = False
    for at, line in enumerate(hunk.lines):
        if line.op == " ":
            if open_run:
                runs[-1].after = at
            open_run = False
            continue
        if not open_run:
            runs.append(_Run([], [], at - 1 if at else None))
            open_run = True
        (runs[-1].removed if line.op == "-" else runs[-1].added).append(at)
    return runs


def _range(
    run: _Run, place: list[int | None], texts: list[bytes], source: Source
) -> tuple[int, int]:
    if run.removed:
        taken = [place[at] for at in run.removed]
        known = [at for at in taken if at is not None]
        if len(known) != len(taken) or known[-1] - known[0] + 1 != len(known):
            raise _apart("removed lines do not stand together in the file")
        return known[0], known[-1] + 1
    before = place[run.before] if run.before is not None else None
    after = place[run.after] if run.after is not None else None
    if before is None and after is None:
        if run.before is None and run.after is None:
            return 0, 0
        raise _apart("new lines stand beside lines that the file does not have")
    if before is None or after is None:
        at = before + 1 if before is not None else after if after is not None else 0
        return at, at
    at = _between(before + 1, after, run, texts, source)
    return at, at


def _between(low: int, high: int, run: _Run, texts: list[bytes], source: Source) -> int:
    """The insert point between two neighbours that only blank lines may part.

    New lines that end with a blank one go in front of what follows; those that start with one
    go behind what precedes; else they join the neighbour that has their indentation.
    """
    if low == high:
        return low
    if any(source.texts[at].strip() for at in range(low, high)):
        raise _apart("new lines would stand between lines that the hunk leaves out")
    added = [texts[at] for at in run.added]
    if not added[-1].strip():
        return high
    if not added[0].strip():
        return low
    first, above, below = (_indent(text) for text in (added[0], *_around(low, high, source)))
    return high if first == below != above else low


def _around(low: int, high: int, source: Source) -> tuple[bytes, bytes]:
    return source.texts[low - 1], source.texts[high] if high < len(source) else b""


def _indent(text: bytes) -> int:
    return len(text) - len(text.lstrip())


def _apart(why: str) -> RefusalError:
    return RefusalError(
        RefusalReason.NO_MATCH,
        f"The hunk cannot be placed exactly: its {why}. Send it again with every line of the "
        "file between the first and the last change, copied exactly.",
    )


def _opcodes(old: list[_Marked], new: list[_Marked]) -> list[tuple[int, int, int, int]]:
    """The spans that differ; lines said to be removed and added alike stay untouched."""
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    left, right = old[head : len(old) - tail], new[head : len(new) - tail]
    if max(len(left), len(right)) <= _ALIGNED and not set(left).isdisjoint(right):
        codes = SequenceMatcher(None, left, right, autojunk=False).get_opcodes()
        spans = [code[1:] for code in codes if code[0] != "equal"]
    else:
        spans = [(0, len(left), 0, len(right))] if left or right else []
    return [(a + head, b + head, c + head, d + head) for a, b, c, d in spans]


class _Ends:
    """Gives added lines the line end of what they replace or stand beside."""

    def __init__(self, source: Source, level: Level, start: int, end: int) -> None:
        near_ends = source.ends[max(start - 1, 0) : end + 1]
        self.verbatim = level is Level.EXACT and (any(near_ends) or source.common_end == b"\n")
        near = [*range(start, end), start - 1, end]
        self._near = [source.ends[at] for at in near if 0 <= at < len(source)]
        self._replaced = source.ends[start:end]
        self._common = source.common_end

    def give(self, text: bytes, at: int) -> bytes:
        if self.verbatim:
            return text
        text = text.rstrip(b"\r")
        if at < len(self._replaced) and self._replaced[at]:
            end = self._replaced[at]
        else:
            end = next((end for end in self._near if end), self._common)
        return text + b"\r" if end == b"\r\n" else text


def merge(edits: list[Edit]) -> list[Edit]:
    """The edits of one file in order, equal ones once.

    Raises RefusalError `conflict` when two overlap or insert different lines at one place.
    """
    unique = sorted(dict.fromkeys(edits), key=lambda edit: (edit.start, edit.end))
    for first, second in pairwise(unique):
        same_point = first.start == first.end == second.start == second.end
        if second.start < first.end or same_point:
            raise RefusalError(
                RefusalReason.CONFLICT,
                f"Two hunks change the same place (line {second.start + 1}) differently. Send "
                "one hunk for it, with the change that is meant.",
            )
    return unique
