"""A worker killed with -9 before or after any deed: the next goes on, and nothing is doubled."""

import os
import random
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

from app.runs.workflow import RECOVERIES
from handlers.intents import StartRun

if TYPE_CHECKING:
    from tests.e2e.conftest import House

pytestmark = pytest.mark.docker

MORTAL = Path(__file__).with_name("mortal.py")
# In the order in which a run does them.
DEEDS = (
    "store running",
    "POST access_tokens",
    "POST reactions",
    "POST comments",
    "write issue",
    "git fetch",
    "git checkout",
    "stage environment",
    "write environment",
    "stage baseline",
    "write ground",
    "stage work",
    "write worked",
    "stage prove",
    "write proof",
    "git commit-tree",
    "git ls-remote",
    "git push",
    "write branch",
    "POST pulls",
    "POST check-runs",
    "PATCH comments",
    "store done",
)
POINTS = [f"{when} {deed}" for deed in DEEDS for when in ("before", "after")]

# All workers of pytest-xdist must collect the same sample: they share the id of their run.
SHARED = os.environ.get("PYTEST_XDIST_TESTRUNUID") or uuid4().hex
SEED = int(os.environ.get("PATCHWRIGHT_SEED") or int(SHARED[:7], 16))
SAMPLE = sorted(random.Random(SEED).sample(POINTS, 3), key=POINTS.index)


@pytest.fixture(autouse=True)
def known_fix(house: "House", fix: str) -> None:
    """What is proposed does not matter here: a recorded reply is the quickest proposer."""
    house.replay(fix)


def accepted(house: "House", files: dict[str, str]) -> int:
    """An issue whose run is in the inbox; no process is there yet."""
    issue = house.repository("shop", files)
    installation = house.hub.install_app(house.app.app_id, "ada", ["shop"])
    intent = StartRun(
        installation, "ada", "shop", issue, "cheaper() is wrong", "grace", "User", "patchwright"
    )
    assert house.store.accept("delivery", intent, uuid4().hex) == "accepted"
    return issue


def killed_and_continued(house: "House", files: dict[str, str], points: list[str]) -> None:
    """One run: its worker dies at each of `points` in turn, then a sound one takes over."""
    issue = accepted(house, files)
    for number, point in enumerate(points):
        marker = house.root / f"died{number}"
        worker = house.worker((sys.executable, str(MORTAL), point, str(marker)))
        house.death_of(worker)
        assert worker.returncode == -signal.SIGKILL, house.said()
        assert marker.read_text(encoding="utf-8").startswith(point)
    house.worker()
    run = house.ended("shop")
    assert (run.state, run.outcome) == ("done", "fixed"), house.said()
    pull = house.only_pull("shop")
    assert house.hub.pull_files("ada", "shop", pull.number) == ["pricing.py"]
    assert f"**Fixed in #{pull.number}.**" in house.comment("shop", issue)
    assert house.hub.reactions("ada", "shop", issue) == [("patchwright[bot]", "eyes")]
    assert [one.conclusion for one in house.hub.check_runs("ada", "shop")] == ["success"]


@pytest.mark.parametrize("points", [SAMPLE], ids=[f"{', '.join(SAMPLE)}, seed {SEED}"])
def test_a_run_survives_three_kills(
    house: "House", buggy: dict[str, str], points: list[str]
) -> None:
    killed_and_continued(house, buggy, points)


@pytest.mark.long
@pytest.mark.parametrize("point", POINTS)
def test_a_run_survives_a_kill_at_any_point(
    house: "House", buggy: dict[str, str], point: str
) -> None:
    killed_and_continued(house, buggy, [point])


@pytest.mark.long
def test_a_run_that_always_kills_its_worker_is_given_up_and_told(
    house: "House", buggy: dict[str, str]
) -> None:
    issue = accepted(house, buggy)
    command = (sys.executable, str(MORTAL), "before stage baseline", "never")
    for _ in range(RECOVERIES + 1):
        worker = house.worker(command)
        house.death_of(worker)
    house.worker()
    run = house.ended("shop")
    assert (run.state, run.reason) == ("failed", "own_error")
    assert "broke off and cannot be taken up again" in house.comment("shop", issue)
    house.untouched("shop")


def test_a_worker_killed_under_serve_is_replaced_and_its_run_goes_on(
    house: "House", buggy: dict[str, str]
) -> None:
    issue = house.repository("shop", buggy)
    house.open_for_business()
    house.label("shop", issue)
    run = house.run_of("shop")
    house.until(lambda: "baseline" in stages(house, run.run_id), "the baseline runs")
    os.kill(house.children()["app.runs.worker"], signal.SIGKILL)
    assert house.ended("shop").outcome == "fixed", house.said()
    assert "ended unasked" in house.said()
    house.only_pull("shop")
    house.comment("shop", issue)


def stages(house: "House", run_id: str) -> set[str]:
    return {event.stage for event in house.store.events(run_id)}
