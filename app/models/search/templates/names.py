"""The wrong variable, attribute or function of the same scope, and misspelled ones."""

import ast
import builtins
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from app.models.search.templates.edit import Edit, Scope

_MOST = 6
_MISNAMED = 1.5
_BUILTIN = frozenset(dir(builtins))


def name(scope: Scope, node: ast.Name) -> Iterator[Edit]:
    """Another name in reach; for a function that is called, only a similar one."""
    if not isinstance(node.ctx, ast.Load):
        return
    parent = scope.parent(node)
    if isinstance(parent, ast.Call) and parent.func is node:
        yield from _similar(scope, node, node.id, scope.callables, 0.25)
        return
    if node.id in _BUILTIN or node.id in ("self", "cls"):
        return
    if node.id in scope.imported and node.id not in scope.misnamed:
        return
    if node.id in scope.misnamed:
        known = (*scope.variables, *scope.callables)
        yield from _similar(scope, node, node.id, known, _MISNAMED)
        return
    others = [other for other in scope.variables if other not in (node.id, "self", "cls")]
    for other in _closest(node.id, others)[:_MOST]:
        both = node.id in scope.parameters and other in scope.parameters
        prior = (0.26 if both else 0.16) + 0.1 * _likeness(node.id, other)
        yield scope.swap(node, other, prior, "wrong variable")


def attribute(scope: Scope, node: ast.Attribute) -> Iterator[Edit]:
    """Another attribute of the same object, most likely one with a similar name."""
    end = scope.source.span(node)[1]
    start = end - len(node.attr.encode())
    on_self = isinstance(node.value, ast.Name) and node.value.id == "self"
    if node.attr in scope.misnamed:
        known = [*scope.own_attributes, *scope.attributes] if on_self else [*scope.attributes]
        for other in _alike(node.attr, known, 0.5)[:3]:
            prior = _MISNAMED * _likeness(node.attr, other)
            yield Edit(start, end, other, prior, "misspelled attribute")
    called = isinstance(parent := scope.parent(node), ast.Call) and parent.func is node
    if on_self and not called:
        others = [other for other in scope.own_attributes if other != node.attr]
        for other in _closest(node.attr, others)[:4]:
            prior = 0.12 + 0.1 * _likeness(node.attr, other)
            yield Edit(start, end, other, prior, "wrong attribute")
    elif node.attr not in scope.misnamed:
        for other in _alike(node.attr, scope.attributes, 0.65)[:2]:
            yield Edit(start, end, other, 0.15, "wrong attribute")


def _similar(
    scope: Scope, node: ast.Name, written: str, known: Sequence[str], prior: float
) -> Iterator[Edit]:
    for other in _alike(written, known, 0.6)[:3]:
        likely = prior if written not in scope.misnamed else _MISNAMED
        yield scope.swap(node, other, likely * _likeness(written, other), "wrong name")


def _alike(written: str, known: Sequence[str], least: float) -> list[str]:
    others = [other for other in dict.fromkeys(known) if other != written]
    return _closest(written, [other for other in others if _likeness(written, other) >= least])


def _closest(written: str, others: Sequence[str]) -> list[str]:
    return sorted(dict.fromkeys(others), key=lambda other: (-_likeness(written, other), other))


@lru_cache(maxsize=200_000)
def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other).ratio()
