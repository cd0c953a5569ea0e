"""Properties: agrees with git on well-formed diffs, idempotent, refusals and paths keep out."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sandbox.patch import Applied, RefusalReason, Refused, apply_answer
from tests.bench._cases import snapshot

LONG = os.environ.get("PATCHWRIGHT_LONG") == "1"
SCALE = 10 if LONG else 1
GIT = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

# Lines that look like parts of a diff, of prose, of other answer forms.
WORDS = st.sampled_from(
    (
        "", "", "a", "b", "c", "    x = 1", "    y = 2", "\treturn", "}", "{", "-- sql", "++ i",
        "--- a/f", "+++ b/f", "@@ -1 +1 @@", "@@", " lead", "trail  ", "\\ No newline", "a\r",
        "<<<", "```", "~~~diff", "+p", "-m", "index 12..34", "rename from x", "*** End Patch",
        "EOF", "</patch>", "=======", "\u00e9", "\u201cq\u201d", "12 | foo", "diff --git a/x b/x",
        "Binary files a and b differ", "-- ", "2.40.1", "value = compute(first, second)",
        "if value is None:", "# a remark that tells something",
    )
)  # fmt: skip
LINES = st.lists(WORDS, max_size=25)


def examples(count: int) -> settings:
    """Settings for a share of the examples; everything here starts processes, so no deadline."""
    return settings(
        max_examples=count * SCALE,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


@st.composite
def edited(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """A file and the file after some edits, each with or without a final newline."""
    before = draw(LINES)
    after = list(before)
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(after)))
        gone = draw(st.integers(0, 3))
        after[at : at + gone] = draw(st.lists(WORDS, max_size=3))
    return _text(before, draw(st.booleans())), _text(after, draw(st.booleans()))


def _text(lines: list[str], newline: bool) -> bytes:
    text = "\n".join(lines)
    return (text + "\n" if newline and lines else text).encode()


@contextmanager
def folder() -> Iterator[Path]:
    """A fresh folder: hypothesis runs many examples within one test."""
    with tempfile.TemporaryDirectory(prefix="patch-property-") as name:
        yield Path(name)


def git_diff(root: Path, before: dict[str, bytes], after: dict[str, bytes]) -> bytes:
    """The diff that git makes of two trees."""
    for side, tree in (("a", before), ("b", after)):
        (root / side).mkdir()
        for name, data in tree.items():
            (root / side / name).write_bytes(data)
    command = ["git", "diff", "--no-index", "--no-color", "--no-renames", "--no-prefix", "a", "b"]
    return subprocess.run(command, cwd=root, env=GIT, capture_output=True, check=False).stdout


def git_apply(tree: Path, diff: bytes) -> bool:
    """Whether git applies a diff to a tree."""
    environment = GIT | {"GIT_CEILING_DIRECTORIES": str(tree.parent)}
    command = ["git", "apply", "-"]
    done = subprocess.run(
        command, cwd=tree, input=diff, env=environment, capture_output=True, check=False
    )
    return done.returncode == 0


@examples(900)
@given(first=edited(), second=edited(), more=st.booleans(), gone=st.booleans())
def test_well_formed_diffs_equal_git_apply_and_twice_is_no_op(
    first: tuple[bytes, bytes], second: tuple[bytes, bytes], more: bool, gone: bool
) -> None:
    before, after = {"one.txt": first[0]}, {"one.txt": first[1]}
    if more:
        before["two.txt"], after["two.txt"] = second
    elif gone:
        after["new.txt"] = second[1]
    with folder() as root:
        diff = git_diff(root, before, after)
        if not diff:
            return
        ours, theirs = root / "ours", root / "theirs"
        shutil.copytree(root / "a", ours)
        shutil.copytree(root / "a", theirs)
        if not git_apply(theirs, diff):
            return
        result = apply_answer(ours, diff)
        assert isinstance(result, Applied), (result.message, diff)
        assert snapshot(ours) == snapshot(theirs) == snapshot(root / "b")
        apply_answer(ours, diff)
        assert snapshot(ours) == snapshot(theirs), "applied a second time"


DAMAGE = st.sampled_from(("drop", "swap", "double", "alter", "cut", "sign"))


@examples(1000)
@given(files=edited(), kinds=st.lists(DAMAGE, min_size=1, max_size=3), where=st.randoms())
def test_refusal_leaves_the_tree_and_success_is_what_it_says(
    files: tuple[bytes, bytes], kinds: list[str], where: object
) -> None:
    """Random damage: refused with the tree equal, or applied exactly as the canonical diff says."""
    with folder() as root:
        diff = git_diff(root, {"one.txt": files[0]}, {"one.txt": files[1]})
        rows = diff.split(b"\n")
        for kind in kinds:
            rows = _damaged(rows, kind, where.randrange(len(rows)))  # type: ignore[attr-defined]
        tree, copy = root / "tree", root / "copy"
        shutil.copytree(root / "a", tree)
        shutil.copytree(root / "a", copy)
        before = snapshot(tree)
        result = apply_answer(tree, b"\n".join(rows))
        if isinstance(result, Refused):
            assert snapshot(tree) == before
            assert result.message
        elif result.outcome == "already_applied":
            assert snapshot(tree) == before
            assert result.diff == b""
        else:
            assert git_apply(copy, result.diff)
            assert snapshot(copy) == snapshot(tree) != before


def _damaged(rows: list[bytes], kind: str, at: int) -> list[bytes]:
    rows = list(rows)
    if kind == "drop" and len(rows) > 1:
        del rows[at]
    elif kind == "swap":
        rows[at], rows[-1] = rows[-1], rows[at]
    elif kind == "double":
        rows.insert(at, rows[at])
    elif kind == "alter":
        rows[at] = rows[at] + b"x"
    elif kind == "cut":
        rows = [*rows[:at], rows[at][: len(rows[at]) // 2]]
    elif kind == "sign":
        rows[at] = b" " + rows[at][1:]
    return rows


PARTS = st.sampled_from(
    ("..", ".", "", ".git", ".GIT", "link", "src", "a", "b", "a.txt", "new.txt", "~", "c:", " ",
     "\x00", "\t", "..\\..", "dev", "null", ".git.", "'", '"')
)  # fmt: skip


@examples(1100)
@given(parts=st.lists(PARTS, min_size=1, max_size=6), lead=st.sampled_from(("", "/", "b/", "//")),
       form=st.sampled_from(("new", "edit", "rename", "delete", "envelope", "search")))  # fmt: skip
def test_nothing_is_ever_written_outside_the_root(parts: list[str], lead: str, form: str) -> None:
    path = lead + "/".join(parts)
    with folder() as base:
        root = base / "out" / "root"
        (root / "src").mkdir(parents=True)
        (root / ".git").mkdir()
        (root / ".git" / "config").write_text("one\ntwo\n")
        (root / "src" / "a.txt").write_text("one\ntwo\n")
        (base / "out" / "a.txt").write_text("one\ntwo\n")
        (root / "link").symlink_to(base / "out")
        outside, git = _around(base, root), snapshot(root / ".git")
        apply_answer(root, _answer(form, path))
        assert _around(base, root) == outside
        assert snapshot(root / ".git") == git


def _around(base: Path, root: Path) -> dict[str, object]:
    inner = str(root.relative_to(base))
    return {path: entry for path, entry in snapshot(base).items() if not path.startswith(inner)}


def _answer(form: str, path: str) -> str:
    if form == "new":
        return f"--- /dev/null\n+++ {path}\n@@ -0,0 +1 @@\n+x\n"
    if form == "edit":
        return f"--- {path}\n+++ {path}\n@@ -1,2 +1,2 @@\n one\n-two\n+x\n"
    if form == "rename":
        return f"diff --git a/src/a.txt {path}\nrename from src/a.txt\nrename to {path}\n"
    if form == "delete":
        return f"--- {path}\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-one\n-two\n"
    if form == "envelope":
        return f"*** Begin Patch\n*** Add File: {path}\n+x\n*** End Patch\n"
    return f"{path}\n<<<<<<< SEARCH\ntwo\n=======\nx\n>>>>>>> REPLACE\n"


TEXT = st.lists(
    st.one_of(WORDS, st.text(max_size=12), st.sampled_from((
        "--- a/one.txt", "+++ b/one.txt", "--- /dev/null", "@@ -1,3 +1,4 @@ def f():",
        "<<<<<<< SEARCH", ">>>>>>> REPLACE", "*** Begin Patch", "*** Update File: one.txt",
        "*** Delete File: one.txt", "*** Move to: two.txt", "+added", "-a", " a", " b", "...",
        '{"patch": "', "&lt;b&gt;", "@@ ... @@", "deleted file mode 100644", "old mode 100644",
        "new mode 100755", "rename from one.txt", "rename to two.txt", "\ufeff",
    ))),
    max_size=30,
)  # fmt: skip


@examples(2000)
@given(rows=TEXT, tail=st.binary(max_size=8), ends=st.sampled_from(("\n", "\r\n")))
def test_no_answer_makes_the_engine_fail(rows: list[str], tail: bytes, ends: str) -> None:
    """Any text at all ends in a result, and a refusal has one of the known words."""
    answer = ends.join(rows).encode("utf-8", "surrogatepass") + tail
    with folder() as root:
        (root / "one.txt").write_text("a\nb\nc\n\n    x = 1\n")
        before = snapshot(root)
        result = apply_answer(root, answer)
        if isinstance(result, Refused):
            assert result.reason in RefusalReason
            assert result.message
            assert snapshot(root) == before
        again = apply_answer(root, answer, finish_reason="length")
        assert isinstance(again, Refused)
        assert again.reason == "truncated"
