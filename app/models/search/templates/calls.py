"""Calls: arguments in the wrong order, the sibling function, bounds of a range."""

import ast
from collections.abc import Iterator

from app.models.search.source import Located
from app.models.search.templates.edit import Edit, Scope
from app.models.search.templates.values import shifted

_PAIRS = (
    "min max",
    "any all",
    "lower upper",
    "lstrip rstrip",
    "strip rstrip",
    "strip lstrip",
    "startswith endswith",
    "find rfind",
    "index rindex",
    "split rsplit",
    "partition rpartition",
    "ljust rjust",
    "append extend",
    "appendleft append",
    "popleft pop",
    "removeprefix removesuffix",
    "floor ceil",
    "union intersection",
    "issubset issuperset",
    "keys values",
    "values items",
    "int round",
    "bisect_left bisect_right",
    "isdigit isalnum",
    "isalpha isalnum",
)
_UNWRAPPED = frozenset({"abs", "str", "int", "list", "set", "sorted", "reversed", "round", "bool"})


def _siblings() -> dict[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for pair in _PAIRS:
        one, other = pair.split()
        table[one] = (*table.get(one, ()), other)
        table[other] = (*table.get(other, ()), one)
    return table


SIBLINGS = _siblings()


def call(scope: Scope, node: ast.Call) -> Iterator[Edit]:
    """Everything about one call."""
    yield from _swapped(scope, node)
    yield from _sibling(scope, node)
    if isinstance(node.func, ast.Name):
        if node.func.id == "range":
            yield from _range(scope, node)
        if node.func.id == "enumerate" and len(node.args) == 1 and not node.keywords:
            text = scope.source.text(node.args[0])
            yield scope.swap(node.args[0], f"{text}, 1", 0.3, "off by one")
        if node.func.id in _UNWRAPPED and len(node.args) == 1 and not node.keywords:
            yield scope.swap(node, scope.atom(node.args[0]), 0.12, "superfluous call")


def _swapped(scope: Scope, node: ast.Call) -> Iterator[Edit]:
    """Neighbouring positional arguments exchanged; what stands between them stays."""
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        return
    prior = 0.45 if len(node.args) == 2 else 0.3
    for left, right in zip(node.args, node.args[1:], strict=False):
        alike = type(left) is type(right) or not _literal(left) ^ _literal(right)
        likely = prior if alike else prior * 0.6
        yield exchange(scope, left, right, likely, "swapped arguments")


def _literal(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant | ast.Lambda | ast.JoinedStr | ast.List | ast.Dict)


def exchange(scope: Scope, left: Located, right: Located, prior: float, kind: str) -> Edit:
    """Two nodes change places."""
    start, middle = scope.source.span(left)
    after, end = scope.source.span(right)
    between = scope.source.data[middle:after].decode()
    text = f"{scope.source.text(right)}{between}{scope.source.text(left)}"
    return Edit(start, end, text, prior, kind)


def _sibling(scope: Scope, node: ast.Call) -> Iterator[Edit]:
    name = node.func
    if isinstance(name, ast.Name):
        for other in SIBLINGS.get(name.id, ()):
            yield scope.swap(name, other, 0.6, "sibling function")
    elif isinstance(name, ast.Attribute):
        end = scope.source.span(name)[1]
        for other in SIBLINGS.get(name.attr, ()):
            yield Edit(end - len(name.attr.encode()), end, other, 0.6, "sibling function")


def _range(scope: Scope, node: ast.Call) -> Iterator[Edit]:
    if not node.args or node.keywords:
        return
    stop = node.args[0] if len(node.args) == 1 else node.args[1]
    yield from shifted(scope, stop, 0.65)
    if len(node.args) == 1:
        yield scope.swap(stop, f"1, {scope.source.text(stop)}", 0.3, "off by one")
    else:
        yield from shifted(scope, node.args[0], 0.4)
