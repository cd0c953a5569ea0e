"""The copy of the repository that attempts are applied to: boundary, policy, checkpoints."""

import shutil
from contextlib import suppress
from pathlib import Path

from sandbox.executor.archive import left_out
from sandbox.patch import Applied, HunkReport, apply_answer
from sandbox.policy import Policy, refusal
from sandbox.proposer import Refusal
from sandbox.tree import TreeStore


class OutsideWorkspace(Exception):
    """A path leads out of the workspace; the message names it."""


def copy_tree(source: Path, target: Path) -> None:
    """Copy a plain tree: links as links, no sockets or devices, nothing that is left out, and not
    the folder that the copy lies in, where that is inside of the source."""
    top, goal = source.resolve(), target.resolve()
    inside = goal.relative_to(top).parts[:1] if goal.is_relative_to(top) else ()

    def unwanted(folder: str, names: list[str]) -> list[str]:
        here = Path(folder)
        kinds = (Path.is_file, Path.is_dir, Path.is_symlink)
        odd = (n for n in names if not any(is_kind(here / n) for is_kind in kinds))
        own = inside if here == source else ()
        return [*odd, *(n for n in names if n in own or left_out(here / n))]

    shutil.copytree(source, target, symlinks=True, ignore=unwanted, dirs_exist_ok=True)


class Workspace:
    """A working copy of `source` below `home`, with its base state and its current one.

    Every state is a git tree id.
    """

    def __init__(self, source: Path, home: Path, policy: Policy) -> None:
        self.root = (home / "tree").resolve()
        copy_tree(source, self.root)
        self._policy = policy
        self._store = TreeStore(home / "states.git", self.root)
        self.base = self.current = self._store.create()
        self.hunks: tuple[HunkReport, ...] = ()
        self._base_paths = self._store.listing(self.base)

    def path(self, relative: str) -> Path:
        """Where a path of the tree lies on disk.

        Raises `OutsideWorkspace` when it resolves to anywhere else: the check comes after links
        and `..` are followed, so that no spelling of a path outside passes.
        """
        target = (self.root / relative).resolve()
        if target != self.root and self.root not in target.parents:
            raise OutsideWorkspace(f"{relative} leads out of the repository")
        return target

    def apply(self, answer: str, *, finish_reason: str | None = None) -> str | Refusal:
        """Apply an answer to the current tree and return the new tree's id, or refuse it whole.

        A refusal leaves the tree as it was. The policy is held against every path that git says
        differs, not against what a parser saw in the diff. `hunks` then says how the answer's
        hunks found their places.
        """
        applied = apply_answer(
            self.root, answer.encode("utf-8", "surrogateescape"), finish_reason=finish_reason
        )
        if not isinstance(applied, Applied):
            paths = (applied.path,) if applied.path else ()
            return Refusal(str(applied.reason), applied.message, paths)
        if applied.outcome == "already_applied":
            return Refusal("already_applied", "The file already has these lines: nothing changed.")
        self.hunks = applied.hunks
        new = self._store.write()
        changes = self._store.changes(self.base, new)
        refused = self._policy.check(changes, self._store.blob, self._base_paths)
        if refused:
            self.restore(self.current)
            return refusal(refused)
        return new

    def keep(self, tree: str) -> None:
        """Make `tree`, which is applied, the current state."""
        self.current = tree

    def restore(self, tree: str) -> None:
        """Bring the working tree and the current state back to `tree`."""
        self._store.restore(tree)
        self.current = tree

    def diff(self, tree: str | None = None) -> str:
        """The canonical diff from the base to `tree`, the current state by default."""
        return self._store.diff(self.base, tree or self.current)

    def changed_paths(self) -> tuple[str, ...]:
        """Paths that differ between the base and the current state."""
        return tuple(change.path for change in self._store.changes(self.base, self.current))

    def export(self, target: Path) -> Path:
        """A copy of the working tree for somebody who must not touch it."""
        with suppress(FileNotFoundError):
            shutil.rmtree(target)
        copy_tree(self.root, target)
        return target
