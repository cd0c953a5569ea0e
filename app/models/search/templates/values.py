"""Constants, indices and bounds: wrong by one, the wrong sign, the wrong word."""

import ast
from collections.abc import Iterator
from difflib import SequenceMatcher, get_close_matches

from app.models.search.templates.edit import Edit, Scope, is_number_like

_AT_AN_EDGE = 1.4


def constant(scope: Scope, node: ast.Constant) -> Iterator[Edit]:
    """Neighbours of a number, the other truth value, a similar string of the same file."""
    value = node.value
    if isinstance(value, bool):
        yield scope.swap(node, str(not value), 0.7, "truth value")
    elif isinstance(value, int):
        yield from _whole(scope, node, value)
    elif isinstance(value, float):
        for text in (f"{value + 1!r}", f"{value - 1!r}"):
            yield scope.swap(node, text, 0.25, "number")
    elif isinstance(value, str):
        yield from _string(scope, node, value)


def _whole(scope: Scope, node: ast.Constant, value: int) -> Iterator[Edit]:
    factor = _AT_AN_EDGE if _at_an_edge(scope, node) else 1.0
    signed = isinstance(scope.parent(node), ast.UnaryOp)
    others = {value + 1: 0.5, value - 1: 0.5, 0: 0.3, 1: 0.3, -value: 0.25}
    for other, prior in others.items():
        if other != value and not (signed and other < 0):
            kind = "off by one" if abs(other - value) == 1 else "number"
            yield scope.swap(node, str(other), prior * factor, kind)


def _string(scope: Scope, node: ast.Constant, value: str) -> Iterator[Edit]:
    if len(value) > 60 or isinstance(scope.parent(node), ast.Expr):
        return
    if len(value) <= 2:
        near = [text for text in scope.strings if len(text) <= 2 and text != value]
        near += [text for text in ("", " ") if text != value and text not in near]
    else:
        near = [text for text in get_close_matches(value, scope.strings, 4, 0.7) if text != value]
    prior = 1.2 if value in scope.misnamed else 0.25
    for text in near[:4]:
        closeness = SequenceMatcher(None, value, text).ratio() / 20
        yield scope.swap(node, repr(text), prior + closeness, "string")


def subscript(scope: Scope, node: ast.Subscript) -> Iterator[Edit]:
    """Indices and slice bounds."""
    index = node.slice
    if isinstance(index, ast.Slice):
        yield from _slice(scope, index)
    elif isinstance(index, ast.Name | ast.BinOp | ast.Call | ast.Attribute):
        yield from shifted(scope, index, 0.45)
    elif isinstance(index, ast.Constant) and index.value == 0:
        yield scope.swap(index, "-1", 0.5, "index")
    elif isinstance(index, ast.UnaryOp) and scope.source.text(index) == "-1":
        yield scope.swap(index, "0", 0.5, "index")


def _slice(scope: Scope, node: ast.Slice) -> Iterator[Edit]:
    """A missing bound is written, a given one moved or dropped."""
    for bound in (node.lower, node.upper):
        if bound is not None:
            yield from shifted(scope, bound, 0.55)
            yield scope.swap(bound, "", 0.2, "slice bound")
    start, end = scope.source.span(node)
    colon = scope.source.data.find(b":", scope.source.span(node.lower)[1] if node.lower else start)
    if node.lower is None:
        yield Edit(start, start, "1", 0.25, "slice bound")
    if node.upper is None and 0 <= colon < end:
        yield Edit(colon + 1, colon + 1, "-1", 0.25, "slice bound")
    if node.step is not None:
        yield scope.swap(node.step, "", 0.2, "slice step")


def shifted(scope: Scope, node: ast.expr, prior: float) -> Iterator[Edit]:
    """`x + 1` and `x - 1` for `x`; constants have their own template."""
    if isinstance(node, ast.Constant | ast.UnaryOp) or not is_number_like(node):
        return
    text = scope.source.text(node)
    if not isinstance(node, ast.Name | ast.Call | ast.Attribute | ast.Subscript | ast.BinOp):
        text = f"({text})"
    yield scope.swap(node, f"{text} + 1", prior, "off by one")
    yield scope.swap(node, f"{text} - 1", prior, "off by one")


def _at_an_edge(scope: Scope, node: ast.AST) -> bool:
    """Whether the number is an index, a bound or one side of a comparison."""
    parent = scope.parent(node)
    if isinstance(parent, ast.UnaryOp):
        parent = scope.parent(parent)
    if isinstance(parent, ast.Call):
        return isinstance(parent.func, ast.Name) and parent.func.id == "range"
    return isinstance(parent, ast.Subscript | ast.Slice | ast.Compare)
