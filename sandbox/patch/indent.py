"""Works out how a hunk's indentation maps to the file's, from lines that stand in both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import gcd

from sandbox.patch.source import fold

_UNITS = (b"\t", b" " * 2, b" " * 4, b" " * 8)

_WIDE = b" " * 8

Rule = Callable[[bytes], bytes | None]


def indent_of(text: bytes) -> bytes:
    """The leading blanks and tabs of a line, typographic blanks read as plain ones."""
    plain = fold(text)
    return plain[: len(plain) - len(plain.lstrip(b" \t"))]


@dataclass(frozen=True)
class IndentMap:
    """Pairs of indentation, as in the hunk and as in the file, and what follows from them."""

    pairs: frozenset[tuple[bytes, bytes]]
    unit: bytes
    hunk_unit: bytes

    @property
    def same(self) -> bool:
        """Whether the hunk is indented as the file is."""
        return all(mine == real for mine, real in self.pairs)

    def on_grid(self) -> bool:
        """Whether one rule explains all pairs, with a shift of whole steps of the file."""
        return self.same or any(True for _ in self._rules())

    def apply(self, indent: bytes) -> bytes | None:
        """The file's indentation for one of the hunk, or None if it cannot be told."""
        if self.same:
            return indent
        seen = {real for mine, real in self.pairs if mine == indent}
        if seen:
            return seen.pop() if len(seen) == 1 else None
        if self._in_file_style(indent):
            return indent
        for rules in (self._rules(), self._likely_rules()):
            answer = self._only(rules, indent)
            if answer is not None:
                return answer
        return None

    def _only(self, rules: Iterable[Rule], indent: bytes) -> bytes | None:
        answers = {answer for rule in rules if (answer := rule(indent)) is not None}
        return answers.pop() if len(answers) == 1 else None

    def _in_file_style(self, indent: bytes) -> bool:
        """A line indented with the file's tabs (or spaces) beside context that has the other."""
        mine = b"".join(pair[0] for pair in self.pairs)
        style = self.unit[:1]
        return bool(indent and style and mine) and (not indent.strip(style) and style not in mine)

    def _rules(self) -> Iterator[Rule]:
        yield from self._shifts()
        for mine in _UNITS:
            for real in (self.unit,) if self.unit else _UNITS:
                yield from self._scales(mine, real)

    def scale_rules(self) -> Iterator[Rule]:
        """Rules that turn the hunk's unit into the file's, if no mere shift explains the pairs."""
        if any(True for _ in self._shifts()):
            return
        for mine in (self.hunk_unit, *_UNITS):
            if all(_shift(pair, mine, self.unit) == 0 for pair in self.pairs if mine and self.unit):
                yield from self._scales(mine, self.unit)

    def _likely_rules(self) -> Iterator[Rule]:
        """What the hunk's own steps suggest: a shift where they are the file's, else a new unit.

        A hunk whose context is indented by exactly half (or twice) may be either, so both count.
        """
        if self.hunk_unit == self.unit or self.hunk_unit not in _UNITS:
            yield from self._shifts()
            if any(mine for mine, _ in self.pairs):
                yield from self._pure_scales()
        elif self.hunk_unit != _WIDE or self.unit in (b"\t", b""):
            yield from self._scales(self.hunk_unit, self.unit)

    def _pure_scales(self) -> Iterator[Rule]:
        """Rules that turn one unit into the file's without any shift."""
        for mine in _UNITS:
            if self.unit and all(_shift(pair, mine, self.unit) == 0 for pair in self.pairs):
                yield from self._scales(mine, self.unit)

    def _shifts(self) -> Iterator[Rule]:
        first_mine, first_real = next(iter(self.pairs))
        if first_real.endswith(first_mine):
            more = first_real[: len(first_real) - len(first_mine)]
            if all(real == more + mine for mine, real in self.pairs) and self._whole(more):
                yield lambda indent: more + indent
        if first_mine.endswith(first_real):
            less = first_mine[: len(first_mine) - len(first_real)]
            if all(mine == less + real for mine, real in self.pairs) and self._whole(less):
                yield lambda indent: indent[len(less) :] if indent.startswith(less) else None

    def _whole(self, shift: bytes) -> bool:
        if not self.unit or not shift:
            return bool(shift)
        return shift == self.unit * (len(shift) // len(self.unit))

    def _scales(self, mine: bytes, real: bytes) -> Iterator[Rule]:
        if not mine or not real:
            return
        shifts = {_shift(pair, mine, real) for pair in self.pairs}
        shift = shifts.pop()
        if shifts or shift is None:
            return
        steps = shift

        def rule(indent: bytes) -> bytes | None:
            count, rest = _steps(indent, mine)
            return real * (count + steps) + rest if count + steps >= 0 else None

        yield rule


def _steps(indent: bytes, unit: bytes) -> tuple[int, bytes]:
    count = 0
    while indent.startswith(unit):
        indent, count = indent[len(unit) :], count + 1
    return count, indent


def _shift(pair: tuple[bytes, bytes], mine: bytes, real: bytes) -> int | None:
    count, rest = _steps(pair[0], mine)
    real_count, real_rest = _steps(pair[1], real)
    if rest == real_rest:
        return real_count - count
    return None


def unit_of(indents: Iterable[bytes]) -> bytes:
    """The step that a hunk's own indentations are made of: a tab, or a number of spaces."""
    found = [indent for indent in indents if indent]
    if any(b"\t" in indent for indent in found):
        return b"\t"
    sizes = sorted({len(indent) for indent in found})
    step = gcd(*sizes) if sizes else 0
    if step == 1:
        step = next((size for size in sizes if size > 1), 1)
    return b" " * step
