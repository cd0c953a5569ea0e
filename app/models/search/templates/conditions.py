"""Conditions and statements: the wrong way round, swapped branches, `break` for `continue`."""

import ast
from collections.abc import Iterator

from app.models.search.templates.calls import exchange
from app.models.search.templates.edit import Edit, Scope, called, is_number_like
from app.models.search.templates.values import shifted

_QUESTIONS = frozenset({"isinstance", "issubclass", "any", "all", "hasattr", "callable", "bool"})


def condition(scope: Scope, test: ast.expr) -> Iterator[Edit]:
    """`not` in front; comparisons and `not` itself are turned by their own templates."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return
    if not isinstance(test, ast.UnaryOp | ast.Constant):
        prior = 0.35 if isinstance(test, ast.BoolOp) else 0.6
        yield scope.swap(test, f"not {scope.atom(test)}", prior, "negated condition")


def branch(scope: Scope, node: ast.If | ast.While | ast.Assert) -> Iterator[Edit]:
    """The condition of a statement."""
    yield from condition(scope, node.test)


def filtered(scope: Scope, node: ast.comprehension) -> Iterator[Edit]:
    """The conditions of a comprehension."""
    for test in node.ifs:
        yield from condition(scope, test)


def ternary(scope: Scope, node: ast.IfExp) -> Iterator[Edit]:
    """Its condition, and its two values exchanged."""
    yield from condition(scope, node.test)
    yield exchange(scope, node.body, node.orelse, 0.35, "swapped branches")


def returned(scope: Scope, node: ast.Return) -> Iterator[Edit]:
    """An answer that is wrong by one, wrong by its sign, or its own opposite."""
    value = node.value
    if isinstance(value, ast.Tuple) and len(value.elts) == 2:
        yield exchange(scope, value.elts[0], value.elts[1], 0.3, "swapped values")
    if isinstance(value, ast.Name | ast.BinOp | ast.Call | ast.Attribute):
        prior = 0.4 if _is_question(value) else 0.12
        if is_number_like(value):
            yield scope.swap(value, f"not {scope.atom(value)}", prior, "negated condition")
        if is_number_like(value) and not _is_question(value):
            yield from shifted(scope, value, 0.18)
            yield scope.swap(value, f"-{scope.atom(value)}", 0.12, "sign")


def assigned(scope: Scope, node: ast.Assign) -> Iterator[Edit]:
    """A value that is wrong by one, two targets in the wrong order."""
    if isinstance(node.value, ast.Name | ast.BinOp | ast.Call | ast.Attribute):
        yield from shifted(scope, node.value, 0.12)
    target = node.targets[0]
    if isinstance(target, ast.Tuple) and len(target.elts) == 2:
        yield exchange(scope, target.elts[0], target.elts[1], 0.3, "swapped values")


def jump(scope: Scope, node: ast.Break | ast.Continue) -> Iterator[Edit]:
    """Leaving the loop for going on with it."""
    word = "continue" if isinstance(node, ast.Break) else "break"
    yield scope.swap(node, word, 0.7, "break or continue")


def _is_question(node: ast.expr) -> bool:
    if not isinstance(node, ast.Call):
        return False
    name = called(node)
    return name in _QUESTIONS or name.startswith(("is", "has", "starts", "ends"))
