"""Random edits of real source files, held as drafts of a diff that defects can be put into."""

from __future__ import annotations

import random
import sysconfig
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import cache
from pathlib import Path

Line = tuple[str, str]


@dataclass
class DraftHunk:
    """A hunk: declared numbers, heading, and lines as operator and text."""

    old_start: int
    new_start: int
    lines: list[Line]
    heading: str = ""
    counts: tuple[int, int] | None = None
    header: str | None = None

    def count(self, skip: str) -> int:
        """Lines without those of one operator."""
        return sum(op != skip for op, _ in self.lines)

    def head(self) -> str:
        """The header line, or what a defect made of it."""
        if self.header is not None:
            return self.header
        old, new = self.counts or (self.count("+"), self.count("-"))
        heading = f" {self.heading}" if self.heading else ""
        return f"@@ -{self.old_start},{old} +{self.new_start},{new} @@{heading}"


@dataclass
class Draft:
    """One edited file and the diff that tells of it, before and after defects."""

    path: str
    before: str
    after: str
    hunks: list[DraftHunk]
    git: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    crlf_file: bool = False
    defects: list[str] = field(default_factory=list)

    def text(self) -> str:
        """The diff as text."""
        rows = [*self.git, *self.names]
        for hunk in self.hunks:
            if hunk.head():
                rows.append(hunk.head())
            rows += [op + text for op, text in hunk.lines]
        return "\n".join(rows) + "\n"


def make_draft(path: str, before: str, after: str, context: int = 3) -> Draft:
    """A well-formed diff between two texts."""
    old, new = before.splitlines(), after.splitlines()
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    hunks = []
    for group in matcher.get_grouped_opcodes(context):
        lines: list[Line] = []
        for tag, a, b, c, d in group:
            if tag == "equal":
                lines += [(" ", text) for text in old[a:b]]
            else:
                lines += [("-", text) for text in old[a:b]]
                lines += [("+", text) for text in new[c:d]]
        hunk = DraftHunk(group[0][1] + 1, group[0][3] + 1, lines, _heading(old, group[0][1]))
        hunks.append(hunk)
    git = [f"diff --git a/{path} b/{path}", "index 1f2e3d4..5a6b7c8 100644"]
    return Draft(path, before, after, hunks, git, [f"--- a/{path}", f"+++ b/{path}"])


def _heading(old: list[str], start: int) -> str:
    for text in reversed(old[:start]):
        if text[:1].isalpha() or text[:1] == "_":
            return text[:80].rstrip()
    return ""


@cache
def real_sources() -> tuple[Path, ...]:
    """Modules of the running interpreter's library, small to middling, without fixtures."""
    root = Path(sysconfig.get_paths()["stdlib"])
    found = [
        path
        for path in sorted(root.rglob("*.py"))
        if not {"site-packages", "test", "tests", "idlelib", "lib2to3"} & set(path.parts)
        and 3_000 < path.stat().st_size < 60_000
    ]
    return tuple(path for path in found if _plain(path))


def _plain(path: Path) -> bool:
    data = path.read_bytes()
    return data.isascii() and data.endswith(b"\n") and b"\r" not in data and b"\f" not in data


def edit_text(text: str, chance: random.Random, edits: int) -> str:
    """The text after some random edits: lines put in, taken out or changed."""
    lines = text.splitlines()
    for _ in range(edits):
        at = chance.randrange(len(lines))
        kind = chance.choice(("insert", "insert", "change", "change", "delete", "block"))
        if kind == "insert":
            lines[at:at] = [_invent(lines, at, chance) for _ in range(chance.randint(1, 4))]
        elif kind == "delete" and len(lines) > 20:
            del lines[at : at + chance.randint(1, 3)]
        elif kind == "block":
            size = chance.randint(2, 5)
            lines[at : at + size] = [_invent(lines, at, chance) for _ in range(size)]
        else:
            lines[at] = _change(lines[at], chance)
    return "\n".join(lines) + "\n"


def _invent(lines: list[str], at: int, chance: random.Random) -> str:
    near = lines[max(0, at - 6) : at + 6]
    model = chance.choice([line for line in near if line.strip()] or ["pass"])
    indent = model[: len(model) - len(model.lstrip())]
    name = "".join(chance.choice("abcdefghij") for _ in range(6))
    return indent + chance.choice(
        (f"{name} = {chance.randint(1, 999)}", f"{name}(self.{name})", f"if {name}:", f"# {name}")
    )


def _change(line: str, chance: random.Random) -> str:
    if not line.strip():
        return "    value_" + str(chance.randint(1, 99)) + " = None"
    return line + f"  # {chance.randint(1, 9999)}"


def random_draft(chance: random.Random) -> Draft:
    """A well-formed diff of one to three random edits of a random library module."""
    path = chance.choice(real_sources())
    before = path.read_text()
    after = before
    while after == before:
        after = edit_text(before, chance, chance.randint(1, 3))
    return make_draft(f"lib/pkg/{path.name}", before, after)
