"""Places hunks whose context has gaps: by their changes and direct neighbours, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from sandbox.patch.nearby import REACH, Liking, explained, same_but_remark
from sandbox.patch.readings import Reading, old_texts
from sandbox.patch.source import Level, Source, key_for

MIN_WEIGHT = 10
LONE_WEIGHT = 16
MAX_PLACES = 200
MAX_WAYS = 50
MAX_GROUPS = 60
MAX_STEPS = 20_000

_WORD = bytes(byte for byte in range(256) if chr(byte).isalnum())

Way = tuple[int | None, ...]


@dataclass(frozen=True)
class Sparse:
    """Every way to lay the old lines of a hunk over the file, and the rung that found them."""

    rung: str
    ways: tuple[Way, ...]


Match = Callable[[Reading, Source, Level], Sparse | None]


def weight(keys: Sequence[bytes]) -> int:
    """How many letters and digits the lines hold: what makes a match tell anything."""
    return sum(len(key) - len(key.translate(None, _WORD)) for key in keys)


def match_core(*, lone: bool, liking: Liking) -> Match:
    """A matcher that lays each group of changes, with its direct neighbours, over the file.

    Context farther out may be stale or have gaps, but each such line has to be accounted for on
    its side. With `lone`, a removal may lack a neighbour as long as it is near by;
    `liking` says which lines account for a stale one. Several ways are left to the caller
    to decide between.
    """

    def match(reading: Reading, source: Source, level: Level) -> Sparse | None:
        texts, key = old_texts(reading), key_for(level)
        field = _Field(texts, [key(text) for text in texts], source, level, liking)
        groups = groups_of(reading.ops)
        if len(groups) > MAX_GROUPS:
            return None
        spots = [field.spots(group, lone) for group in groups]
        if not all(spots) or any(len(found) > MAX_PLACES for found in spots):
            return None
        ways = tuple(islice(field.ways(spots), MAX_WAYS))
        return Sparse("neighbour" if lone else "core", ways) if ways else None

    return match


@dataclass(frozen=True)
class Group:
    """One run of changes: indices, among the old lines, of what it removes and its neighbours."""

    before: int | None
    removed: tuple[int, ...]
    after: int | None

    def core(self, with_before: bool = True, with_after: bool = True) -> list[int]:
        """The removed lines with one, both or none of the neighbours."""
        return [
            *([self.before] if with_before and self.before is not None else []),
            *self.removed,
            *([self.after] if with_after and self.after is not None else []),
        ]


def groups_of(ops: str) -> list[Group]:
    """The runs of changes of a hunk, in order, from the signs of its lines."""
    groups: list[Group] = []
    at, old = 0, 0
    while at < len(ops):
        if ops[at] == " ":
            at, old = at + 1, old + 1
            continue
        first, before = old, old - 1 if old > 0 and ops[at - 1] == " " else None
        while at < len(ops) and ops[at] != " ":
            old += ops[at] == "-"
            at += 1
        groups.append(Group(before, tuple(range(first, old)), old if at < len(ops) else None))
    return groups


@dataclass(frozen=True)
class _Spot:
    """A place of one group: file line by old line, for the lines that were matched."""

    lines: dict[int, int]

    @property
    def first(self) -> int:
        return min(self.lines.values())

    @property
    def last(self) -> int:
        return max(self.lines.values())


@dataclass(frozen=True)
class _Field:
    """The old lines of a hunk and the file that they are laid over."""

    texts: list[bytes]
    keys: list[bytes]
    source: Source
    level: Level
    liking: Liking
    steps: Iterator[int] = field(default_factory=lambda: iter(range(MAX_STEPS)))

    def spots(self, group: Group, lone: bool) -> list[_Spot]:
        """Where a group stands with its neighbours or, with `lone`, without some of them."""
        core = group.core()
        found = self._find(core)
        if found or not lone:
            return found
        for part in (group.core(True, False), group.core(False, True), group.core(False, False)):
            if not part or len(part) == len(core):
                continue
            if group.removed and weight([self.keys[at] for at in part]) < LONE_WEIGHT:
                continue
            found = [
                spot
                for spot in self._find(part)
                if group.removed or self._only_remark_missing(group, spot)
            ]
            if found:
                return found
        return []

    def _find(self, part: list[int]) -> list[_Spot]:
        starts = self.source.find([self.keys[at] for at in part], self.level)
        return [_Spot({old: start + offset for offset, old in enumerate(part)}) for start in starts]

    def _only_remark_missing(self, group: Group, spot: _Spot) -> bool:
        """For an insert: the neighbour that did not match is there, with a comment behind it."""
        missing = next(at for at in group.core() if at not in spot.lines)
        at = spot.first - 1 if missing == group.before else spot.last + 1
        texts = self.source.texts
        if not 0 <= at < len(texts) or not same_but_remark(self.texts[missing], texts[at]):
            return False
        spot.lines[missing] = at
        return True

    def ways(self, spots: list[list[_Spot]]) -> Iterator[Way]:
        """Every way, with the context that joins it without a gap, that weighs enough to tell."""
        for chain in self._chains(spots, ()):
            lines: dict[int, int] = {}
            for spot in chain:
                lines |= spot.lines
            self._extend(lines)
            if weight([self.keys[at] for at in lines]) >= MIN_WEIGHT:
                yield tuple(lines.get(at) for at in range(len(self.texts)))

    def _extend(self, lines: dict[int, int]) -> None:
        """Adds the old lines next to matched ones that go on matching, in place."""
        real = self.source.keys(self.level)
        for step in (-1, 1):
            for edge in list(lines):
                old, at = edge + step, lines[edge] + step
                while (
                    0 <= old < len(self.keys)
                    and 0 <= at < len(real)
                    and old not in lines
                    and self.keys[old] == real[at]
                ):
                    lines[old] = at
                    old, at = old + step, at + step

    def _chains(
        self, spots: list[list[_Spot]], taken: tuple[_Spot, ...]
    ) -> Iterator[tuple[_Spot, ...]]:
        at = len(taken)
        if at == len(spots):
            below = self.texts[max(taken[-1].lines) + 1 :]
            if explained(below, self.source, taken[-1].last + 1, 1, liking=self.liking):
                yield taken
            return
        for spot in spots[at]:
            if next(self.steps, None) is None:
                return  # a file of like lines: too many ways to tell them apart
            fits = self._follows(taken[-1], spot) if taken else self._starts(spot)
            if fits:
                yield from self._chains(spots, (*taken, spot))

    def _starts(self, spot: _Spot) -> bool:
        above = self.texts[: min(spot.lines)][::-1]
        return explained(above, self.source, spot.first - 1, -1, liking=self.liking)

    def _follows(self, before: _Spot, spot: _Spot) -> bool:
        """Whether a group can stand here behind the one before it."""
        first, shared = min(spot.lines), max(before.lines)
        if shared >= first:
            same = all(before.lines.get(old, at) == at for old, at in spot.lines.items())
            return same and spot.last >= before.last
        between = self.texts[shared + 1 : first]
        gap = spot.first - before.last - 1
        if gap < 0 or gap > len(between) + REACH:
            return False
        edge, liking = before.last + 1, self.liking
        return explained(between, self.source, edge, 1, stop=spot.first, liking=liking)
