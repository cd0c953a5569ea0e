"""Which definitions a piece of code may reach, each with a share of belief."""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.models.search.index import Definition, Index, Module

_OPERATORS: dict[type[ast.AST], tuple[str, ...]] = {
    ast.Add: ("__add__", "__radd__"),
    ast.Sub: ("__sub__", "__rsub__"),
    ast.Mult: ("__mul__", "__rmul__"),
    ast.Div: ("__truediv__",),
    ast.FloorDiv: ("__floordiv__",),
    ast.Mod: ("__mod__",),
    ast.BitAnd: ("__and__",),
    ast.BitOr: ("__or__",),
    ast.Eq: ("__eq__",),
    ast.NotEq: ("__ne__", "__eq__"),
    ast.Lt: ("__lt__", "__gt__"),
    ast.LtE: ("__le__", "__ge__", "__lt__"),
    ast.Gt: ("__gt__", "__lt__"),
    ast.GtE: ("__ge__", "__le__", "__lt__"),
    ast.In: ("__contains__",),
    ast.NotIn: ("__contains__",),
    ast.USub: ("__neg__",),
    ast.Not: ("__bool__", "__len__"),
    ast.For: ("__iter__", "__next__"),
    ast.With: ("__enter__", "__exit__"),
    ast.Subscript: ("__getitem__", "__setitem__"),
    ast.FormattedValue: ("__str__", "__format__"),
}
_BUILTINS = {
    "len": "__len__",
    "str": "__str__",
    "repr": "__repr__",
    "bool": "__bool__",
    "hash": "__hash__",
    "iter": "__iter__",
    "next": "__next__",
    "list": "__iter__",
    "int": "__int__",
    "float": "__float__",
    "sorted": "__lt__",
}
ALWAYS_RUN = frozenset({"__init__", "__new__", "__post_init__"})
_PROTOCOL = 0.4
_ELSEWHERE = 0.3
_SETS_IT = 0.6


@dataclass(frozen=True, slots=True)
class Reference:
    """A name as used: `base` is the plain name before the dot, if any."""

    name: str
    base: str | None = None
    dotted: bool = False
    protocol: bool = False


def references(nodes: Iterable[ast.AST]) -> Iterator[Reference]:
    """Every name that `nodes` use, the methods behind operators included."""
    for root in nodes:
        for node in ast.walk(root):
            if isinstance(node, ast.Attribute):
                base = node.value.id if isinstance(node.value, ast.Name) else None
                yield Reference(node.attr, base, dotted=True)
            elif isinstance(node, ast.Name):
                yield Reference(node.id)
                if node.id in _BUILTINS:
                    yield Reference(_BUILTINS[node.id], dotted=True, protocol=True)
            for name in _OPERATORS.get(type(node), ()):
                yield Reference(name, dotted=True, protocol=True)


def resolve(
    index: Index, path: str, wanted: Reference, owner: str | None
) -> list[tuple[Definition, float]]:
    """Definitions that `wanted`, used in the file `path` inside class `owner`, may mean."""
    module = index.modules[path]
    if not wanted.dotted:
        return [(found, 1.0) for found in index.defined(path, wanted.name)]
    if wanted.base in ("self", "cls") and owner:
        own = [d for d in module.definitions if d.name == wanted.name and d.owner == owner]
        setting = [d for d in index.stores[wanted.name] if d.path == path and d.owner == owner]
        if own or setting:
            return [*((found, 1.0) for found in own), *((found, _SETS_IT) for found in setting)]
    through_module = _in_module(index, module, wanted)
    if through_module:
        return [(found, 1.0) for found in through_module]
    return _anywhere(index, module, wanted)


def _in_module(index: Index, module: Module, wanted: Reference) -> list[Definition]:
    """`base.name` where `base` is an imported module or class."""
    if wanted.base not in module.imports:
        return []
    dotted, name = module.imports[wanted.base]
    behind = index.module(f"{dotted}.{name}" if name else dotted)
    if behind:
        return index.defined(behind, wanted.name)
    classes = index.imported(dotted, name)
    return [
        item
        for cls in classes
        for item in index.modules[cls.path].definitions
        if item.name == wanted.name and item.owner == cls.name
    ]


def _anywhere(index: Index, module: Module, wanted: Reference) -> list[tuple[Definition, float]]:
    """Any method of that name; those in files that this one imports from are likelier."""
    matches = [item for item in index.by_name.get(wanted.name, ()) if item.owner is not None]
    factor = 1.0
    if not matches:
        matches, factor = index.stores.get(wanted.name, []), _SETS_IT
    near = index.near(module.source.path)
    close = [item for item in matches if item.path in near]
    chosen = close or matches
    factor *= 1.0 if close else _ELSEWHERE
    if wanted.protocol:
        factor *= _PROTOCOL
    return [(item, factor / len(chosen) ** 0.5) for item in chosen]
