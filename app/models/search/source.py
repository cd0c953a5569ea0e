"""One Python file as bytes with its syntax tree, so that an edit touches nothing but its span."""

import ast
import re
import warnings
from dataclasses import dataclass, field
from pathlib import Path

_BOM = b"\xef\xbb\xbf"
_LONE_RETURN = re.compile(rb"\r(?!\n)")
_COMMENT = re.compile(rb"#[^\n]*")
_LARGEST = 400_000

Located = ast.expr | ast.stmt


@dataclass(frozen=True, slots=True)
class Source:
    """`path` is relative with slashes; offsets everywhere are bytes from the start of `data`."""

    path: str
    data: bytes
    tree: ast.Module
    starts: tuple[int, ...] = field(repr=False)

    @classmethod
    def read(cls, root: Path, path: str) -> "Source | None":
        """The parsed file, or None when it is no UTF-8 Python of reasonable size."""
        file = root / path
        if file.is_symlink() or file.stat().st_size > _LARGEST:
            return None
        return cls.of(path, file.read_bytes())

    @classmethod
    def of(cls, path: str, data: bytes) -> "Source | None":
        """`data` parsed under the name `path`, or None when it does not parse."""
        tree = parse(data)
        # Python counts a lone carriage return as a line end; line numbers would disagree.
        if tree is None or _LONE_RETURN.search(data):
            return None
        starts = [len(_BOM) if data.startswith(_BOM) else 0]
        starts += [match.end() for match in re.finditer(rb"\n", data)]
        return cls(path, data, tree, tuple(starts))

    def span(self, node: Located) -> tuple[int, int]:
        """First and one-past-last byte of an expression or statement."""
        last, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self.offset(node.lineno, node.col_offset), self.offset(last, end)

    def offset(self, line: int, column: int) -> int:
        """Byte offset of a 1-based line and a 0-based byte column, as `ast` counts them."""
        return self.starts[line - 1] + column

    def line_at(self, offset: int) -> int:
        """The 1-based line that holds the byte at `offset`."""
        return self.data.count(b"\n", 0, offset) + 1

    def text(self, node: Located) -> str:
        """The node exactly as written."""
        start, end = self.span(node)
        return self.data[start:end].decode()

    def operator(self, start: int, end: int, token: str) -> tuple[int, int] | None:
        """The span of `token` in the gap between two operands; comments do not count."""
        gap = _COMMENT.sub(lambda match: b" " * len(match[0]), self.data[start:end])
        words = rb"(?:\s|\\)+".join(re.escape(word) for word in token.encode().split())
        found = re.search(words, gap)
        return (start + found.start(), start + found.end()) if found else None

    def replace(self, start: int, end: int, text: str) -> bytes:
        """The whole file with one span replaced."""
        return self.data[:start] + text.encode() + self.data[end:]


def parse(data: bytes) -> ast.Module | None:
    """The syntax tree, or None; strange escapes in a stranger's file are no concern of ours."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(data)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def compiles(data: bytes) -> ast.Module | None:
    """The syntax tree when Python would take `data` as a module, else None."""
    tree = parse(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if tree is not None:
                compile(tree, "<candidate>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return tree
