"""One answer in, one result out: the pipeline from text to a written tree."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from sandbox.patch.canonical import FileChange, canonical_diff
from sandbox.patch.entities import doubt_about_entities
from sandbox.patch.intake import has_entities, read_answer, unescape_entities
from sandbox.patch.model import (
    Applied,
    HunkReport,
    RefusalError,
    RefusalReason,
    Refused,
)
from sandbox.patch.paths import show
from sandbox.patch.prove import prove
from sandbox.patch.read import read_sections
from sandbox.patch.resolve import Target, resolve_all
from sandbox.patch.tree import Tree
from sandbox.patch.work import Outcome, work_out
from sandbox.patch.write import write_all

_MAY_BE_ESCAPED = (RefusalReason.NO_MATCH, RefusalReason.MISSING_FILE, RefusalReason.NO_DIFF)


def apply_answer(
    root: Path,
    answer: bytes | str,
    *,
    dry_run: bool = False,
    finish_reason: str | None = None,
) -> Applied | Refused:
    """Applies one answer to the tree at `root`, whole, or leaves the tree as it is.

    `root` is any directory, a git checkout or not; `.git` is never touched. With `dry_run`
    everything is done but the writing. `finish_reason` is what the model's interface reported:
    "length" refuses the answer as truncated before it is read.

    Raises ValueError when `root` is no directory. Everything that is wrong with the answer comes
    back as a Refused.
    """
    if not root.is_dir():
        raise ValueError(f"not a directory: {root}")
    try:
        return _apply(root, answer, dry_run, finish_reason)
    except RefusalError as error:
        return error.refused


def _apply(root: Path, answer: bytes | str, dry_run: bool, finish_reason: str | None) -> Applied:
    if finish_reason is not None and finish_reason.lower() in ("length", "max_tokens"):
        raise RefusalError(
            RefusalReason.TRUNCATED,
            "The answer ended at the length limit. Send the whole diff in a shorter answer.",
        )
    text = read_answer(answer)
    tree = Tree(root)
    files, reports = _plan(text, tree)
    diff = canonical_diff(files)
    busy = [file for file in files if not file.idle]
    if busy:
        prove(busy, diff)
        if not dry_run:
            write_all(root, busy)
    paths = {path for file in busy for path in (file.old_path, file.new_path) if path}
    return Applied(
        "applied" if busy else "already_applied",
        diff,
        tuple(reports),
        tuple(sorted(show(path) for path in paths)),
    )


def _plan(text: bytes, tree: Tree) -> tuple[list[FileChange], list[HunkReport]]:
    """What becomes of every file; markup entities are read as such only if nothing fits else."""
    try:
        return _plan_as_is(text, tree)
    except RefusalError as error:
        if error.refused.reason not in _MAY_BE_ESCAPED or not has_entities(text):
            raise
        try:
            files, reports = _plan_as_is(unescape_entities(text), tree, unescaped=True)
        except RefusalError as later:
            raise (error if later.refused.reason in _MAY_BE_ESCAPED else later) from None
        return files, [replace(report, repairs=(*report.repairs, "entities")) for report in reports]


def _plan_as_is(
    text: bytes, tree: Tree, unescaped: bool = False
) -> tuple[list[FileChange], list[HunkReport]]:
    sections = read_sections(text)
    targets = resolve_all(sections, tree)
    outcomes = [work_out(group, tree) for group in _grouped(targets)]
    _refuse_clashes(outcomes)
    if not unescaped and has_entities(text):
        doubt_about_entities(targets, tree)
    reports = [report for outcome in outcomes for report in outcome.reports]
    files = [outcome.change for outcome in outcomes]
    if all(file.idle for file in files) and not any(report.rung == "already" for report in reports):
        raise RefusalError(
            RefusalReason.NO_DIFF,
            "The diff changes nothing: every line it removes it adds again. Send the change.",
        )
    return files, reports


def _grouped(targets: list[Target]) -> list[list[Target]]:
    groups: dict[bytes, list[Target]] = {}
    for target in targets:
        groups.setdefault(target.old or target.path, []).append(target)
    return list(groups.values())


def _refuse_clashes(outcomes: list[Outcome]) -> None:
    """Two files must not end at one path, nor one file go and another come in its place."""
    seen: set[bytes] = set()
    for outcome in outcomes:
        for path in {outcome.change.old_path, outcome.change.new_path} - {None}:
            if path in seen:
                raise RefusalError(
                    RefusalReason.CONFLICT,
                    f"Two changes of the answer end at `{show(path)}`. Send one.",
                    show(path),
                )
            if path is not None:
                seen.add(path)
