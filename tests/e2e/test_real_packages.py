"""Real packages of the package index: a historic bug becomes a proved pull request.

The repository is a release with the tests of the next one; the recorded replies hold what the next
release made of its source. Both are put together at run time, nothing of them is kept here.
"""

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from sandbox.executor.docker import DockerExecutor
from sandbox.executor.model import Limits
from sandbox.results import TestRun
from sandbox.suite import Suite
from sandbox.toolchain import detect
from tests.support import real_packages as real
from tests.support.distributions import IndexUnreachable, unpacked
from tests.support.history import Facts, Step, laid

if TYPE_CHECKING:
    from app.fakehub import PullView
    from tests.e2e.conftest import House

pytestmark = [pytest.mark.docker, pytest.mark.network, pytest.mark.usefixtures("image")]
OWNER, PERSON, ISSUE = "ada", "grace", 1


@pytest.fixture
def archives(pytestconfig: pytest.Config, tmp_path: Path) -> Path:
    """Where fetched archives are kept from run to run."""
    cache = pytestconfig.cache
    return cache.mkdir("distributions") if cache else tmp_path


@contextmanager
def index() -> Iterator[None]:
    """Without the package index a test is skipped, but never in CI."""
    try:
        yield
    except IndexUnreachable as error:
        if os.environ.get("CI") == "true":
            pytest.fail(f"in CI the package index must answer: {error}")
        pytest.skip(f"the package index does not answer: {error}")


def named(facts: Facts) -> str:
    """The name of a test's case."""
    return facts.before.name


@pytest.mark.parametrize("facts", [real.H11, real.CACHETOOLS], ids=named)
def test_a_real_fix_with_a_test_edit_is_refused_whole_and_without_it_proved(
    house: "House", facts: Facts, archives: Path, tmp_path: Path
) -> None:
    refused_then_proved(house, facts, archives, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("facts", [real.XMLTODICT, real.TABULATE, real.SQLPARSE], ids=named)
def test_so_it_is_with_more_real_fixes(
    house: "House", facts: Facts, archives: Path, tmp_path: Path
) -> None:
    refused_then_proved(house, facts, archives, tmp_path)


def test_a_real_fix_is_proved_at_once(house: "House", archives: Path, tmp_path: Path) -> None:
    with index():
        step = laid(real.PARSE, archives, tmp_path / "history")
    labelled(house, step, step.source_diff)
    the_pull_request_holds_the_real_fix(house, real.PARSE, step)
    said = house.comment(real.PARSE.before.name, ISSUE)
    assert "1 attempt, 1 edit applied (1 kept, 0 reverted), 0 refused" in said


def refused_then_proved(house: "House", facts: Facts, archives: Path, tmp_path: Path) -> None:
    with index():
        step = laid(facts, archives, tmp_path / "history")
    assert step.changed_tests
    labelled(house, step, step.with_tests_diff, step.source_diff)
    the_pull_request_holds_the_real_fix(house, facts, step)
    the_test_edit_was_refused_whole_and_told(house, step)


def labelled(house: "House", step: Step, *replies: str) -> None:
    """A repository, its issue and the label on it; the run is waited for."""
    house.replay(*replies)
    house.hub.create_repository(OWNER, step.name, step.repository)
    house.hub.install_app(house.app.app_id, OWNER, [step.name])
    house.hub.add_collaborator(OWNER, step.name, PERSON, "write")
    title, body = "It does not do what its tests say", "The suite shows it."
    assert house.hub.create_issue(OWNER, step.name, title, body, author=PERSON) == ISSUE
    house.open_for_business()
    house.label(step.name, ISSUE)
    run = house.ended(step.name)
    found = (run.state, run.outcome, run.reason)
    assert found == ("done", "fixed", "proved"), f"{run.sentence}\n{house.said()}"


def the_pull_request_holds_the_real_fix(house: "House", facts: Facts, step: Step) -> None:
    """An open draft with exactly the next release's source and untouched tests."""
    pull = house.only_pull(step.name)
    assert (pull.draft, pull.state, pull.base) == (True, "open", "main")
    assert sorted(house.hub.pull_files(OWNER, step.name, pull.number)) == step.changed_source
    for path, content in {**step.source, **step.tests}.items():
        assert house.hub.file(OWNER, step.name, pull.head, path) == content, path
    the_evidence_is_right(facts, artifact(house, step, "proof"), pull)


def the_evidence_is_right(facts: Facts, proof: dict[str, Any], pull: "PullView") -> None:
    """Numbers as plain runners gave them, in the artifact and in the words for people."""
    failing, passing, skipped = len(facts.failing), facts.passing, facts.skipped
    assert proof["targets"] == list(facts.failing)
    assert proof["base"] == {"passed": passing, "failed": failing, "skipped": skipped}
    assert proof["fixed"] == {"passed": passing + failing, "failed": 0, "skipped": skipped}
    assert all(row["agrees"] for row in proof["rows"])
    rest = f", {skipped} skipped" if skipped else ""
    before, after = f"{passing} passed, {failing} failed{rest}", f"{passing + failing} passed{rest}"
    assert f"| whole suite | {before} | {after} |" in pull.body
    assert "| failed 6 of 6 runs | passed 5 of 5 runs |" in pull.body


def the_test_edit_was_refused_whole_and_told(house: "House", step: Step) -> None:
    """Nothing of the first reply was run; its paths stand in the one comment."""
    refused, kept = artifact(house, step, "worked")["tried"]
    assert (refused["fate"], refused["run"], kept["fate"]) == ("refused", None, "kept")
    assert refused["refusal"]["reason"] == "protected_path"
    assert sorted(refused["refusal"]["paths"]) == step.changed_tests
    said = house.comment(step.name, ISSUE)
    assert "2 attempts, 1 edit applied (1 kept, 0 reverted), 1 refused" in said
    assert "1. refused, not run: The diff was refused whole" in said
    assert f"`{step.changed_tests[0]}`" in said


def artifact(house: "House", step: Step, name: str) -> dict[str, Any]:
    """What a stage of the run left."""
    folder = house.data / "runs" / house.run_of(step.name).run_id
    left: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return left


def test_search_repairs_a_flipped_operator_of_a_real_package(
    archives: Path, tmp_path: Path, chance: random.Random, executor: DockerExecutor, image: str
) -> None:
    repaired(chance.choice(real.FLIPS), archives, tmp_path, executor, image)


@pytest.mark.long
@pytest.mark.parametrize("flip", real.FLIPS, ids=str)
def test_search_repairs_each_flipped_operator(
    flip: real.Flip, archives: Path, tmp_path: Path, executor: DockerExecutor, image: str
) -> None:
    repaired(flip, archives, tmp_path, executor, image)


def repaired(
    flip: real.Flip, archives: Path, tmp_path: Path, executor: DockerExecutor, image: str
) -> None:
    """A release is broken in one place; the command line mends a copy of it."""
    with index():
        release = unpacked(flip.release, archives, tmp_path / "release")
    broken = shutil.copytree(release, tmp_path / "broken")
    flip.into(broken)
    mutant = (broken / flip.path).read_bytes()
    result = fix(broken, tmp_path)
    assert (result["outcome"], result["reason"]) == ("fixed", "proved"), (flip, result)
    changed = {line for line in result["diff"].splitlines() if line.startswith(("--- ", "+++ "))}
    assert changed == {f"--- a/{flip.path}", f"+++ b/{flip.path}"}
    assert (broken / flip.path).read_bytes() == mutant, "PATH itself was changed"
    behaves_as(release, Path(result["written_to"]), executor, image)


def fix(path: Path, scratch: Path) -> dict[str, Any]:
    """The JSON of `patchwright fix PATH --proposer search`, whose status must be 0."""
    command = [sys.executable, "-m", "app.cli", "fix", str(path), "--proposer", "search", "--json"]
    ran = subprocess.run(
        command,
        timeout=400,
        cwd=Path(__file__).parents[2],
        env=dict(os.environ) | {"TMPDIR": str(scratch)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, f"{ran.returncode}: {ran.stdout[-2000:]}\n{ran.stderr[-2000:]}"
    said: dict[str, Any] = json.loads(ran.stdout)
    return said


def behaves_as(release: Path, mended: Path, executor: DockerExecutor, image: str) -> None:
    """Each test has the result that it has with the release as its author made it."""
    expected, found = (results(tree, executor, image) for tree in (release, mended))
    assert found.usable
    assert (found.passing, found.failing) == (expected.passing, frozenset())


def results(tree: Path, executor: DockerExecutor, image: str) -> TestRun:
    """One run of the whole suite."""
    return Suite(executor, image, detect(tree), Limits()).run(tree)
