"""What the runner collected on the base, and the doctest examples that a source file holds."""

import ast
import doctest
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sandbox.results import CaseResult

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Collected:
    """Paths with tests: `tests` hold nothing to fix, `doctests` are source or prose beside."""

    tests: frozenset[str] = frozenset()
    doctests: frozenset[str] = frozenset()

    @classmethod
    def of(cls, cases: Iterable[CaseResult], root: Path) -> "Collected":
        """What the tests of a run on the tree `root` say of the files that they were found in."""
        found: dict[bool, set[str]] = {True: set(), False: set()}
        for case in cases:
            if case.file:
                found[_is_doctest(case, root)].add(case.file)
        return cls(tests=frozenset(found[False]), doctests=frozenset(found[True]))


def _is_doctest(case: CaseResult, root: Path) -> bool:
    """pytest names a doctest by its module's dotted name, or by the name of a text file.

    The bare name of the module is a test where the module has a function of that name.
    """
    name = case.id.partition("::")[2]
    path, plain = PurePosixPath(case.file), name.partition("[")[0]
    stem = path.parent.name if path.stem == "__init__" else path.stem
    if "::" in plain or plain != stem:
        return "::" not in plain and "." in plain
    source = root / case.file
    text = source.read_text(errors="replace") if source.is_file() else ""
    return not re.search(rf"^(async )?def {re.escape(plain)}\b", text, re.MULTILINE)


def loses_examples(old: bytes, new: bytes, *, python: bool) -> bool:
    """Whether a doctest example of `old` is gone or another one in `new`.

    A file that cannot be read as what it is loses nothing here: its tests will be missed.
    """
    try:
        before, after = (Counter(_examples(content, python=python)) for content in (old, new))
    except (SyntaxError, ValueError):
        return False
    return bool(before - after)


def _examples(content: bytes, *, python: bool) -> Iterator[tuple[str, str, str | None]]:
    texts = _docstrings(ast.parse(content)) if python else [content.decode(errors="replace")]
    for text in texts:
        for example in doctest.DocTestParser().get_examples(text):
            yield example.source, example.want, str(sorted(example.options.items()))


def _docstrings(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node)):
            yield text
