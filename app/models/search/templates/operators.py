"""Comparison, arithmetic and boolean operators: the wrong one, the wrong side, one too many."""

import ast
from collections.abc import Iterator

from app.models.search.source import Located
from app.models.search.templates.edit import Edit, Scope, is_number_like

Swaps = tuple[tuple[str, float], ...]

COMPARISONS: dict[type[ast.cmpop], tuple[str, Swaps]] = {
    ast.Lt: ("<", (("<=", 1.0), (">", 0.6), (">=", 0.5))),
    ast.LtE: ("<=", (("<", 1.0), (">=", 0.6), (">", 0.5))),
    ast.Gt: (">", ((">=", 1.0), ("<", 0.6), ("<=", 0.5))),
    ast.GtE: (">=", ((">", 1.0), ("<=", 0.6), ("<", 0.5))),
    ast.Eq: ("==", (("!=", 0.9), (">=", 0.35), ("<=", 0.35))),
    ast.NotEq: ("!=", (("==", 0.9), (">", 0.2), ("<", 0.2))),
    ast.Is: ("is", (("is not", 0.8), ("==", 0.2))),
    ast.IsNot: ("is not", (("is", 0.8), ("!=", 0.2))),
    ast.In: ("in", (("not in", 0.8),)),
    ast.NotIn: ("not in", (("in", 0.8),)),
}
ARITHMETIC: dict[type[ast.operator], tuple[str, Swaps]] = {
    ast.Add: ("+", (("-", 0.9), ("*", 0.3))),
    ast.Sub: ("-", (("+", 0.9), ("/", 0.15))),
    ast.Mult: ("*", (("/", 0.7), ("+", 0.45), ("**", 0.35), ("//", 0.3))),
    ast.Div: ("/", (("//", 0.7), ("*", 0.7), ("-", 0.1))),
    ast.FloorDiv: ("//", (("/", 0.7), ("%", 0.45), ("*", 0.35))),
    ast.Mod: ("%", (("//", 0.5), ("/", 0.3), ("*", 0.2))),
    ast.Pow: ("**", (("*", 0.6),)),
    ast.LShift: ("<<", ((">>", 0.8),)),
    ast.RShift: (">>", (("<<", 0.8),)),
    ast.BitAnd: ("&", (("|", 0.8), ("^", 0.3))),
    ast.BitOr: ("|", (("&", 0.8), ("^", 0.3))),
    ast.BitXor: ("^", (("&", 0.4), ("|", 0.4), ("**", 0.3))),
}
_FOR_SEQUENCES = (("+", 0.6), ("*", 0.6))
_ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift)


def compare(scope: Scope, node: ast.Compare) -> Iterator[Edit]:
    """Each operator of the chain, by itself."""
    operands = [node.left, *node.comparators]
    for place, operator in enumerate(node.ops):
        token, swaps = COMPARISONS[type(operator)]
        yield from _between(scope, operands[place], operands[place + 1], token, swaps)


def binary(scope: Scope, node: ast.BinOp) -> Iterator[Edit]:
    """Another operator, the operands swapped, other parentheses, a superfluous `+ 1`."""
    if isinstance(node.op, ast.MatMult):
        return
    token, swaps = ARITHMETIC[type(node.op)]
    if not is_number_like(node):
        joined = () if isinstance(node.op, ast.Add | ast.Mod) else _FOR_SEQUENCES
        yield from _between(scope, node.left, node.right, token, joined)
        return
    yield from _between(scope, node.left, node.right, token, swaps)
    left, right = scope.atom(node.left), scope.atom(node.right)
    if isinstance(node.op, _ORDERED):
        yield scope.swap(node, f"{right} {token} {left}", 0.3, "swapped operands")
    if isinstance(node.right, ast.Constant) and node.right.value in (1, -1, 2):
        yield scope.swap(node, left, 0.35, "off by one")
    yield from _regrouped(scope, node, token)


def _regrouped(scope: Scope, node: ast.BinOp, token: str) -> Iterator[Edit]:
    """`a + b * c` for `(a + b) * c` and the other way round."""
    text = scope.atom
    if isinstance(node.left, ast.BinOp) and type(node.left.op) in ARITHMETIC:
        inner = ARITHMETIC[type(node.left.op)][0]
        first, second = text(node.left.left), text(node.left.right)
        regrouped = f"{first} {inner} ({second} {token} {text(node.right)})"
        yield scope.swap(node, regrouped, 0.25, "parentheses")
    if isinstance(node.right, ast.BinOp) and type(node.right.op) in ARITHMETIC:
        inner = ARITHMETIC[type(node.right.op)][0]
        second, third = text(node.right.left), text(node.right.right)
        regrouped = f"({text(node.left)} {token} {second}) {inner} {third}"
        yield scope.swap(node, regrouped, 0.25, "parentheses")


def augmented(scope: Scope, node: ast.AugAssign) -> Iterator[Edit]:
    """`+=` for `-=`, or for a plain assignment."""
    if type(node.op) not in ARITHMETIC:
        return
    token, swaps = ARITHMETIC[type(node.op)]
    written = tuple((f"{other}=", prior) for other, prior in swaps)
    yield from _between(scope, node.target, node.value, f"{token}=", (*written, ("=", 0.3)))


def assignment(scope: Scope, node: ast.Assign) -> Iterator[Edit]:
    """A plain assignment where adding up was meant."""
    if len(node.targets) == 1 and not isinstance(node.targets[0], ast.Tuple | ast.List):
        yield from _between(scope, node.targets[0], node.value, "=", (("+=", 0.2), ("-=", 0.1)))


def boolean(scope: Scope, node: ast.BoolOp) -> Iterator[Edit]:
    """`and` for `or`, one condition too many, one condition the wrong way round."""
    token, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    for left, right in zip(node.values, node.values[1:], strict=False):
        yield from _between(scope, left, right, token, ((other, 0.9),))
    for place, value in enumerate(node.values):
        rest = [scope.atom(each) for each in node.values if each is not value]
        yield scope.swap(node, f" {token} ".join(rest), 0.2, "superfluous condition")
        if not isinstance(value, ast.Compare | ast.UnaryOp):
            prior = 0.3 if place else 0.28
            yield scope.swap(value, f"not {scope.atom(value)}", prior, "negated condition")


def unary(scope: Scope, node: ast.UnaryOp) -> Iterator[Edit]:
    """A `not` or a sign that should not be there."""
    prior = {ast.Not: 0.8, ast.USub: 0.5, ast.Invert: 0.4}.get(type(node.op))
    if prior is not None:
        yield scope.swap(node, scope.atom(node.operand), prior, "superfluous sign")


def _between(
    scope: Scope, left: Located, right: Located, token: str, swaps: Swaps
) -> Iterator[Edit]:
    gap = scope.source.operator(scope.source.span(left)[1], scope.source.span(right)[0], token)
    if gap is None:
        return
    for text, prior in swaps:
        yield Edit(*gap, text, prior, f"{token} to {text}")
