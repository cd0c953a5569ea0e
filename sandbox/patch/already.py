"""Recognises hunks whose result stands in the file already."""

from __future__ import annotations

from sandbox.patch.hunk import Hunk
from sandbox.patch.readings import Reading, reading_keys
from sandbox.patch.source import Level, Source
from sandbox.patch.sparse import MIN_WEIGHT, groups_of, weight

CONTEXT = 3


def stands_already(source: Source, reading: Reading, level: Level, start: int) -> bool:
    """Whether the new lines stand where the old ones match too.

    That is so for lines added at an edge of the hunk, and at the end of a file for a hunk whose
    short trailing context says that it belongs there.
    """
    ops = reading.ops
    if ops.count("+") <= ops.count("-"):
        return False
    trailing = len(ops) - len(ops.rstrip(" "))
    size = len(ops) - ops.count("-")
    at_end = trailing < CONTEXT and start + size == len(source)
    if "+" not in (ops[0], ops[-1]) and not at_end:
        return False
    keys = reading_keys(reading, level, "-")
    first = start - (len(ops) - len(ops.lstrip("+")))
    return first >= 0 and source.keys(level)[first : first + len(keys)] == keys


def at_declared_line(hunk: Hunk, source: Source, usual: Reading) -> int | None:
    """Where the new lines stand exactly as the header says, and the old ones do not."""
    numbers = hunk.numbers
    if numbers.old_start is None or numbers.new_start is None:
        return None
    keys = source.keys(Level.EXACT)
    new = reading_keys(usual, Level.EXACT, "-")
    old = reading_keys(usual, Level.EXACT, "+")
    at, was = max(numbers.new_start - 1, 0), max(numbers.old_start - 1, 0)
    if not new or keys[at : at + len(new)] != new or keys[was : was + len(old)] == old:
        return None
    weak = weight(new) < MIN_WEIGHT and not hunk.well_counted
    if weak and source.find(old, Level.EXACT):
        return None
    return at if _removals_done(source, usual, Level.EXACT, at) else None


def shows_result(source: Source, reading: Reading, level: Level, start: int) -> bool:
    """Whether the new lines, found at `start`, are enough to tell that the change was made."""
    keys = reading_keys(reading, level, "-")
    return weight(keys) >= MIN_WEIGHT and _removals_done(source, reading, level, start)


def _removals_done(source: Source, reading: Reading, level: Level, start: int) -> bool:
    """Whether the removed lines are really gone, where nothing that was added can tell.

    Context alone stands in the file anyway: so both neighbours of a mere removal have to be
    there (or the edge of the file), and none of its lines may still be close, unless the hunk
    has it there.
    """
    old = reading_keys(reading, level, "+")
    expected = set(reading_keys(reading, level, "-"))
    new_index = _indices_in_new(reading.ops)
    added = _added_weights(reading)
    for group, weighs in zip(groups_of(reading.ops), added, strict=True):
        if weighs or not group.removed:
            continue
        at = start + new_index[group.removed[0]]
        if group.before is None and at != 0:
            return False
        if group.after is None and at != len(source):
            return False
        near = set(source.keys(level)[at : at + len(group.removed) + 1]) - expected
        if any(old[line].strip() and old[line] in near for line in group.removed):
            return False
    return True


def _indices_in_new(ops: str) -> list[int]:
    """For each old line, how many lines of the new side stand in front of it."""
    found: list[int] = []
    new = 0
    for op in ops:
        if op != "+":
            found.append(new)
        new += op != "-"
    return found


def _added_weights(reading: Reading) -> list[int]:
    """For each run of changes, how much its added lines weigh."""
    weights: list[int] = []
    open_run = False
    for text, op in zip(reading.texts, reading.ops, strict=True):
        if op == " ":
            open_run = False
            continue
        if not open_run:
            weights.append(0)
            open_run = True
        weights[-1] += len(text.strip()) if op == "+" else 0
    return weights
