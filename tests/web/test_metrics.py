"""What the diff engine made of real answers can be read off, on the run's page and as figures."""

import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from app.runs.store import RunState, Store
from app.settings import WebSettings
from handlers.intents import StartRun
from sandbox.ground import Worked
from sandbox.ledger import Ledger
from sandbox.outcome import Outcome
from sandbox.patch import Applied, apply_answer
from sandbox.proposer import Refusal, Tried
from sandbox.results import Status, TestRun
from tests.support.repositories import FIX, calc

RUN = "fedcba9876543210" * 2


@pytest.fixture
def finished(store: Store, settings: WebSettings, tmp_path: Path) -> str:
    """A run whose recorded answers are a refused one and one that had to be mended."""
    wrong_counts = FIX.replace("@@ -2,7 +2,7 @@", "@@ -2,99 +2,7 @@")
    applied = apply_answer(calc(tmp_path / "source"), wrong_counts)
    assert isinstance(applied, Applied)
    ledger = Ledger(attempts=1, applied=1, kept=1, retries=1)
    ledger.placed(applied.hunks)
    ledger.refuse("no_match")
    tried = (
        Tried("x\udcff", "refused", refusal=Refusal("no_match", "no such lines \udcff")),
        Tried(wrong_counts, "kept", hunks=applied.hunks),
    )
    green = TestRun(Status.PASS)
    worked = Worked(None, "green", "All targets pass.", FIX, ledger, green, tried)
    intent = StartRun(5, "ada", "rrule", 97, "Sums", "ada", "User", "patchwright")
    store.accept("guid-9", intent, RUN)
    store.update(RUN, state=RunState.DONE, outcome=Outcome.FIXED)
    folder = settings.run_dir(RUN)
    folder.mkdir(parents=True)
    (folder / "worked.json").write_text(json.dumps(worked.to_json()))
    return RUN


def test_the_page_tells_each_hunks_place_and_each_refusal(
    client: TestClient, finished: str
) -> None:
    page = client.get(f"/runs/{finished}")
    assert page.status_code == 200
    assert "exact, mended counts" in page.text
    assert "refused: no_match" in page.text
    assert "<dt>asked again at once</dt><dd>1</dd>" in page.text


def test_the_field_frequency_of_each_kind_can_be_read_off(
    client: TestClient, finished: str
) -> None:
    found = client.get("/metrics")
    assert found.headers["content-type"].startswith("text/plain")
    lines = found.text.splitlines()
    assert 'patchwright_recent_runs{outcome="fixed",state="done"} 1.0' in lines
    assert 'patchwright_recent_rungs{rung="exact"} 1.0' in lines
    assert 'patchwright_recent_repairs{repair="counts"} 1.0' in lines
    assert 'patchwright_recent_refusals{reason="no_match"} 1.0' in lines


def test_without_runs_there_are_figures_too(client: TestClient) -> None:
    assert client.get("/metrics").status_code == 200
