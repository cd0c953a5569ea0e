"""Finds the one place of a hunk in the original file, or refuses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sandbox.patch.already import at_declared_line, shows_result, stands_already
from sandbox.patch.blankfree import match_without_blanks
from sandbox.patch.choose import choose
from sandbox.patch.explain import ambiguous, no_match
from sandbox.patch.hunk import Hunk
from sandbox.patch.indent import indent_of
from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.nearby import alike, never, same_but_remark, witnesses
from sandbox.patch.readings import (
    Reading,
    column_in_doubt,
    old_texts,
    reading_keys,
    readings,
    settle,
    usual_reading,
)
from sandbox.patch.source import RUNG_NAMES, Level, Source, key_for
from sandbox.patch.sparse import Match, Sparse, Way, match_core

_LOOSE: tuple[Match, ...] = (
    match_without_blanks,
    match_core(lone=False, liking=never),
    match_core(lone=False, liking=alike),
    match_core(lone=True, liking=never),
    match_core(lone=True, liking=same_but_remark),
)


@dataclass(frozen=True)
class Placement:
    """Where a hunk goes.

    `lines` gives for each old line of the hunk the index of its line in the file, or None for a
    context line that the file does not have. `rung` is `already` or `noop` where there is
    nothing to write. `witnesses` pairs old lines without place with the same lines near by: they
    tell nothing of the place, but how the hunk is indented.
    """

    rung: str
    level: Level
    reading: Reading
    lines: tuple[int | None, ...]
    start: int
    witnesses: tuple[tuple[int, int], ...] = ()

    @property
    def idle(self) -> bool:
        """Whether nothing is to be written."""
        return self.rung in ("already", "noop")


def place(hunk: Hunk, source: Source, habit: Callable[[], str | None]) -> Placement:
    """The place of one hunk; `habit` tells the reading that other hunks of the file need.

    Raises RefusalError: `no_anchor` without old lines in a file that has some, `ambiguous` for
    several places, `no_match` for none.
    """
    usual = usual_reading(hunk)
    if not hunk.old or not len(source):
        return _with_empty(hunk, source, usual)
    if hunk.changes:
        at = at_declared_line(hunk, source, usual)
        if at is not None:
            return Placement("already", Level.EXACT, usual, (), at)
        starts = source.find(old_texts(usual), Level.EXACT)
        if starts and not column_in_doubt(usual, source):
            return _among(starts, hunk, source, usual, Level.EXACT)
        if starts:
            raise _doubtful_column()
    found = _by_habit(readings(hunk, source), habit())
    if not hunk.changes:
        return _context_only(hunk, source, found)
    for attempt in (_contiguous, _done_before, _loose):
        placement = attempt(hunk, source, found)
        if placement is not None:
            return placement
    raise no_match(hunk, source)


def _by_habit(found: list[Reading], habit: str | None) -> list[Reading]:
    """Between the two readings that only differ in what they add, the habitual one stays."""
    if habit not in ("doubled", "spaced"):
        return found
    other = "spaced" if habit == "doubled" else "doubled"
    kept = [reading for reading in found if reading.name != other]
    return kept if any(reading.name == habit for reading in kept) else found


def _with_empty(hunk: Hunk, source: Source, usual: Reading) -> Placement:
    """A hunk without old lines, or a file without lines."""
    if not len(source) and not hunk.old:
        return Placement("empty", Level.EXACT, usual, (), 0)
    if not len(source) and not hunk.new and hunk.well_counted:
        return Placement("already", Level.EXACT, usual, (), 0)
    if hunk.old:
        raise no_match(hunk, source)
    added = [text.rstrip() for text in usual.texts]
    if added == source.keys(Level.TRAILING):
        return Placement("already", Level.TRAILING, usual, (), 0)
    raise RefusalError(
        RefusalReason.NO_ANCHOR,
        "The hunk only adds lines and shows no line of the file beside them, so its place is "
        "unknown. Send it again with three unchanged lines before and after the new ones.",
    )


def _hits(
    source: Source, found: list[Reading], skip: str, last: Level
) -> tuple[Level, Reading, list[int]] | None:
    """The first level at which the lines stand in the file, and the reading that fits there."""
    for level in Level:
        if level > last:
            break
        places = {
            reading: starts
            for reading in _worth_trying(found, level)
            if (starts := source.find(reading_keys(reading, level, skip), level))
        }
        if places:
            reading = _settled(list(places), source)
            return level, reading, places[reading]
    return None


def _worth_trying(found: list[Reading], level: Level) -> list[Reading]:
    """From the indent rung on, readings that differ in blanks alone are one."""
    if level < Level.INDENT:
        return found
    return [reading for reading in found if reading.name in ("usual", "numbered")]


def _settled(found: list[Reading], source: Source) -> Reading:
    reading = settle(found, source)
    if reading is None:
        raise _doubtful_column()
    return reading


def _doubtful_column() -> RefusalError:
    return RefusalError(
        RefusalReason.AMBIGUOUS,
        "The operator column of the hunk can be read in two ways that differ in the "
        "indentation of the new lines. Send it again with exactly one column in front.",
    )


def _run(start: int, size: int) -> tuple[int, ...]:
    return tuple(range(start, start + size))


def _contiguous(hunk: Hunk, source: Source, found: list[Reading]) -> Placement | None:
    hit = _hits(source, found, "+", Level.BLANKS)
    if hit is None:
        return None
    level, reading, starts = hit
    return _among(starts, hunk, source, reading, level)


def _stands_at(start: int, reading: Reading, source: Source) -> bool:
    """Whether the old lines stand at a line when indentation is not counted."""
    old, key = old_texts(reading), key_for(Level.INDENT)
    real = source.texts[start : start + len(old)] if start >= 0 else []
    return [key(text) for text in old] == [key(text) for text in real]


def _done_before(hunk: Hunk, source: Source, found: list[Reading]) -> Placement | None:
    """The lines as they should be stand in the file already."""
    hit = _hits(source, found, "-", Level.INDENT) if hunk.new else None
    if hit is None:
        return None
    level, reading, starts = hit
    likely = [at for at in starts if shows_result(source, reading, level, at)]
    if not likely or (len(likely) > 1 and not hunk.added):
        return None
    return Placement("already", level, reading, (), likely[0])


def _among(
    starts: list[int], hunk: Hunk, source: Source, reading: Reading, level: Level
) -> Placement:
    if hunk.old[-1].open_end and not source.has_final_newline:
        # The marker says that the hunk's last line is the file's.
        starts = [at for at in starts if at + len(hunk.old) == len(source)] or starts
    start = choose(starts, hunk, source)
    if start is None:
        raise ambiguous(hunk, source, starts)
    declared = (hunk.numbers.old_start or 0) - 1
    if level < Level.INDENT and start != declared and _stands_at(declared, reading, source):
        raise ambiguous(hunk, source, [start, declared])
    rung = RUNG_NAMES[level]
    if stands_already(source, reading, level, start):
        rung = "already"
    return Placement(rung, level, reading, _run(start, len(hunk.old)), start)


def _loose(hunk: Hunk, source: Source, found: list[Reading]) -> Placement | None:
    for match in _LOOSE:
        for level in Level:
            ways = {
                reading: sparse
                for reading in _worth_trying(found, level)
                if (sparse := match(reading, source, level)) is not None
            }
            if ways:
                reading = _settled(list(ways), source)
                return _from_sparse(ways[reading], hunk, source, reading, level)
    return None


def _from_sparse(
    sparse: Sparse, hunk: Hunk, source: Source, reading: Reading, level: Level
) -> Placement:
    if len(sparse.ways) > 1:
        starts = [_implied_start(way) for way in sparse.ways]
        start = choose(starts, hunk, source)
        if start is None:
            raise ambiguous(hunk, source, starts)
        way = sparse.ways[starts.index(start)]
    else:
        way = sparse.ways[0]
    first = next(at for at in way if at is not None)
    texts = old_texts(reading)
    seen = witnesses(texts, way, source)
    if any(indent_of(texts[old]) != indent_of(source.texts[at]) for old, at in seen):
        level = max(level, Level.INDENT)
    return Placement(sparse.rung, level, reading, tuple(way), first, tuple(seen))


def _implied_start(way: Way) -> int:
    """The line of the first old line, if nothing was left out in front of the matched ones."""
    old, at = next((old, at) for old, at in enumerate(way) if at is not None)
    return max(at - old, 0)


def _context_only(hunk: Hunk, source: Source, found: list[Reading]) -> Placement:
    """A hunk that changes nothing is dropped, but only if the file has its lines."""
    usual = found[0]
    if _hits(source, found, "+", Level.BLANKS) is not None:
        return Placement("noop", Level.EXACT, usual, (), 0)
    known = source.where(Level.BLANKS)
    numbers = hunk.numbers
    for reading in found:
        keys = reading_keys(reading, Level.BLANKS, "+")
        if all(not key or key in known for key in keys):
            break
    else:
        raise no_match(hunk, source)
    if numbers.old_count != numbers.new_count:
        # Its header announces a change: the signs of its changed lines may have been lost.
        raise no_match(hunk, source)
    return Placement("noop", Level.EXACT, usual, (), 0)
