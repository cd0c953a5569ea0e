"""Works out what becomes of one file: its hunks sorted, placed, merged and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache

from sandbox.patch.assemble import Change, assemble, pieces, trimmed
from sandbox.patch.canonical import FileChange
from sandbox.patch.content import check_hunk, check_lines
from sandbox.patch.edits import Edit, edits_of, merge
from sandbox.patch.habits import habits_of, operator_habit
from sandbox.patch.hunk import Hunk, sort_lines, with_glued_line
from sandbox.patch.intake import BOM
from sandbox.patch.model import HunkReport, RefusalError, RefusalReason
from sandbox.patch.newfile import new_lines
from sandbox.patch.paths import show
from sandbox.patch.place import Placement, place
from sandbox.patch.removal import check_removal, check_shrink
from sandbox.patch.resolve import Target
from sandbox.patch.sections import RawHunk
from sandbox.patch.source import Level, Source
from sandbox.patch.split import has_elisions, split
from sandbox.patch.tree import Tree
from sandbox.patch.truncation import broke_off, check_placed, check_unplaced

REGULAR = 0o100644
EXECUTABLE = 0o100755

_Habit = Callable[[], str | None]


@dataclass(frozen=True)
class Outcome:
    """What becomes of one file, and how each hunk got its place."""

    change: FileChange
    reports: tuple[HunkReport, ...]


@dataclass
class _Step:
    """One hunk of one section on its way: sorted, then placed, perhaps in parts."""

    number: int
    target: Target
    hunk: Hunk
    parts: list[tuple[Hunk, Placement]] = field(default_factory=list)


def work_out(targets: Sequence[Target], tree: Tree) -> Outcome:
    """The outcome for the sections that share one file. Raises RefusalError, with its path."""
    with _located(show(targets[0].path), None):
        if len({(target.old, target.new) for target in targets}) > 1:
            raise RefusalError(
                RefusalReason.CONFLICT,
                "The answer changes this file in ways that exclude each other (made, deleted, "
                "renamed or edited). Send one change for it.",
            )
        if targets[0].old is None:
            return _make(targets)
        if targets[0].section.creates and targets[0].new is not None:
            filled = _fill(targets, tree)
            if filled is not None:
                return filled
        return _edit(targets, tree)


@contextmanager
def _located(path: str, hunk: int | None) -> Iterator[None]:
    """Adds file and hunk to a refusal raised inside, unless it names them itself."""
    try:
        yield
    except RefusalError as error:
        known = error.refused
        where = f"`{path}`, hunk {hunk}: " if hunk is not None and known.hunk is None else ""
        raise RefusalError(
            known.reason,
            where + known.message,
            known.path or path,
            hunk if known.hunk is None else known.hunk,
        ) from error


def _make(targets: Sequence[Target]) -> Outcome:
    """A new file; told twice alike it counts once."""
    path = targets[0].path
    data, repairs = _content(targets, path)
    mode = EXECUTABLE if (targets[0].section.new_mode or 0) & 0o111 else REGULAR
    change = FileChange(None, path, b"", data, 0, mode, (), _whole(data))
    report = HunkReport(show(path), 1, "new", 0, (*targets[0].repairs, *repairs))
    return Outcome(change, (report,))


def _content(targets: Sequence[Target], path: bytes) -> tuple[bytes, list[str]]:
    found: dict[bytes, list[str]] = {}
    for target in targets:
        for hunk in target.section.hunks or [RawHunk()]:
            lines, final_newline, repairs = new_lines(hunk)
            check_lines(lines, path)
            data = b"".join(line + b"\n" for line in lines)
            found[data if final_newline else data[:-1]] = repairs
    if len(found) > 1:
        raise RefusalError(
            RefusalReason.CONFLICT,
            "The answer makes this file more than once, each time differently. Send it once, in "
            "one hunk.",
        )
    return found.popitem()


def _whole(data: bytes) -> tuple[Change, ...]:
    lines = tuple(pieces(Source(data, keep_bom=True)))
    return (Change(0, (), lines),) if lines else ()


def _fill(targets: Sequence[Target], tree: Tree) -> Outcome | None:
    """A new file where one is: an edit if the diff shows old lines, else only if it is empty."""
    target = targets[0]
    bodies = [line for each in targets for hunk in each.section.hunks for line in hunk.body]
    if any(line.strip() and line[:1] not in (b"+", b"\\") for line in bodies):
        return None
    path = target.old or b""
    data, repairs = _content(targets, path)
    before, mode = tree.read(path), tree.mode(path)
    same = _comparable(before) == _comparable(data)
    if before.strip() and not same:
        raise RefusalError(
            RefusalReason.EXISTS,
            "The file exists already with other content. Send an edit of the lines that are "
            "there, or choose another path.",
        )
    after = before if same else data
    old_lines = tuple(pieces(Source(before, keep_bom=True)))
    new = tuple(line for change in _whole(after) for line in change.new)
    changes = () if same else (Change(0, old_lines, new),)
    change = FileChange(path, path, before, after, mode, mode, old_lines, changes)
    rung = "already" if same else "empty"
    return Outcome(change, (HunkReport(show(path), 1, rung, 0, tuple(repairs)),))


def _comparable(data: bytes) -> bytes:
    return data.replace(b"\r\n", b"\n").rstrip(b"\n")


def _edit(targets: Sequence[Target], tree: Tree) -> Outcome:
    target = targets[0]
    old = target.old or b""
    data, mode = tree.read(old), tree.mode(old)
    bodies = [line for each in targets for raw in each.section.hunks for line in raw.body]
    source = Source(
        data,
        keep_bom=any(BOM in line[:5] for line in bodies),
        lossy=any(b"\xef\xbf\xbd" in line for line in bodies),
    )
    path = show(target.path)
    steps = _sorted_steps(targets, source, path)
    habit = cache(lambda: operator_habit([step.hunk for step in steps], source))
    for step in steps:
        with _located(path, step.number):
            step.parts = _placed(step.hunk, source, habit)
    habits = habits_of([part for step in steps for part in step.parts], source)
    edits: list[Edit] = []
    for step in steps:
        with _located(path, step.number):
            for part, placement in step.parts:
                edits += edits_of(part, placement, source, habits)
    return _finish(targets, steps, source, edits, (data, mode))


def _sorted_steps(targets: Sequence[Target], source: Source, path: str) -> list[_Step]:
    raws = [(each, raw) for each in targets for raw in each.section.hunks]
    steps: list[_Step] = []
    for number, (each, raw) in enumerate(raws, 1):
        with _located(path, number):
            hunk = sort_lines(raw, lambda key: key in source.where(Level.BLANKS))
            if hunk.lines:
                check_hunk(hunk, source, each.path)
                steps.append(_Step(number, each, hunk))
            elif not hunk.closed or max(hunk.missing) > 0:
                raise broke_off(hunk)
    return steps


def _placed(hunk: Hunk, source: Source, habit: _Habit) -> list[tuple[Hunk, Placement]]:
    try:
        placement = place(hunk, source, habit)
    except RefusalError as error:
        if error.refused.reason is RefusalReason.NO_MATCH and has_elisions(hunk):
            return _placed_parts(hunk, source, habit)
        glued = with_glued_line(hunk)
        if glued is not None:
            return _placed(glued, source, habit)
        raise check_unplaced(hunk, source, error) from error
    check_placed(hunk, placement, source)
    return [(hunk, placement)]


def _placed_parts(hunk: Hunk, source: Source, habit: _Habit) -> list[tuple[Hunk, Placement]]:
    found: list[tuple[Hunk, Placement]] = []
    for part in split(hunk):
        try:
            placement = place(part, source, habit)
        except RefusalError as error:
            raise check_unplaced(part, source, error) from error
        if found and not placement.idle and placement.start < found[-1][1].start:
            raise RefusalError(
                RefusalReason.NO_MATCH,
                "The parts of the hunk around `...` stand in another order in the file. Send "
                "them as separate hunks.",
            )
        found.append((part, placement))
    if found and not hunk.closed:
        check_placed(found[-1][0], found[-1][1], source)
    return found


def _report(path: str, number: int, hunk: Hunk, placement: Placement, target: Target) -> HunkReport:
    declared = hunk.numbers.old_start
    offset = 0
    if declared and not placement.idle and placement.rung != "empty":
        offset = placement.start + 1 - declared
    repairs = [*target.repairs, *hunk.repairs]
    if placement.reading.name != "usual":
        repairs.append(placement.reading.name)
    if offset:
        repairs.append("line")
    return HunkReport(path, number, placement.rung, offset, tuple(dict.fromkeys(repairs)))


def _finish(
    targets: Sequence[Target],
    steps: Sequence[_Step],
    source: Source,
    edits: list[Edit],
    before: tuple[bytes, int],
) -> Outcome:
    target, (data, mode) = targets[0], before
    reports = [
        _report(show(target.path), step.number, part, placement, step.target)
        for step in steps
        for part, placement in step.parts
    ]
    after, changes = assemble(source, merge(edits))
    lines = tuple(pieces(Source(data, keep_bom=True) if source.bom else source))
    new_mode = mode
    if target.new is None:
        unseen = any(each.section.deletes_unseen for each in targets)
        rest = b"" if unseen else after.removeprefix(source.bom)
        check_removal(rest, unseen or bool(steps), not data)
        after, changes = b"", [Change(0, lines, ())] if lines else []
        reports = reports or [HunkReport(show(target.path), 1, "delete", 0)]
    else:
        check_shrink(source, changes, [step.hunk for step in steps])
        new_mode = _new_mode(targets, mode)
    if source.bom and changes and changes[0].start == 0:
        # The mark is part of the first line for git, so one change has to carry it whole.
        changes = [trimmed(0, list(lines), pieces(Source(after, keep_bom=True)))]
    change = FileChange(target.old, target.new, data, after, mode, new_mode, lines, tuple(changes))
    if change.idle and not steps and any(_asks_for_more(each) for each in targets):
        reports = [HunkReport(show(target.path), 1, "already", 0)]
    return Outcome(change, tuple(reports))


def _asks_for_more(target: Target) -> bool:
    """Whether a section without hunks asks for a rename or a mode, which is there already."""
    return target.section.rename_to is not None or target.section.old_mode is not None


def _new_mode(targets: Sequence[Target], mode: int) -> int:
    for each in targets:
        wanted = each.section.new_mode
        if wanted is not None and each.section.old_mode is not None:
            return EXECUTABLE if wanted & 0o111 else REGULAR
    return mode
