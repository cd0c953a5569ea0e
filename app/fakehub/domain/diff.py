"""What differs between two commits, a file at a time, as a forge shows it."""

from dataclasses import dataclass
from itertools import islice

from app.fakehub.domain.git import GitRepository

_STATUS = {"A": "added", "D": "removed", "M": "modified", "R": "renamed", "C": "copied"}


@dataclass(frozen=True)
class FileChange:
    """One changed file; `patch` holds its hunks and is None for binary content."""

    path: str
    previous: str | None
    status: str
    sha: str
    additions: int
    deletions: int
    patch: str | None


def changed_files(git: GitRepository, base: str, head: str) -> list[FileChange]:
    """The changes from `base` to `head` (commits or trees), renames found."""
    raw = _records(git.run("diff-tree", "-r", "-M", "--raw", "-z", "--no-abbrev", base, head))
    counts = _counts(git.run("diff-tree", "-r", "-M", "--numstat", "-z", base, head))
    patches = _patches(git.run("diff-tree", "-r", "-M", "-p", "--full-index", base, head))
    changes: list[FileChange] = []
    for (meta, paths), (added, deleted) in zip(raw, counts, strict=True):
        _, _, _, sha, letter = meta.lstrip(":").split(" ")
        # A changed type (file to link) is two sections of the same diff: gone, then new.
        sections = list(islice(patches, 2 if letter == "T" else 1))
        previous = paths[0] if len(paths) == 2 else None
        status = _STATUS.get(letter[0], "changed")
        patch = "\n".join(part for part in sections if part) or None
        changes.append(FileChange(paths[-1], previous, status, sha, added, deleted, patch))
    return changes


def _records(output: bytes) -> "list[tuple[str, list[str]]]":
    parts = iter(output.decode(errors="replace").split("\0"))
    found: list[tuple[str, list[str]]] = []
    for meta in parts:
        if meta.startswith(":"):
            wanted = 2 if meta.rsplit(" ", 1)[1][0] in "RC" else 1
            found.append((meta, list(islice(parts, wanted))))
    return found


def _counts(output: bytes) -> list[tuple[int, int]]:
    parts = iter(output.decode(errors="replace").split("\0"))
    found: list[tuple[int, int]] = []
    for row in parts:
        if not row:
            continue
        added, deleted, path = row.split("\t", 2)
        if not path:  # a rename: the two names follow as fields of their own
            next(parts), next(parts)
        found.append((_number(added), _number(deleted)))
    return found


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 0


def _patches(output: bytes) -> "islice[str]":
    sections = f"\n{output.decode(errors='replace')}".split("\ndiff --git ")[1:]
    return islice((_hunks(section) for section in sections), None)


def _hunks(section: str) -> str:
    at = section.find("\n@@ ")
    return section[at + 1 :].rstrip("\n") if at >= 0 else ""
