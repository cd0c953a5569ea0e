"""From the id and the traceback of a failing test to the pieces of test code that matter."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.models.search.index import Definition, Function, Index
from app.models.search.traceback import Frame

_FAILING, _FEEDS_IT, _BEFORE, _AFTER, _UNKNOWN = 1.0, 0.9, 0.6, 0.12, 0.8
_SET_UP = 0.7
_FIXTURE_METHODS = frozenset({"setUp", "setUpClass", "setup_method", "setup_class"})


@dataclass(frozen=True, slots=True)
class Entry:
    """Statements of a test file and how much they have to do with the failure (0 to 1)."""

    path: str
    nodes: tuple[ast.AST, ...]
    weight: float
    owner: str | None


def entries(index: Index, test_id: str, trace: list[Frame]) -> Iterator[Entry]:
    """Where to start for one failing test: the line that failed, what feeds it, set-up."""
    for test in _tests(index, test_id):
        lines = [
            frame.line
            for frame in trace
            if frame.path == test.path and test.lines[0] <= frame.line <= test.lines[1]
        ]
        yield from _statements(test, lines[-1] if lines else None)
        yield from _set_up(index, test)


def _tests(index: Index, test_id: str) -> list[Definition]:
    plain = re.sub(r"\[.*", "", test_id, flags=re.DOTALL)
    words = [word for word in re.split(r"::|/|\.", plain) if word]
    if not words:
        return []
    named = [
        item
        for item in index.by_name.get(words[-1], ())
        if item.path in index.tests and isinstance(item.node, Function)
    ]
    return sorted(named, key=lambda item: -_fit(item, words))[:1]


def _fit(item: Definition, words: list[str]) -> int:
    own = [*item.path.removesuffix(".py").split("/"), *([item.owner] if item.owner else [])]
    return sum(word in words for word in own) - sum(word not in words for word in own)


def _statements(test: Definition, failed: int | None) -> Iterator[Entry]:
    """Code after the failing line never ran; a name on that line leads to its assignment."""
    assert isinstance(test.node, Function)  # noqa: S101 # _tests picks functions only
    simple = [node for node in ast.walk(test.node) if isinstance(node, ast.stmt)]
    simple = [node for node in simple if not hasattr(node, "body")]
    feeding = _names_on(simple, failed)
    for node in simple:
        weight = _weight(node, failed)
        if weight == _BEFORE and feeding & _stored(node):
            weight = _FEEDS_IT
        yield Entry(test.path, (node,), weight, test.owner)
    headers = [*_headers(test.node), *test.node.decorator_list]
    yield Entry(test.path, tuple(headers), _BEFORE if failed else _UNKNOWN, test.owner)


def _headers(node: Function) -> list[ast.AST]:
    """The expressions of `with`, `for`, `if` and `while` inside the test."""
    found: list[ast.AST] = []
    for inner in ast.walk(node):
        if isinstance(inner, ast.With | ast.AsyncWith):
            found += inner.items
        elif isinstance(inner, ast.For | ast.AsyncFor):
            found.append(inner.iter)
        elif isinstance(inner, ast.If | ast.While):
            found.append(inner.test)
    return found


def _weight(node: ast.stmt, failed: int | None) -> float:
    if failed is None:
        return _UNKNOWN
    if node.lineno <= failed <= (node.end_lineno or node.lineno):
        return _FAILING
    return _BEFORE if node.lineno < failed else _AFTER


def _names_on(nodes: list[ast.stmt], failed: int | None) -> set[str]:
    return {
        part.id
        for node in nodes
        if failed is not None and _weight(node, failed) == _FAILING
        for part in ast.walk(node)
        if isinstance(part, ast.Name)
    }


def _stored(node: ast.stmt) -> set[str]:
    return {
        part.id
        for part in ast.walk(node)
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)
    }


def _set_up(index: Index, test: Definition) -> Iterator[Entry]:
    assert isinstance(test.node, Function)  # noqa: S101 # _tests picks functions only
    wanted = {argument.arg for argument in test.node.args.args} - {"self", "cls"}
    for item in index.modules[test.path].definitions:
        if item.owner == test.owner and item.name in _FIXTURE_METHODS and test.owner:
            yield Entry(item.path, (item.node,), _SET_UP, item.owner)
    for name in sorted(wanted):
        for item in index.by_name.get(name, ()):
            near = item.path == test.path or item.path.endswith("conftest.py")
            if near and item.path in index.tests and isinstance(item.node, Function):
                yield Entry(item.path, (item.node,), _SET_UP, item.owner)
