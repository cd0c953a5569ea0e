"""Writing: all or nothing, modes kept, nothing but the changed files touched."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from sandbox.patch import Applied, Refused, apply_answer, write
from tests.bench._cases import snapshot

TWO = (
    "--- a/one.txt\n+++ b/one.txt\n@@ -1 +1 @@\n-one\n+ONE\n"
    "--- a/two.txt\n+++ b/two.txt\n@@ -1 +1 @@\n-two\n+TWO\n"
    "--- /dev/null\n+++ b/deep/er/new.txt\n@@ -0,0 +1 @@\n+new\n"
    "--- a/gone/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-old\n"
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Three files, one of them executable."""
    root = tmp_path / "tree"
    (root / "gone").mkdir(parents=True)
    for name, text in (("one.txt", "one\n"), ("two.txt", "two\n"), ("gone/old.txt", "old\n")):
        (root / name).write_text(text)
    (root / "two.txt").chmod(0o750)
    return root


def test_all_files_are_written_and_modes_kept(tree: Path) -> None:
    result = apply_answer(tree, TWO)
    assert isinstance(result, Applied)
    assert result.paths == ("deep/er/new.txt", "gone/old.txt", "one.txt", "two.txt")
    assert (tree / "one.txt").read_text() == "ONE\n"
    assert (tree / "two.txt").stat().st_mode & 0o777 == 0o750
    assert (tree / "deep" / "er" / "new.txt").read_text() == "new\n"
    assert not (tree / "gone").exists()
    assert not [path for path in tree.rglob(".patchwright-*")]


def fails_at(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets the disk refuse at the given write."""
    real = write._temporary
    calls = iter(range(100))

    def flaky(directory: Path, data: bytes, bits: int | None, execute: int = 0) -> Path:
        if next(calls) == count:
            raise OSError(28, "No space left on device")
        return real(directory, data, bits, execute)

    monkeypatch.setattr(write, "_temporary", flaky)


@pytest.mark.parametrize("count", [0, 1, 2])
def test_a_failed_write_is_undone(count: int, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = snapshot(tree)
    fails_at(count, monkeypatch)
    result = apply_answer(tree, TWO)
    assert isinstance(result, Refused)
    assert result.reason == "write_failed"
    assert "No space left" in result.message
    assert snapshot(tree) == before
    assert not (tree / "deep").exists()


def test_control_without_undoing_the_tree_is_half_written(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(tree)
    fails_at(2, monkeypatch)
    monkeypatch.setattr(write, "_undo", lambda journal: None)
    assert isinstance(apply_answer(tree, TWO), Refused)
    assert snapshot(tree) != before


def test_a_file_changed_meanwhile_is_not_overwritten(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sandbox.patch import engine

    monkeypatch.setattr(engine, "prove", lambda files, diff: (tree / "one.txt").write_text("3\n"))
    result = apply_answer(tree, TWO)
    assert isinstance(result, Refused)
    assert result.reason == "conflict"
    assert (tree / "one.txt").read_text() == "3\n"
    assert (tree / "two.txt").read_text() == "two\n"


def test_modes_that_the_diff_names(tree: Path) -> None:
    answer = (
        "diff --git a/run.sh b/run.sh\nnew file mode 100755\n--- /dev/null\n+++ b/run.sh\n"
        "@@ -0,0 +1 @@\n+exit 0\n"
        "diff --git a/one.txt b/one.txt\nold mode 100644\nnew mode 100755\n"
    )
    result = apply_answer(tree, answer)
    assert isinstance(result, Applied)
    assert (tree / "run.sh").stat().st_mode & 0o111
    assert (tree / "one.txt").stat().st_mode & 0o111
    assert b"new mode 100755" in result.diff
    again = apply_answer(tree, answer)
    assert isinstance(again, Applied)
    assert again.outcome == "already_applied"


@pytest.mark.parametrize(
    "answer",
    [
        "diff --git a/one.txt b/one.txt\nold mode 100644\nnew mode 100755\n",
        "diff --git a/one.txt b/1.txt\nrename from one.txt\nrename to 1.txt\n",
    ],
)
def test_mode_or_rename_alone_twice(answer: str, tree: Path) -> None:
    first, second = apply_answer(tree, answer), apply_answer(tree, answer)
    assert isinstance(first, Applied)
    assert first.outcome == "applied"
    assert isinstance(second, Applied)
    assert second.outcome == "already_applied"


def git(root: Path, *arguments: str) -> str:
    """Git in a folder, away from any configuration."""
    environment = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", "-c", "user.name=t", "-c", "user.email=t@example.test", *arguments],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_in_a_checkout_git_itself_stays_as_it_is(tree: Path) -> None:
    git(tree, "init", "-q")
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "base")
    before = snapshot(tree / ".git")
    result = apply_answer(tree, TWO)
    assert isinstance(result, Applied)
    assert snapshot(tree / ".git") == before
    git(tree, "add", "-A")
    seen = git(tree, "diff", "--cached", "--no-renames", "--full-index", "HEAD")
    assert seen.encode() == result.diff


def test_root_that_is_no_directory(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not a directory"):
        apply_answer(tmp_path / "missing", TWO)


def test_hostile_git_configuration_in_the_tree_is_not_used(tree: Path) -> None:
    """Attributes and hooks of the tree have no say in the proof."""
    marker = tree.parent / "ran"
    git(tree, "init", "-q")
    (tree / ".git" / "config").write_text(
        f"[core]\n\tfsmonitor = touch {marker}\n\thooksPath = {tree}\n[apply]\n\twhitespace = fix\n"
    )
    (tree / ".gitattributes").write_text("* text eol=crlf\n")
    assert isinstance(apply_answer(tree, TWO), Applied)
    assert (tree / "one.txt").read_bytes() == b"ONE\n"
    assert not marker.exists()
