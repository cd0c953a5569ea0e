"""The path boundary: checked after resolving, so that no spelling of a path outside passes."""

import os
from pathlib import Path

import pytest

from sandbox.policy import Policy
from sandbox.proposer import Refusal
from sandbox.workspace import OutsideWorkspace, Workspace, copy_tree
from tests.support.repositories import FIX, calc, diff_of


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    outside = tmp_path / "secret.txt"
    outside.write_text("secret")
    source = calc(tmp_path / "source")
    (source / "link").symlink_to(tmp_path)
    return Workspace(source, tmp_path / "home", Policy([("tests/", "tests")]))


SPELLINGS = ["../secret.txt", "link/secret.txt", "tests/../../secret.txt", "/etc/passwd"]


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_no_spelling_leads_out(workspace: Workspace, spelling: str) -> None:
    with pytest.raises(OutsideWorkspace):
        workspace.path(spelling)


def test_a_path_inside_is_inside(workspace: Workspace) -> None:
    assert workspace.path("calc.py").read_text().startswith('"""Sums')


def test_control_without_resolving_a_link_leads_out(workspace: Workspace, tmp_path: Path) -> None:
    """The check on the string alone passes for a link, and the file outside is read."""
    unresolved = workspace.root / "link" / "secret.txt"
    assert workspace.root in unresolved.parents
    assert unresolved.read_text() == "secret"


ESCAPES = [
    diff_of("../secret.txt", "secret", "changed"),
    diff_of("link/secret.txt", "secret", "changed"),
    diff_of("../new.txt", None, "new\n"),
    diff_of("link/new.txt", None, "new\n"),
]


@pytest.mark.parametrize("diff", ESCAPES)
def test_no_diff_writes_outside(workspace: Workspace, tmp_path: Path, diff: str) -> None:
    before = workspace.current
    assert isinstance(workspace.apply(diff), Refusal)
    assert (tmp_path / "secret.txt").read_text() == "secret"
    assert not (tmp_path / "new.txt").exists()
    assert workspace.current == before
    assert workspace.diff() == ""


def test_the_source_is_never_touched(workspace: Workspace, tmp_path: Path) -> None:
    before = (tmp_path / "source" / "calc.py").read_bytes()
    applied = workspace.apply(FIX)
    assert isinstance(applied, str)
    workspace.keep(applied)
    assert (workspace.root / "calc.py").read_bytes() != before
    assert (tmp_path / "source" / "calc.py").read_bytes() == before


def test_restore_brings_every_byte_back(workspace: Workspace) -> None:
    base = workspace.base
    applied = workspace.apply(FIX)
    assert isinstance(applied, str)
    (workspace.root / "left behind.tmp").write_text("x")
    workspace.restore(base)
    assert workspace.diff() == ""
    assert not (workspace.root / "left behind.tmp").exists()


def test_git_settings_of_the_tree_configure_nothing(tmp_path: Path) -> None:
    """Line endings and filters that the repository asks of git do not change what is compared."""
    source = calc(tmp_path / "source")
    (source / ".gitattributes").write_text("* text eol=lf filter=evil\n")
    (source / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    (source / ".gitignore").write_text("*\n")
    workspace = Workspace(source, tmp_path / "home", Policy([]))
    workspace.restore(workspace.base)
    assert (workspace.root / "crlf.txt").read_bytes() == b"one\r\ntwo\r\n"
    assert (workspace.root / "calc.py").exists()


def test_a_folder_that_is_empty_on_the_base_stays(tmp_path: Path) -> None:
    """git knows of none, and a test that writes into one would be lost with it."""
    source = calc(tmp_path / "source")
    (source / "out" / "deep").mkdir(parents=True)
    workspace = Workspace(source, tmp_path / "home", Policy([]))
    assert isinstance(workspace.apply(FIX), str)
    workspace.restore(workspace.base)
    assert (workspace.root / "out" / "deep").is_dir()


def test_odd_names_come_back(tmp_path: Path) -> None:
    source = calc(tmp_path / "source")
    names = [os.fsdecode(b"latin-\xe9.py"), "line\nbreak.py", "git~1", "-x.py", 'q"t.py', " a.py"]
    for name in names:
        (source / name).write_bytes(b"x = 1\n")
    workspace = Workspace(source, tmp_path / "home", Policy([]))
    for name in names:
        (workspace.root / name).unlink()
    workspace.restore(workspace.base)
    assert all((workspace.root / name).read_bytes() == b"x = 1\n" for name in names)


def test_a_virtual_environment_is_no_part_of_the_code(tmp_path: Path) -> None:
    source = calc(
        tmp_path / "source", **{"env/pyvenv.cfg": "", "env/lib/x.py": "", "venv/a.py": ""}
    )
    copy_tree(source, tmp_path / "copy")
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == [
        "calc.py",
        "tests",
        "venv",
    ]


def test_a_copy_inside_of_its_source_ends(tmp_path: Path) -> None:
    source = calc(tmp_path)
    copy_tree(source, tmp_path / "scratch" / "copy")
    assert sorted(path.name for path in (tmp_path / "scratch" / "copy").iterdir()) == [
        "calc.py", "tests",
    ]  # fmt: skip
