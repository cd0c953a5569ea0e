"""What a defect is, and how to put one into every hunk or every line of a draft."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from tests.bench._drafts import Draft, DraftHunk, Line

Defect = Callable[[Draft, random.Random], bool]
Wrapping = Callable[[str, Draft, random.Random], str]


@dataclass(frozen=True)
class Kind:
    """A defect with its name and the group of which one diff takes at most one."""

    name: str
    group: str
    spoil: Defect | None = None
    wrap: Wrapping | None = None


def each(change: Callable[[DraftHunk, random.Random], None]) -> Defect:
    def spoil(draft: Draft, chance: random.Random) -> bool:
        for hunk in draft.hunks:
            change(hunk, chance)
        return True

    return spoil


def lines(change: Callable[[str, str], Line]) -> Defect:
    def spoil(draft: Draft, chance: random.Random) -> bool:
        before = [list(hunk.lines) for hunk in draft.hunks]
        for hunk in draft.hunks:
            hunk.lines = [change(op, text) for op, text in hunk.lines]
        return before != [hunk.lines for hunk in draft.hunks]

    return spoil
