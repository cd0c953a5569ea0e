"""What is in reach of a definition: names, attributes, strings, and what the error misses."""

import ast
import re
from collections.abc import Iterable, Iterator

from app.models.search.index import Definition, Module
from app.models.search.templates import Scope

_MISSED = (
    re.compile(r"name '(\w+)' is not defined"),
    re.compile(r"has no attribute '(\w+)'"),
    re.compile(r"KeyError: '([^'\n]{1,60})'"),
    re.compile(r"local variable '(\w+)'"),
    re.compile(r"unexpected keyword argument '(\w+)'"),
)


def misnamed(messages: Iterable[str]) -> frozenset[str]:
    """Names and keys that the failing tests say do not exist."""
    return frozenset(
        found for message in messages for pattern in _MISSED for found in pattern.findall(message)
    )


def scope_of(module: Module, item: Definition, missed: frozenset[str]) -> Scope:
    """The scope of one definition of `module`."""
    whole = list(ast.walk(module.source.tree))
    inside = list(ast.walk(item.node))
    parameters = tuple(part.arg for part in inside if isinstance(part, ast.arg))
    stored = _stored(inside)
    return Scope(
        source=module.source,
        parents=_parents(item.node),
        parameters=parameters,
        variables=tuple(dict.fromkeys((*parameters, *stored))),
        own_attributes=tuple(dict.fromkeys(_own(module, item))),
        attributes=tuple(
            dict.fromkeys(node.attr for node in whole if isinstance(node, ast.Attribute))
        ),
        callables=tuple(dict.fromkeys((*_functions(module), *module.imports, *stored))),
        imported=frozenset(module.imports),
        strings=tuple(dict.fromkeys(_strings(whole))),
        misnamed=missed,
    )


def _parents(root: ast.AST) -> dict[ast.AST, ast.AST]:
    return {child: node for node in ast.walk(root) for child in ast.iter_child_nodes(node)}


def _stored(nodes: list[ast.AST]) -> list[str]:
    return [
        node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    ]


def _own(module: Module, item: Definition) -> Iterator[str]:
    """Attributes that the class around `item` uses on `self`, its methods included."""
    for other in module.definitions:
        if other.owner is None or other.owner != item.owner:
            continue
        yield other.name
        for node in ast.walk(other.node):
            on_self = isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)
            if isinstance(node, ast.Attribute) and on_self and _is_self(node.value):
                yield node.attr


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _functions(module: Module) -> Iterator[str]:
    return (item.name for item in module.definitions if item.owner is None)


def _strings(nodes: list[ast.AST]) -> Iterator[str]:
    return (
        node.value
        for node in nodes
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) <= 60
    )
