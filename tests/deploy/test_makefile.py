"""Verbs: the Makefile lists them all, CI runs the same ones, scripts refuse in one sentence."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

PLAIN_TOOLS = ("sh", "cat", "cksum", "dirname", "grep", "head", "id", "mktemp", "rm", "tail")


def run(
    call: list[str],
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
    timeout: float = 100,
) -> "subprocess.CompletedProcess[str]":
    """A command's outcome, standard error in standard output."""
    return subprocess.run(
        call,
        cwd=cwd,
        env=env,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=timeout,
        check=False,
    )


def verbs(root: Path) -> list[str]:
    """The Makefile's phony targets."""
    declared = re.search(r"^\.PHONY: (.*)$", (root / "Makefile").read_text(), re.MULTILINE)
    assert declared is not None
    return declared[1].split()


def test_plain_make_lists_every_verb(repo_root: Path) -> None:
    listed = run(["make", "--no-print-directory"], cwd=repo_root).stdout
    shown = re.findall(r"^make (\S+) +\S", listed, re.MULTILINE)
    assert sorted(shown) == sorted(verbs(repo_root))


def test_the_documented_verbs_are_there(repo_root: Path) -> None:
    wanted = {"setup", "engine", "image", "demo", "test", "test-all", "lint", "bench", "lock"}
    assert wanted <= set(verbs(repo_root))


def test_the_ci_script_is_make_test_from_anywhere(repo_root: Path, tmp_path: Path) -> None:
    # Without MAKELEVEL: below another make it would frame what it says with its directory.
    inherited = {name: text for name, text in os.environ.items() if name != "MAKELEVEL"}
    environment = {**inherited, "MAKEFLAGS": "n"}
    plan = run([str(repo_root / ".ci" / "run")], cwd=tmp_path, env=environment)
    assert plan.returncode == 0
    for step in ("setup.sh", "engine.sh", "image.sh", "ruff check", "mypy", "lint-imports"):
        assert step in plan.stdout
    assert plan.stdout.rstrip().splitlines()[-1].endswith('pytest -n 2 -m "not long"')


def test_the_seed_is_one_for_all_and_can_be_given(repo_root: Path) -> None:
    unset = {name: text for name, text in os.environ.items() if name != "PATCHWRIGHT_SEED"}
    drawn = [run(["make", "-n", "test"], cwd=repo_root, env=unset).stdout for _ in range(2)]
    seeds = [re.findall(r"PATCHWRIGHT_SEED=(\d+)", plan) for plan in drawn]
    assert all(len(found) == 1 for found in seeds)
    assert seeds[0] != seeds[1]
    given = run(["make", "-n", "test", "PATCHWRIGHT_SEED=77"], cwd=repo_root).stdout
    assert "PATCHWRIGHT_SEED=77" in given


@pytest.mark.parametrize(("name", "verb"), [("ci", "test"), ("nightly", "test-all")])
def test_a_workflow_runs_one_verb_with_no_rights(repo_root: Path, name: str, verb: str) -> None:
    text = (repo_root / ".github" / "workflows" / f"{name}.yml").read_text()
    assert re.findall(r"run: (.*)", text) == [f"make {verb}"]
    assert re.search(r"^permissions: \{\}$", text, re.MULTILINE)
    assert re.findall(r"^ +permissions:\n((?: {6}.*\n)+)", text, re.MULTILINE) == [
        "      contents: read\n"
    ]
    assert "persist-credentials: false" in text


def test_every_action_is_pinned_by_its_commit(repo_root: Path) -> None:
    for workflow in (repo_root / ".github" / "workflows").glob("*.yml"):
        for used in re.findall(r"uses: (.*)", workflow.read_text()):
            assert re.fullmatch(r"[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used), used


@pytest.fixture
def plain_path(tmp_path: Path) -> str:
    """A PATH with a few tools, and neither apt-get nor docker nor Python."""
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in PLAIN_TOOLS:
        found = shutil.which(tool)
        assert found is not None
        (tools / tool).symlink_to(found)
    return str(tools)


@pytest.fixture
def copy(repo_root: Path, tmp_path: Path) -> Path:
    """What `make setup` reads, in a directory of its own."""
    copy = tmp_path / "copy"
    shutil.copytree(repo_root / "manifests" / "deploy", copy / "manifests" / "deploy")
    for name in ("requirements.lock", "pyproject.toml"):
        shutil.copy(repo_root / name, copy)
    # The scripts look for system tools in the system's places too; here there are none.
    steps = copy / "manifests" / "deploy" / "steps.sh"
    steps.write_text(steps.read_text().replace('PATH="$PATH:/usr/sbin:/sbin"\n', ""))
    return copy


def test_setup_without_a_recent_python_says_so_and_makes_nothing(
    copy: Path, plain_path: str
) -> None:
    told = run([str(copy / "manifests/deploy/setup.sh")], env={"PATH": plain_path})
    assert told.returncode == 1
    assert told.stdout.startswith("Patchwright needs Python 3.11 or newer and found none")
    assert len(told.stdout.splitlines()) == 1
    assert not (copy / ".venv").exists()


def test_setup_does_not_take_an_old_python(copy: Path, plain_path: str) -> None:
    old = Path(plain_path) / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")  # how a Python before 3.11 answers the question
    old.chmod(0o755)
    told = run([str(copy / "manifests/deploy/setup.sh")], env={"PATH": plain_path})
    assert "needs Python 3.11 or newer" in told.stdout


def test_setup_that_is_done_does_nothing(copy: Path, plain_path: str) -> None:
    python = copy / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.symlink_to("/bin/false")
    check = 'cat requirements.lock pyproject.toml | cksum | tr "\\n" " "; printf %s "$PWD"'
    stamp = run(["sh", "-c", check], cwd=copy).stdout
    (copy / ".venv" / ".patchwright-setup").write_text(stamp + "\n")
    setup = [str(copy / "manifests/deploy/setup.sh")]
    assert (run(setup, env={"PATH": plain_path}).stdout) == ""
    # One more byte in the lock and there is something to do again.
    with (copy / "requirements.lock").open("a") as lock:
        lock.write("#\n")
    assert run(setup, env={"PATH": plain_path}).returncode == 1


@pytest.mark.long
@pytest.mark.network
def test_setup_from_nothing_gives_a_working_patchwright(repo_root: Path, tmp_path: Path) -> None:
    fresh = tmp_path / "fresh"
    ignored = shutil.ignore_patterns(".*", "__pycache__")
    shutil.copytree(repo_root, fresh, ignore=ignored)
    setup = [str(fresh / "manifests/deploy/setup.sh")]
    told = run(setup, timeout=500)
    assert told.returncode == 0, told.stdout
    assert run([str(fresh / ".venv/bin/patchwright"), "--help"], cwd=tmp_path).returncode == 0
    assert run(setup).stdout == ""
    # In another place it is made anew: its scripts name the old one.
    moved = fresh.rename(tmp_path / "moved")
    told = run([str(moved / "manifests/deploy/setup.sh")], timeout=500)
    assert "Making the virtual environment" in told.stdout
    assert run([str(moved / ".venv/bin/patchwright"), "--help"], cwd=tmp_path).returncode == 0


def test_an_unknown_bench_is_refused_with_the_known_ones(repo_root: Path) -> None:
    python = str(repo_root / ".venv" / "bin" / "python")
    told = run([python, "-m", "tests.bench", "no-such-bench"], cwd=repo_root)
    assert told.returncode == 2
    assert "No bench no-such-bench" in told.stdout
