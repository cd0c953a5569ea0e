"""Candidates in order of likelihood: suspicion of the place times prior of the template."""

import ast
import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.models.search.diff import unified
from app.models.search.files import listing
from app.models.search.index import Index
from app.models.search.scope import misnamed, scope_of
from app.models.search.source import Source, compiles
from app.models.search.suspects import Suspicion, suspicion
from app.models.search.templates import Edit, edits
from sandbox.results import CaseResult

_MOST_DEFINITIONS = 150
_ON_THE_LINE = 1.5
_HINTED = 1.4
_NUMBERS_DIFFER = re.compile(r"(?:assert|AssertionError:) (-?\d+) (?:==|!=) (-?\d+)\b")
_HINTS = {
    "IndexError": frozenset({"off by one", "index", "slice bound", "< to <=", "<= to <"}),
    "ZeroDivisionError": frozenset({"off by one", "swapped operands", "/ to *"}),
    "TypeError": frozenset({"swapped arguments", "sibling function", "wrong variable"}),
    "RecursionError": frozenset({"off by one", "== to !=", "<= to <", "< to <="}),
}


@dataclass(frozen=True, slots=True)
class Candidate:
    """One edit of one file and its score."""

    source: Source
    edit: Edit
    score: float

    @property
    def text(self) -> bytes:
        """The whole file after the edit."""
        return self.source.replace(self.edit.start, self.edit.end, self.edit.text)

    @property
    def digest(self) -> str:
        """An identity of what the file becomes."""
        return hashlib.sha256(self.source.path.encode() + b"\0" + self.text).hexdigest()

    @property
    def diff(self) -> str:
        """The edit as a unified diff."""
        return unified(self.source.path, self.source.data, self.text)

    def describe(self) -> str:
        """Where and what, for people."""
        line = self.source.line_at(self.edit.start)
        return f"{self.source.path}:{line}: {self.edit.kind}"


def read_index(root: Path) -> tuple[Index, frozenset[str]]:
    """All of the checkout that parses, and the paths that may be edited."""
    files = listing(root)
    sources = (Source.read(root, path) for path in (*files.source, *files.tests))
    index = Index.of((source for source in sources if source is not None), files.tests)
    return index, frozenset(files.source)


def ordered(
    index: Index, editable: frozenset[str], failing: Sequence[CaseResult], issue: str
) -> list[Candidate]:
    """Every candidate, the likeliest first; the same input gives the same order."""
    messages = [case.message for case in failing]
    suspects = suspicion(index, editable, failing, issue)
    missed, hinted = misnamed(messages), _hinted(messages)
    found: list[Candidate] = []
    for item, weight in suspects.ranked()[:_MOST_DEFINITIONS]:
        module = index.modules[item.path]
        for edit in edits(scope_of(module, item, missed), item.node):
            score = weight * edit.prior * _HINTED ** (edit.kind in hinted)
            found.append(
                Candidate(module.source, edit, score * _line(suspects, module.source, edit))
            )
    return sorted(found, key=_order)


def different(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """Those that compile, each tree once, none that leaves the tree as it was."""
    seen: set[str] = set()
    originals: dict[str, str] = {}
    for candidate in candidates:
        source = candidate.source
        if candidate.digest in seen:
            continue
        seen.add(candidate.digest)
        tree = compiles(candidate.text)
        if tree is None:
            continue
        if source.path not in originals:
            originals[source.path] = _shape(source.path, source.tree)
        shape = _shape(source.path, tree)
        if shape != originals[source.path] and shape not in seen:
            seen.add(shape)
            yield candidate


def _order(candidate: Candidate) -> tuple[float, str, int, str, str]:
    edit = candidate.edit
    return -round(candidate.score, 6), candidate.source.path, edit.start, edit.kind, edit.text


def _line(suspects: Suspicion, source: Source, edit: Edit) -> float:
    return _ON_THE_LINE if (source.path, source.line_at(edit.start)) in suspects.framed else 1.0


def _hinted(messages: Sequence[str]) -> frozenset[str]:
    kinds: frozenset[str] = frozenset()
    for message in messages:
        end = message[-600:]
        for error, fitting in _HINTS.items():
            kinds |= fitting if error in end else frozenset()
        for got, wanted in _NUMBERS_DIFFER.findall(message):
            if abs(int(got) - int(wanted)) == 1:
                kinds |= {"off by one", "slice bound", "< to <=", "<= to <", "> to >=", ">= to >"}
    return kinds


def _shape(path: str, tree: ast.Module) -> str:
    return hashlib.sha256(f"{path}\0{ast.dump(tree)}".encode()).hexdigest()
