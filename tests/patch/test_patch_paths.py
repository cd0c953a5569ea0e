"""The path boundary: every way out is refused, and works once the guard is taken away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.patch import Applied, Refused, apply_answer
from tests.bench._cases import snapshot


def new_file(path: str) -> str:
    """A diff that makes a file of one line."""
    return f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+owned\n"


def edit(path: str) -> str:
    """A diff that edits a line of a file."""
    return f"--- a/{path}\n+++ b/{path}\n@@ -1,2 +1,2 @@\n first line\n-second line\n+owned\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A tree with a neighbour outside, a link to it, a link to a file, and a `.git`."""
    root = tmp_path / "tree"
    outside = tmp_path / "outside"
    for folder in (root / "src", root / ".git" / "hooks", outside):
        folder.mkdir(parents=True)
    for file in (root / "src" / "a.txt", outside / "secret.txt"):
        file.write_text("first line\nsecond line\n")
    (root / ".git" / "config").write_text("[core]\n")
    (root / "link").symlink_to(outside)
    (root / "alias.txt").symlink_to(outside / "secret.txt")
    (root / "inner").symlink_to("src")
    return root


ATTACKS = {
    "climb": new_file("../outside/new.txt"),
    "climb_in_the_middle": new_file("src/../../outside/new.txt"),
    "climb_by_edit": edit("../outside/secret.txt"),
    "climb_backslash": "--- /dev/null\n+++ b\\..\\..\\outside\\new.txt\n@@ -0,0 +1 @@\n+x\n",
    "climb_quoted": '--- /dev/null\n+++ "b/\\056\\056/outside/new.txt"\n@@ -0,0 +1 @@\n+x\n',
    "absolute_new": "--- /dev/null\n+++ /outside/new.txt\n@@ -0,0 +1 @@\n+x\n",
    "absolute_edit": "--- /etc/hostname\n+++ /etc/hostname\n@@ -1 +1 @@\n-x\n+y\n",
    "home": "--- /dev/null\n+++ ~/new.txt\n@@ -0,0 +1 @@\n+x\n",
    "drive": "--- /dev/null\n+++ C:\\new.txt\n@@ -0,0 +1 @@\n+x\n",
    "git_hook": new_file(".git/hooks/pre-commit"),
    "git_config": edit(".git/config"),
    "git_case": new_file(".Git/hooks/pre-commit"),
    "git_short_name": new_file("git~1/hooks/pre-commit"),
    "git_deep": new_file("vendor/lib/.git/config"),
    "git_trailing_dot": new_file(".git./config"),
    "through_link": new_file("link/new.txt"),
    "through_link_edit": edit("link/secret.txt"),
    "through_link_inside": new_file("inner/new.txt"),
    "link_as_file": edit("alias.txt"),
    "link_replaced": new_file("alias.txt"),
    "link_deleted": "--- a/alias.txt\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-first line\n-second line\n",
    "link_made": (
        "diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n"
        "+../outside\n\\ No newline at end of file\n"
    ),
    "rename_out": (
        "diff --git a/src/a.txt b/../outside/a.txt\nsimilarity index 100%\n"
        "rename from src/a.txt\nrename to ../outside/a.txt\n"
    ),
    "rename_in": (
        "diff --git a/link/secret.txt b/src/s.txt\nsimilarity index 100%\n"
        "rename from link/secret.txt\nrename to src/s.txt\n"
    ),
    "envelope_climbs": "*** Begin Patch\n*** Add File: ../outside/new.txt\n+x\n*** End Patch\n",
    "search_climbs": (
        "../outside/secret.txt\n<<<<<<< SEARCH\nsecond line\n=======\nowned\n>>>>>>> REPLACE\n"
    ),
    "control_byte": "--- /dev/null\n+++ b/a\x01b.txt\n@@ -0,0 +1 @@\n+x\n",
}


@pytest.mark.parametrize("name", ATTACKS)
def test_ways_out_are_refused(name: str, place: Path) -> None:
    before = snapshot(place.parent)
    result = apply_answer(place, ATTACKS[name])
    assert isinstance(result, Refused), result
    assert result.reason == "unsafe_path", result.message
    assert "Name a file" in result.message or "link" in result.message
    assert snapshot(place.parent) == before


def nothing(*_: object, **__: object) -> None:
    """Stands where a guard stood."""


def no_guards(monkeypatch: pytest.MonkeyPatch) -> None:
    """Takes away the path guards, and the proof that is a second wall behind them."""
    for module in ("resolve", "tree", "write"):
        monkeypatch.setattr(f"sandbox.patch.{module}.refuse_links", nothing)
    monkeypatch.setattr("sandbox.patch.resolve.refuse_unsafe", nothing)
    monkeypatch.setattr("sandbox.patch.resolve.refuse_absolute", nothing)
    monkeypatch.setattr("sandbox.patch.engine.prove", nothing)


@pytest.mark.parametrize(
    "name", ["climb", "climb_by_edit", "git_hook", "through_link", "through_link_edit"]
)
def test_control_the_attack_works_without_the_guard(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(place.parent)
    no_guards(monkeypatch)
    result = apply_answer(place, ATTACKS[name])
    assert isinstance(result, Applied), result
    assert snapshot(place.parent) != before


@pytest.mark.parametrize("name", ["climb", "git_hook"])
def test_control_the_proof_is_a_second_wall(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = snapshot(place.parent)
    monkeypatch.setattr("sandbox.patch.resolve.refuse_unsafe", nothing)
    result = apply_answer(place, ATTACKS[name])
    assert isinstance(result, Refused)
    assert result.reason == "unproved"
    assert snapshot(place.parent) == before


def naive(root: Path, diff: str) -> None:
    """What a program does that joins the path of a new file to its root and writes."""
    path = diff.split("+++ b/")[1].split("\n", maxsplit=1)[0]
    target = root / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("owned\n")


@pytest.mark.parametrize("name", ["climb", "git_hook", "through_link"])
def test_control_naive_application_escapes(name: str, place: Path) -> None:
    before = snapshot(place.parent)
    naive(place, ATTACKS[name])
    assert snapshot(place.parent) != before


def test_link_put_in_place_during_the_run(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A directory that becomes a link between reading and writing is not followed."""
    from sandbox.patch import engine
    from sandbox.patch.prove import prove

    real: Callable[..., None] = prove

    def swap(*arguments: object) -> None:
        real(*arguments)
        (place / "src" / "a.txt").unlink()
        (place / "src").rmdir()
        (place / "src").symlink_to(place.parent / "outside")

    (place.parent / "outside" / "a.txt").write_text("first line\nsecond line\n")
    monkeypatch.setattr(engine, "prove", swap)
    result = apply_answer(place, edit("src/a.txt"))
    assert isinstance(result, Refused)
    assert result.reason == "unsafe_path"
    assert (place.parent / "outside" / "a.txt").read_text() == "first line\nsecond line\n"


def test_git_ignore_and_the_like_are_no_git_directory(tmp_path: Path) -> None:
    assert isinstance(apply_answer(tmp_path, new_file(".gitignore")), Applied)
    assert isinstance(apply_answer(tmp_path, new_file(".github/x.yml")), Applied)
