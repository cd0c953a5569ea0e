"""Bare git repositories on disk, read and written with the git command."""

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

NO_COMMIT = "0" * 40
_SHA = re.compile(r"[0-9a-f]{4,40}")
_FIELDS = ("%H", "%T", "%P", "%an", "%ae", "%aI", "%cn", "%ce", "%cI", "%B")

# One writing instead of a git call for each setting: tests make many repositories.
_SERVER_CONFIG = """
[http]
\treceivepack = true
[core]
\thooksPath = "{hooks}"
[gc]
\tauto = 0
[receive]
\tautogc = false
\tprocReceiveRefs = refs
[transfer]
\thideRefs = refs/pull
[uploadpack]
\tallowAnySHA1InWant = true
\tallowFilter = true
"""


class GitError(Exception):
    """The git command refused; the text is what it said."""


@dataclass(frozen=True)
class Person:
    """A name, an address and an ISO 8601 date with offset, as git stores them in commits."""

    name: str
    email: str
    date: str


@dataclass(frozen=True)
class Commit:
    """One commit object."""

    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Person
    committer: Person
    message: str


@dataclass(frozen=True)
class TreeEntry:
    """One entry of a tree; `size` is None unless it is a blob."""

    mode: str
    kind: str
    sha: str
    path: str
    size: int | None


def git_environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """An environment in which no configuration of this machine changes what git does."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": "/nonexistent",
        "LC_ALL": "C.UTF-8",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_TERMINAL_PROMPT": "0",
        **(extra or {}),
    }


class GitRepository:
    """One bare repository."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def run(
        self,
        *arguments: str,
        stdin: bytes = b"",
        extra: Mapping[str, str] | None = None,
    ) -> bytes:
        """Standard output of a git command in this repository; GitError when it fails."""
        done = subprocess.run(
            ["git", f"--git-dir={self.path}", *arguments],
            input=stdin,
            capture_output=True,
            check=False,
            env=git_environment(extra),
        )
        if done.returncode:
            raise GitError(done.stderr.decode(errors="replace").strip())
        return done.stdout

    def text(self, *arguments: str, extra: Mapping[str, str] | None = None) -> str:
        """Standard output as one stripped string."""
        return self.run(*arguments, extra=extra).decode(errors="replace").strip()

    def create(self, default_branch: str, hooks: Path) -> None:
        """Make the bare repository, pushable over HTTP, with the given server hooks."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.run("init", "--bare", "--quiet", f"--initial-branch={default_branch}", str(self.path))
        with (self.path / "config").open("a") as config:
            config.write(_SERVER_CONFIG.format(hooks=hooks))

    def resolve(self, name: str) -> str | None:
        """The commit that a branch, a tag or a (possibly short) sha names, or None."""
        candidates = [f"refs/heads/{name}", f"refs/tags/{name}"]
        if _SHA.fullmatch(name):
            candidates.append(name)
        for one in candidates:
            try:
                return self.text("rev-parse", "--verify", "--quiet", f"{one}^{{commit}}")
            except GitError:
                continue
        return None

    def kind_of(self, sha: str) -> str | None:
        """commit, tree, blob or tag; None when the object does not exist."""
        if not _SHA.fullmatch(sha):
            return None
        try:
            return self.text("cat-file", "-t", sha)
        except GitError:
            return None

    def refs(self, prefix: str = "refs/") -> dict[str, str]:
        """Branches and tags by full name, pull request heads left out."""
        listing = self.text("for-each-ref", "--format=%(refname) %(objectname)", prefix)
        pairs = (line.split(" ", 1) for line in listing.splitlines())
        return {name: sha for name, sha in pairs if not name.startswith("refs/pull/")}

    def commits(self, *revisions: str) -> list[Commit]:
        """The commits that `git log` lists for these arguments, newest first."""
        layout = "%x00".join(_FIELDS)
        output = self.run("log", "-z", f"--format={layout}", *revisions, "--")
        fields = output.decode(errors="replace").split("\0")
        size = len(_FIELDS)
        rows = [fields[at : at + size] for at in range(0, len(fields) - size + 1, size)]
        return [_commit(row) for row in rows]

    def commit(self, sha: str) -> Commit:
        """The commit object `sha`."""
        return self.commits("-1", sha)[0]

    def merge_base(self, one: str, other: str) -> str | None:
        """The best common ancestor, or None for unrelated histories."""
        try:
            return self.text("merge-base", one, other)
        except GitError:
            return None

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` contains `older`."""
        try:
            self.run("merge-base", "--is-ancestor", older, newer)
        except GitError:
            return False
        return True

    def tree(self, treeish: str, path: str = "") -> list[TreeEntry]:
        """The entries directly below a directory; GitError when there is none."""
        output = self.run("ls-tree", "-l", "-z", f"{treeish}:{path}" if path else treeish)
        rows = [row for row in output.decode(errors="replace").split("\0") if row]
        return [_tree_entry(row, path) for row in rows]

    def blob(self, sha: str) -> bytes:
        """The content of a blob."""
        return self.run("cat-file", "blob", sha)

    def write_blob(self, content: bytes) -> str:
        """Store a blob, return its sha."""
        return self.run("hash-object", "-w", "--stdin", stdin=content).decode().strip()

    def write_tree(self, base: str | None, entries: Sequence[tuple[str, str, str]]) -> str:
        """Store `base` changed by (mode, sha, path) entries; mode 0 removes the path."""
        with self._index() as extra:
            if base:
                self.run("read-tree", base, extra=extra)
            lines = "".join(f"{mode} {sha}\t{path}\0" for mode, sha, path in entries)
            self.run("update-index", "-z", "--index-info", stdin=lines.encode(), extra=extra)
            return self.text("write-tree", extra=extra)

    def write_commit(
        self, tree: str, parents: Sequence[str], message: str, author: Person, committer: Person
    ) -> str:
        """Store a commit, return its sha."""
        flags = [part for parent in parents for part in ("-p", parent)]
        extra = {
            "GIT_AUTHOR_NAME": author.name,
            "GIT_AUTHOR_EMAIL": author.email,
            "GIT_AUTHOR_DATE": author.date,
            "GIT_COMMITTER_NAME": committer.name,
            "GIT_COMMITTER_EMAIL": committer.email,
            "GIT_COMMITTER_DATE": committer.date,
        }
        output = self.run("commit-tree", tree, *flags, stdin=message.encode(), extra=extra)
        return output.decode().strip()

    def tree_of_directory(self, source: Path) -> str:
        """Store the files of a directory as `git add --all` sees them, return the tree."""
        with self._index() as extra:
            self.run(f"--work-tree={source}", "-c", "core.bare=false", "add", "--all", extra=extra)
            return self.text("write-tree", extra=extra)

    def set_ref(self, name: str, new: str, old: str | None = None) -> None:
        """Move or create a ref; with `old` only if it still stands there."""
        self.run("update-ref", name, new, *([old] if old is not None else []))

    def delete_ref(self, name: str) -> None:
        """Remove a ref."""
        self.run("update-ref", "-d", name)

    @contextmanager
    def _index(self) -> Iterator[dict[str, str]]:
        with tempfile.TemporaryDirectory() as directory:
            yield {"GIT_INDEX_FILE": str(Path(directory) / "index")}


def _commit(row: Sequence[str]) -> Commit:
    sha, tree, parents, name, mail, date, by_name, by_mail, by_date, message = row
    author, committer = Person(name, mail, date), Person(by_name, by_mail, by_date)
    return Commit(sha, tree, tuple(parents.split()), author, committer, message.rstrip("\n"))


def _tree_entry(row: str, parent: str) -> TreeEntry:
    head, name = row.split("\t", 1)
    mode, kind, sha, size = head.split()
    path = f"{parent}/{name}" if parent else name
    return TreeEntry(mode, kind, sha, path, None if size == "-" else int(size))
