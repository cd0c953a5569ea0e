"""Trees as git sees them, kept outside the working tree and deaf to its settings."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

NEUTRAL = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "base"), ("EMAIL", "base@invalid"), ("DATE", "@0 +0000"))
}
SETTINGS = (
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.autocrlf=false",
    "core.safecrlf=false",
    "core.quotePath=false",
    "core.symlinks=true",
    "core.fileMode=true",
    "core.untrackedCache=false",
    "core.protectNTFS=false",
    "core.protectHFS=false",
)
# Wins over any .gitattributes of the tree: bytes go in and come out as they are.
ATTRIBUTES = "* -text !eol -filter -ident -working-tree-encoding !diff !merge\n"
ABSENT = "0" * 40


class GitFailed(Exception):
    """A git command failed; the message is what it said."""


@dataclass(frozen=True, slots=True)
class Change:
    """One path that differs between two trees; a mode of `000000` means absent on that side."""

    path: str
    status: str
    old_mode: str
    new_mode: str
    old_blob: str
    new_blob: str


class TreeStore:
    """Remembers states of one working tree by tree id. Nothing in the tree configures it."""

    def __init__(self, git_dir: Path, work_tree: Path) -> None:
        self._git_dir, self.work_tree = git_dir, work_tree
        self._empty: list[Path] = []

    def create(self) -> str:
        """Make the store and return the id of the tree as it stands.

        Folders that are empty now are remembered beside it: git knows of none.
        """
        self._empty = [
            Path(at) for at, folders, files in os.walk(self.work_tree) if not folders and not files
        ]
        self._git_dir.mkdir(parents=True, exist_ok=True)
        self._run("init", "--quiet", "--bare", "--template=", str(self._git_dir), bare=True)
        info = self._git_dir / "info"
        info.mkdir(exist_ok=True)
        (info / "attributes").write_text(ATTRIBUTES)
        return self.write()

    def write(self) -> str:
        """The id of the working tree as it stands, ignored files included."""
        self._run("add", "--all", "--force", "--", ".")
        return self._run("write-tree").decode().strip()

    def restore(self, tree: str) -> None:
        """Make the working tree equal to `tree`, byte for byte."""
        self._run("read-tree", "--reset", "-u", tree)
        self._run("clean", "-ffdxq")
        self._run("checkout-index", "--all", "--force")
        for folder in self._empty:
            with suppress(FileExistsError, NotADirectoryError):  # the tree has a file there
                folder.mkdir(parents=True, exist_ok=True)

    def changes(self, old: str, new: str) -> tuple[Change, ...]:
        """Every path that differs, renames not folded."""
        raw = self._run("diff-tree", "-r", "--raw", "-z", "--no-renames", "--no-abbrev", old, new)
        return tuple(_parse_raw(raw))

    def diff(self, old: str, new: str) -> str:
        """The canonical diff between two trees; bytes that are no UTF-8 survive as surrogates."""
        shown = self._run(
            "diff-tree", "-r", "-p", "--no-renames", "--no-color", "--no-ext-diff",
            "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/", old, new,
        )  # fmt: skip
        return shown.decode("utf-8", "surrogateescape")

    def blob(self, blob: str) -> bytes:
        """The content of a blob."""
        return self._run("cat-file", "blob", blob)

    def listing(self, tree: str) -> tuple[str, ...]:
        """Every path of a tree."""
        names = self._run("ls-tree", "-r", "-z", "--name-only", tree).split(b"\0")
        return tuple(os.fsdecode(name) for name in names if name)

    def _run(self, *arguments: str, bare: bool = False) -> bytes:
        places = [] if bare else [f"--git-dir={self._git_dir}", f"--work-tree={self.work_tree}"]
        settings = [word for setting in SETTINGS for word in ("-c", setting)]
        finished = subprocess.run(
            ["git", *settings, *places, *arguments],
            cwd=self.work_tree,
            env={"PATH": os.environ.get("PATH", os.defpath), **NEUTRAL, **IDENTITY},
            capture_output=True,
            check=False,
        )
        if finished.returncode:
            said = finished.stderr.decode(errors="replace").strip()
            raise GitFailed(f"git {arguments[0]}: {said}")
        return finished.stdout


def _parse_raw(raw: bytes) -> Iterator[Change]:
    fields = raw.split(b"\0")
    for head, name in zip(fields[::2], fields[1::2], strict=False):
        old_mode, new_mode, old_blob, new_blob, status = head.decode().lstrip(":").split(" ")
        yield Change(os.fsdecode(name), status, old_mode, new_mode, old_blob, new_blob)
