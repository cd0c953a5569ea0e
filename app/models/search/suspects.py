"""How suspicious each definition and line is, from tracebacks, the failing tests and the issue."""

import ast
import heapq
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

from app.models.search.index import Definition, Function, Index
from app.models.search.references import ALWAYS_RUN, Reference, references, resolve
from app.models.search.targets import Entry, entries
from app.models.search.traceback import Frame, frames
from sandbox.results import CaseResult

_DEEPEST, _HIGHER = 1.0, 0.7
_A_CALL_AWAY, _WITHIN_TESTS = 0.75, 0.95
_LEAST = 0.04
_MENTIONED = 1.4
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_CALLED = re.compile(r"where .{0,200}? = (?:<[^>]*>\.)?([\w.]+)\(")
_IN_CLASS = 0.35
_SHARES_A_GLOBAL = 0.45


@dataclass(slots=True)
class Suspicion:
    """Weights in (0, 1.4]; `framed` are lines that a traceback names (path, line)."""

    weights: dict[Definition, float] = field(default_factory=dict)
    framed: set[tuple[str, int]] = field(default_factory=set)

    def ranked(self) -> list[tuple[Definition, float]]:
        """Most suspicious first, ties by place."""
        return sorted(
            self.weights.items(), key=lambda pair: (-pair[1], pair[0].path, pair[0].lines)
        )


def suspicion(
    index: Index, editable: frozenset[str], failing: Sequence[CaseResult], issue: str
) -> Suspicion:
    """What to suspect in the files of `editable`, given the failing targets and the issue."""
    found = Suspicion()
    reach = _Reach(index)
    for case in failing:
        trace = frames(case.message, index.modules)
        _from_frames(index, trace, found, reach)
        for entry in entries(index, case.id, trace):
            reach.enter(entry)
    reach.walk()
    mentioned = _mentioned(failing, issue)
    if not any(item.path in editable for item in reach.best):
        reach.add_named(mentioned)
    for item, weight in reach.best.items():
        if item.path in editable and not isinstance(item.node, ast.ClassDef):
            named = _MENTIONED if item.name in mentioned else 1.0
            found.weights[item] = weight * named
    return found


def _from_frames(index: Index, trace: list[Frame], found: Suspicion, reach: "_Reach") -> None:
    """The innermost frame weighs most; the code it calls may have handed it something wrong."""
    for place, frame in enumerate(trace):
        found.framed.add((frame.path, frame.line))
        around = index.modules[frame.path].around(frame.line)
        if around is not None:
            reach.push(around, _DEEPEST if place == len(trace) - 1 else _HIGHER)


def _mentioned(failing: Sequence[CaseResult], issue: str) -> set[str]:
    words = set(_WORD.findall(issue))
    for case in failing:
        words.update(name.rpartition(".")[2] for name in _CALLED.findall(case.message))
        name = re.split(r"::|\.", case.id.partition("[")[0])[-1].removeprefix("test_")
        parts = name.split("_")
        words.update(
            "_".join(parts[first:last])
            for first in range(len(parts))
            for last in range(first + 1, len(parts) + 1)
        )
    return words


class _Reach:
    """Best-first walk along names: the belief in a definition fades with each call."""

    def __init__(self, index: Index) -> None:
        self.best: dict[Definition, float] = {}
        self._index = index
        self._order = count()
        self._queue: list[tuple[float, int, Definition]] = []
        self._read: dict[Definition, tuple[Reference, ...]] = {}

    def push(self, item: Definition, weight: float) -> None:
        """Believe in `item` at least as much as `weight`."""
        if weight > max(self.best.get(item, 0.0), _LEAST):
            self.best[item] = weight
            heapq.heappush(self._queue, (-weight, next(self._order), item))

    def enter(self, entry: Entry) -> None:
        """Start from a piece of a failing test."""
        for wanted in dict.fromkeys(references(entry.nodes)):
            for item, share in resolve(self._index, entry.path, wanted, entry.owner):
                self.push(item, entry.weight * share)

    def add_named(self, names: set[str]) -> None:
        """Nothing is reachable: what the issue names is all there is."""
        for name in sorted(names):
            for item in self._index.by_name.get(name, ()):
                self.push(item, 0.5)
        self.walk()

    def walk(self) -> None:
        """Follow what was pushed until belief is too thin."""
        while self._queue:
            weight, _, item = heapq.heappop(self._queue)
            if -weight < self.best[item]:
                continue
            for reached, share in self._next(item):
                self.push(reached, -weight * share)

    def _next(self, item: Definition) -> Iterator[tuple[Definition, float]]:
        if isinstance(item.node, ast.ClassDef):
            yield from self._members(item, item.node)
            return
        if not isinstance(item.node, Function) and item.owner is None:
            for user in self._index.users[item.path, item.name]:
                yield user, _SHARES_A_GLOBAL
        test = not self._is_source(item)
        for wanted in self._references(item):
            for reached, share in resolve(self._index, item.path, wanted, item.owner):
                yield reached, share * (_WITHIN_TESTS if test else _A_CALL_AWAY)

    def _is_source(self, item: Definition) -> bool:
        return item.path not in self._index.tests

    def _references(self, item: Definition) -> tuple[Reference, ...]:
        if item not in self._read:
            self._read[item] = tuple(dict.fromkeys(references([item.node])))
        return self._read[item]

    def _members(self, item: Definition, node: ast.ClassDef) -> Iterator[tuple[Definition, float]]:
        for member in self._index.modules[item.path].definitions:
            if member.owner == item.name:
                yield member, 0.9 if member.name in ALWAYS_RUN else _IN_CLASS
        for wanted in references(node.bases):
            for reached, share in resolve(self._index, item.path, wanted, item.owner):
                yield reached, share * 0.8
