"""Lays out diff cases, runs a tool on them and judges the bytes of the whole tree."""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

Tree = dict[str, tuple[str, bytes, int]]


class Verdict(StrEnum):
    """How one tool did on one case."""

    RIGHT = "right"
    REFUSED = "refused"
    WRONG = "wrong"
    DIRTY = "dirty"
    LIE = "lies"
    WRONG_REASON = "wrong_reason"


@dataclass(frozen=True)
class Case:
    """One folder: a tree before, a diff, and the tree after or the reason to refuse."""

    name: str
    folder: Path
    meta: dict[str, Any]

    @property
    def diff(self) -> bytes:
        """The answer to apply."""
        return (self.folder / "diff.patch").read_bytes()

    @property
    def reason(self) -> str | None:
        """The reason word the answer is to be refused with, or None."""
        path = self.folder / "expect_refused.txt"
        return path.read_text().strip() if path.exists() else None

    @property
    def control(self) -> bool:
        """Whether the diff is well-formed."""
        return self.meta.get("group") == "control"


@dataclass(frozen=True)
class Claim:
    """What a tool says: whether it worked and, if it refuses, with which word."""

    success: bool
    reason: str | None = None


Tool = Callable[[Path, bytes], Claim]


def load_cases(folder: Path) -> list[Case]:
    """Every case of a folder, in order of names."""
    return [
        Case(path.name, path, _meta(path))
        for path in sorted(folder.iterdir())
        if (path / "diff.patch").is_file()
    ]


def _meta(path: Path) -> dict[str, Any]:
    file = path / "meta.json"
    found: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    return found


def judge(case: Case, tool: Tool) -> tuple[Verdict, Claim]:
    """Runs a tool on a fresh copy of the tree and judges every byte, outside the tree too."""
    with tempfile.TemporaryDirectory(prefix="patch-bench-") as name:
        outside = Path(name) / "outside"
        root = outside / "workspace"
        lay_out(case, root)
        before, around = snapshot(root), snapshot(outside)
        claim = tool(root, case.diff)
        after = snapshot(root)
        escaped = _without(around) != _without(snapshot(outside))
        expected = None if case.reason is not None else _expected(case, before)
    return _verdict(case, claim, before, after, expected, escaped), claim


def _without(tree: Tree) -> Tree:
    return {path: entry for path, entry in tree.items() if not path.startswith("workspace")}


def _verdict(
    case: Case, claim: Claim, before: Tree, after: Tree, expected: Tree | None, escaped: bool
) -> Verdict:
    changed = before != after or escaped
    if not claim.success:
        if changed:
            return Verdict.DIRTY
        if expected is not None:
            return Verdict.REFUSED
        same = claim.reason is None or claim.reason == case.reason
        return Verdict.RIGHT if same else Verdict.WRONG_REASON
    if expected is not None and after == expected and not escaped:
        return Verdict.RIGHT
    return Verdict.WRONG if changed else Verdict.LIE


def lay_out(case: Case, root: Path) -> None:
    """Makes the tree before: files, modes and the links that `meta` names."""
    source = case.folder / "before"
    if source.is_dir():
        shutil.copytree(source, root, symlinks=True)
    else:
        root.mkdir(parents=True)
    for path, mode in case.meta.get("before_modes", {}).items():
        (root / path).chmod(_mode(mode))
    for link, target in case.meta.get("before_symlinks", {}).items():
        (root / link).parent.mkdir(parents=True, exist_ok=True)
        (root / link).symlink_to(target)


def _mode(mode: int | str) -> int:
    return (int(mode, 8) if isinstance(mode, str) else mode) & 0o7777


def _expected(case: Case, before: Tree) -> Tree:
    tree = snapshot(case.folder / "after")
    for path, entry in before.items():
        if entry[0] == "link":
            tree.setdefault(path, entry)
        elif path in tree:
            tree[path] = (tree[path][0], tree[path][1], entry[2])
    for path, mode in case.meta.get("after_modes", {}).items():
        tree[path] = (tree[path][0], tree[path][1], _mode(mode) & 0o100)
    return tree


def snapshot(root: Path) -> Tree:
    """Every file and link below a folder: kind, bytes, and whether its owner may run it."""
    return dict(_entries(root))


def _entries(root: Path) -> Iterator[tuple[str, tuple[str, bytes, int]]]:
    for folder, dirs, files in os.walk(root):
        for name in (*files, *(entry for entry in dirs if (Path(folder) / entry).is_symlink())):
            path = Path(folder) / name
            relative = str(path.relative_to(root))
            if path.is_symlink():
                yield relative, ("link", os.fsencode(path.readlink()), 0)
            else:
                yield (
                    relative,
                    ("file", path.read_bytes(), stat.S_IMODE(path.stat().st_mode) & 0o100),
                )
