"""What the hunks of one file have in common: a defect of one is a hint for its neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from sandbox.patch.hunk import Hunk
from sandbox.patch.indent import indent_of
from sandbox.patch.place import Placement
from sandbox.patch.readings import Reading, old_texts, readings, usual_reading
from sandbox.patch.source import FANCY, Level, Source, decode, key_for

Pair = tuple[bytes, bytes]

_FAMILIES = ("‘’‚‛′“”„‟″", "‐‑‒–—―−", "".join(mark for mark in FANCY if FANCY[mark] == " "))


@dataclass(frozen=True)
class Habits:
    """`table` undoes typographic marks; `indents` are pairs of indentation that differ."""

    table: dict[int, str] = field(default_factory=dict)
    indents: frozenset[Pair] = frozenset()


def habits_of(placed: Sequence[tuple[Hunk, Placement]], source: Source) -> Habits:
    """The habits of the hunks of one file, from lines that stand in both."""
    pairs = [
        pair
        for _, placement in placed
        if not placement.idle and (placement.level > Level.EXACT or placement.witnesses)
        for pair in matched_pairs(placement.reading, placement, source)
    ]
    indents = {(indent_of(mine), indent_of(real)) for mine, real in pairs if mine.strip()}
    differ = frozenset(pair for pair in indents if pair[0] != pair[1])
    return Habits(_typography(pairs), differ)


def matched_pairs(reading: Reading, placement: Placement, source: Source) -> list[Pair]:
    """Old lines of the hunk with the lines of the file that they are, without line ends."""
    old = old_texts(reading)
    known = [(old_at, at) for old_at, at in enumerate(placement.lines) if at is not None]
    return [
        (old[old_at].rstrip(b"\r"), source.texts[at].rstrip(b"\r"))
        for old_at, at in (*known, *placement.witnesses)
    ]


def operator_habit(hunks: Sequence[Hunk], source: Source) -> str | None:
    """The reading of the operator column that hunks of this file need beyond doubt, if one.

    Only hunks that remove something can tell a blank after every operator from one too many in
    front of context.
    """
    needed: set[str] = set()
    for hunk in hunks:
        if source.find(old_texts(usual_reading(hunk)), Level.EXACT):
            continue
        if any(line.text.strip() for line in hunk.removed):
            needed |= _needed(hunk, source)
    return needed.pop() if len(needed) == 1 else None


def _needed(hunk: Hunk, source: Source) -> set[str]:
    found = readings(hunk, source)
    if not {"doubled", "spaced"} & {reading.name for reading in found}:
        return set()
    key = key_for(Level.TRAILING)
    hits = {
        reading.name
        for reading in found
        if source.find([key(text) for text in old_texts(reading)], Level.TRAILING)
    }
    return hits if len(hits) == 1 and hits <= {"doubled", "spaced"} else set()


def _typography(pairs: Sequence[Pair]) -> dict[int, str]:
    """Marks that the hunks have where the file has plain ones, with all marks of their kind."""
    table: dict[int, str] = {}
    for mine, real in pairs:
        if not mine.isascii():
            for fancy in _made_fancy(decode(mine), decode(real)):
                family = next((marks for marks in _FAMILIES if fancy in marks), fancy)
                table |= {ord(mark): FANCY[mark] for mark in family}
    return table


def _made_fancy(mine: str, real: str) -> Iterator[str]:
    for mark in set(mine) & FANCY.keys():
        if mine.count(mark) > real.count(mark) and (FANCY[mark] in real or real.isascii()):
            yield mark
