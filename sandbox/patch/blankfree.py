"""Places hunks from which blank lines were lost, or into which some came."""

from __future__ import annotations

from sandbox.patch.readings import Reading
from sandbox.patch.source import Level, Source, key_for
from sandbox.patch.sparse import MIN_WEIGHT, Sparse, Way, weight


def match_without_blanks(reading: Reading, source: Source, level: Level) -> Sparse | None:
    """Lays the old lines over the file with blank lines on both sides left out."""
    key = key_for(level)
    old = [
        (key(text), op) for text, op in zip(reading.texts, reading.ops, strict=True) if op != "+"
    ]
    pattern = [text for text, _ in old if text.strip()]
    if weight(pattern) < MIN_WEIGHT:
        return None
    keys = source.keys(level)
    solid = [at for at, text in enumerate(keys) if text.strip()]
    dense = Source.from_keys([keys[at] for at in solid])
    ways: list[Way] = []
    for start in dense.find(pattern, Level.EXACT):
        way = _fill_blanks(old, solid[start : start + len(pattern)], keys)
        if all(way[at] is not None for at, (_, op) in enumerate(old) if op == "-"):
            ways.append(way)
    return Sparse("blank-free", tuple(ways)) if ways else None


def _fill_blanks(old: list[tuple[bytes, str]], solid: list[int], keys: list[bytes]) -> Way:
    """Gives the hunk's blank lines blank lines of the file from the same gap.

    Blank lines that are removed together with what follows are taken from the end of the gap,
    others from its start.
    """
    way: list[int | None] = []
    queue = iter(solid)
    last = -1
    at = 0
    while at < len(old):
        size = next((n for n, (text, _) in enumerate(old[at:]) if text.strip()), len(old) - at)
        ahead = next(queue, None)
        gap = _gap(last, ahead, keys)
        way += _shared(old[at : at + size], old[at + size : at + size + 1], gap)
        if ahead is not None and at + size < len(old):
            way.append(ahead)
            last = ahead
        at += size + 1
    return tuple(way)


def _shared(
    blank: list[tuple[bytes, str]], follows: list[tuple[bytes, str]], gap: list[int]
) -> list[int | None]:
    size = len(blank)
    if blank and follows and blank[-1][1] == follows[0][1] == "-":
        tail = gap[max(len(gap) - size, 0) :]
        return [*[None] * (size - len(tail)), *tail]
    return [*gap[:size], *[None] * (size - len(gap))]


def _gap(last: int, ahead: int | None, keys: list[bytes]) -> list[int]:
    """The blank lines of the file between two matched lines, or beside the only one."""
    if ahead is None:
        stop = last + 1
        while stop < len(keys) and not keys[stop].strip():
            stop += 1
        return list(range(last + 1, stop))
    if last >= 0:
        return list(range(last + 1, ahead))
    start = ahead
    while start > 0 and not keys[start - 1].strip():
        start -= 1
    return list(range(start, ahead))
