"""Decides whether a context line that is not where it should be is accounted for by the file."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher

from sandbox.patch.source import Level, Source, fold, squeeze

REACH = 12
LIKENESS = 0.75

_REMARK = re.compile(rb"^\s*(?://|#|/\*|--|;|<!--|%)")


Liking = Callable[[bytes, bytes], bool]


def never(text: bytes, other: bytes) -> bool:  # noqa: ARG001 (a Liking that likes nothing)
    """The strictest way to compare a line with the one at its place."""
    return False


def explained(
    lost: Sequence[bytes],
    source: Source,
    edge: int,
    step: int,
    *,
    liking: Liking,
    stop: int | None = None,
) -> bool:
    """Whether every line of `lost`, nearest first, has its counterpart on one side of a place.

    `edge` is the file line next to the place on that side and `step` the direction away from it
    (-1 up, +1 down); nothing beyond `stop` counts. The counterparts have to stand in order and
    within 12 lines (and as many as are lost); each is the same line or, at the place where it is
    due, one that `liking` accepts.
    """
    reach = REACH + len(lost)
    window = [at for at in range(edge, edge + step * reach, step) if 0 <= at < len(source)]
    if stop is not None:
        window = [at for at in window if (at - stop) * step < 0]
    keys = source.keys(Level.BLANKS)
    solid = [at for at in window if keys[at]]
    position = 0
    for text in lost:
        key = squeeze(fold(text))
        if not key:
            continue
        ahead = range(position, len(solid))
        found = next((at for at in ahead if keys[solid[at]] == key), None)
        if found is None:
            due = ahead[:2]
            found = next((at for at in due if liking(text, source.texts[solid[at]])), None)
        if found is None:
            return False
        position = found + 1
    return True


def witnesses(
    texts: Sequence[bytes], way: Sequence[int | None], source: Source
) -> list[tuple[int, int]]:
    """Old lines that have no place, with the nearest line on their side that says the same."""
    keys = source.keys(Level.BLANKS)
    known = [(old, at) for old, at in enumerate(way) if at is not None]
    found: list[tuple[int, int]] = []
    for old, text in enumerate(texts):
        key = squeeze(fold(text))
        if way[old] is not None or not key:
            continue
        anchor, at = min(known, key=lambda pair: abs(pair[0] - old))
        step = 1 if old > anchor else -1
        reach = range(at + step, at + step * (REACH + abs(old - anchor)), step)
        same = next((line for line in reach if 0 <= line < len(keys) and keys[line] == key), None)
        if same is not None:
            found.append((old, same))
    return found


def alike(text: bytes, other: bytes) -> bool:
    """Whether a stale or shortened context line still means this line of the file."""
    if same_but_remark(text, other):
        return True
    first, second = fold(text).strip(), fold(other).strip()
    if not first or not second or min(len(first), len(second)) > 400:
        return False
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    return matcher.real_quick_ratio() >= LIKENESS and matcher.ratio() >= LIKENESS


def same_but_remark(text: bytes, other: bytes) -> bool:
    """Whether the file's line is this one with a comment behind it."""
    first, second = fold(text).strip(), fold(other).strip()
    rest = second[len(first) :]
    return (
        len(first) >= 1
        and second.startswith(first)
        and rest[:1] in (b" ", b"\t")
        and bool(_REMARK.match(rest))
    )
