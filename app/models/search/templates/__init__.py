"""All small repairs of one definition, from the table of templates by kind of node."""

import ast
from collections.abc import Callable, Iterator
from typing import Any

from app.models.search.templates import calls, conditions, names, operators, values
from app.models.search.templates.edit import Edit, Scope

Template = Callable[[Scope, Any], Iterator[Edit]]

TEMPLATES: dict[type[ast.AST], tuple[Template, ...]] = {
    ast.Compare: (operators.compare,),
    ast.BinOp: (operators.binary,),
    ast.BoolOp: (operators.boolean,),
    ast.UnaryOp: (operators.unary,),
    ast.AugAssign: (operators.augmented,),
    ast.Assign: (operators.assignment, conditions.assigned),
    ast.Constant: (values.constant,),
    ast.Subscript: (values.subscript,),
    ast.Call: (calls.call,),
    ast.If: (conditions.branch,),
    ast.While: (conditions.branch,),
    ast.Assert: (conditions.branch,),
    ast.IfExp: (conditions.ternary,),
    ast.comprehension: (conditions.filtered,),
    ast.Return: (conditions.returned,),
    ast.Break: (conditions.jump,),
    ast.Continue: (conditions.jump,),
    ast.Name: (names.name,),
    ast.Attribute: (names.attribute,),
}

__all__ = ["Edit", "Scope", "edits"]


def edits(scope: Scope, node: ast.stmt) -> Iterator[Edit]:
    """Every repair that any template offers inside `node`."""
    for inner in code(node):
        for template in TEMPLATES.get(type(inner), ()):
            yield from template(scope, inner)


def code(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that run: no annotations, no docstrings, nothing inside an f-string.

    Positions inside f-strings are wrong before Python 3.12.
    """
    yield node
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "type_comment", "type_params"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST) and not _is_words(child):
                yield from code(child)


def _is_words(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.JoinedStr)
