"""What a template yields, and the small helpers that templates share."""

import ast
from dataclasses import dataclass, field

from app.models.search.source import Located, Source

_ATOMS = (
    ast.Name,
    ast.Constant,
    ast.Attribute,
    ast.Subscript,
    ast.Call,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
)
_GIVES_TEXT = frozenset(
    {"lower", "upper", "strip", "lstrip", "rstrip", "join", "format", "replace", "sub", "title"}
    | {"capitalize", "ljust", "rjust", "center", "zfill", "decode", "str", "repr", "casefold"}
)
_COLLECTIONS = (ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp, ast.DictComp)


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the bytes `start:end` by `text`; `prior` (0 to 1.5): how likely is such a slip."""

    start: int
    end: int
    text: str
    prior: float
    kind: str


@dataclass(frozen=True, slots=True)
class Scope:
    """What surrounds the code under repair: names in reach, strings and attributes of the file."""

    source: Source
    parents: dict[ast.AST, ast.AST]
    parameters: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    own_attributes: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    callables: tuple[str, ...] = ()
    imported: frozenset[str] = frozenset()
    strings: tuple[str, ...] = ()
    misnamed: frozenset[str] = field(default_factory=frozenset)

    def swap(self, node: Located, text: str, prior: float, kind: str) -> Edit:
        """The edit that puts `text` in the place of `node`."""
        return Edit(*self.source.span(node), text, prior, kind)

    def atom(self, node: Located) -> str:
        """The text of `node`, in parentheses where it could fall apart among operators."""
        text = self.source.text(node)
        return text if isinstance(node, _ATOMS) else f"({text})"

    def parent(self, node: ast.AST) -> ast.AST | None:
        """The node around `node`."""
        return self.parents.get(node)


def is_number_like(node: ast.AST) -> bool:
    """False when the expression is plainly text, a collection or a truth value."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float | complex)
    if isinstance(node, ast.BinOp):
        return is_number_like(node.left) and is_number_like(node.right)
    if isinstance(node, ast.Call):
        return called(node) not in _GIVES_TEXT
    if isinstance(node, ast.Subscript):
        return not isinstance(node.slice, ast.Slice)
    return not isinstance(
        node, (*_COLLECTIONS, ast.JoinedStr, ast.Compare, ast.BoolOp, ast.Lambda, ast.GeneratorExp)
    )


def called(node: ast.Call) -> str:
    """The last name of what is called, empty when there is none."""
    name = node.func
    return name.id if isinstance(name, ast.Name) else getattr(name, "attr", "")
