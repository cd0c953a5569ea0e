"""A hunk whose lines are sorted into context, removed and added ones, held against its file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from sandbox.patch import syntax
from sandbox.patch.elision import is_elision
from sandbox.patch.sections import RawHunk
from sandbox.patch.source import fold, squeeze
from sandbox.patch.syntax import Numbers

_OPERATORS = {b"+": "+", b"-": "-", b" ": " "}


@dataclass(frozen=True, slots=True)
class Line:
    """One line: `op` is context " ", "-" or "+"; `raw` has the operator unless `bare`.

    `open_end` is set where a marker says that no newline follows.
    """

    op: str
    raw: bytes
    bare: bool = False
    open_end: bool = False

    @property
    def text(self) -> bytes:
        """The line read the usual way: one operator column, then the text."""
        return self.raw if self.bare else self.raw[1:]


@dataclass
class Hunk:
    """Sorted lines and hints; `missing` lines fewer than declared on the old and new side.

    `closed` tells that the end of the hunk was marked.
    """

    lines: list[Line]
    numbers: Numbers = field(default_factory=Numbers)
    heading: bytes = b""
    closed: bool = True
    weakly: bool = False
    strict: bool = False
    missing: tuple[int, int] = (0, 0)
    repairs: list[str] = field(default_factory=list)

    @property
    def old(self) -> list[Line]:
        """Context and removed lines."""
        return [line for line in self.lines if line.op != "+"]

    @property
    def new(self) -> list[Line]:
        """Context and added lines."""
        return [line for line in self.lines if line.op != "-"]

    @property
    def removed(self) -> list[Line]:
        """Removed lines."""
        return [line for line in self.lines if line.op == "-"]

    @property
    def added(self) -> list[Line]:
        """Added lines."""
        return [line for line in self.lines if line.op == "+"]

    @property
    def well_counted(self) -> bool:
        """Whether the header gives counts and they are right."""
        return self.numbers.old_start is not None and not {"header", "counts"} & set(self.repairs)

    @property
    def changes(self) -> bool:
        """Whether the hunk adds or removes anything."""
        return any(line.op != " " for line in self.lines)


def sort_lines(raw: RawHunk, in_file: Callable[[bytes], bool]) -> Hunk:
    """Sorts the body of a hunk; `in_file` tells whether the file has a line like this one."""
    hunk = Hunk([], raw.numbers, raw.heading, raw.closed, raw.weakly, raw.strict)
    for at, text in enumerate(raw.body):
        if text[:1] in _OPERATORS:
            hunk.lines.append(Line(_OPERATORS[text[:1]], text))
        elif syntax.NO_EOL.match(text):
            _mark_end(hunk)
        elif text == b"" or in_file(squeeze(fold(text))) or is_elision(text):
            hunk.lines.append(Line(" ", text, bare=True))
        elif _ends_here(hunk, raw.body[at:]):
            hunk.closed, hunk.weakly = True, False
            hunk.repairs.append("prose")
            break
        else:
            hunk.lines.append(Line(" ", text, bare=True))
    _drop_separators(hunk)
    _compare_counts(hunk)
    return hunk


def _mark_end(hunk: Hunk) -> None:
    if hunk.lines:
        hunk.lines[-1] = replace(hunk.lines[-1], open_end=True)


def _ends_here(hunk: Hunk, rest: list[bytes]) -> bool:
    """A foreign line ends the hunk when its counts are met or no change follows."""
    if _missing(hunk) == (0, 0):
        return True
    return not any(text[:1] in (b"+", b"-") for text in rest)


def _missing(hunk: Hunk) -> tuple[int, int] | None:
    numbers = hunk.numbers
    if numbers.old_start is None or numbers.new_start is None:
        return None
    old = _short(numbers.old_count, len(hunk.old))
    new = _short(numbers.new_count, len(hunk.new))
    return None if old is None or new is None else (old, new)


def _short(declared: int | None, counted: int) -> int | None:
    """An omitted count means one line; where there are more, it was merely left out."""
    if declared is None:
        return 0 if counted == 1 else None
    return declared - counted


def _drop_separators(hunk: Hunk) -> None:
    """Bare blank lines at the end are context only if the declared counts include them."""
    while hunk.lines and hunk.lines[-1].raw == b"" and _missing(hunk) != (0, 0):
        hunk.lines.pop()


def _compare_counts(hunk: Hunk) -> None:
    missing = _missing(hunk)
    if missing is None:
        if not hunk.strict:
            hunk.repairs.append("header")
        return
    if missing != (0, 0):
        hunk.repairs.append("counts")
        hunk.missing = missing


def with_glued_line(hunk: Hunk) -> Hunk | None:
    """The hunk with its heading as first context line, if exactly that line is missing.

    Some answers put the first line of a hunk behind the second `@@` instead of below it.
    """
    if not hunk.heading or hunk.missing != (1, 1):
        return None
    lines = [Line(" ", hunk.heading, bare=True), *hunk.lines]
    return replace(hunk, lines=lines, heading=b"", missing=(0, 0), repairs=[*hunk.repairs, "glued"])
