"""The status comment under way: edited when it changed, seldom enough, and never too late."""

import time
from typing import TYPE_CHECKING

from app.fakehub import Fault
from app.runs.pulse import SECONDS_BETWEEN_EDITS, pulse
from app.runs.steps.acknowledge import acknowledge
from sandbox.events import Event

if TYPE_CHECKING:
    from tests.runs.conftest import Place


def edits(place: "Place") -> int:
    return sum(method == "PATCH" and "/comments/" in path for method, path, _ in _asked(place))


def _asked(place: "Place") -> list[tuple[str, str, int]]:
    return place.hub.requests()


def test_github_is_spared() -> None:
    assert SECONDS_BETWEEN_EDITS >= 5


def test_what_the_sandbox_says_reaches_the_comment(place: "Place") -> None:
    run = place.run()
    acknowledge(run)
    with pulse(run, every=0.1):
        run.watch(Event("attempt", "applied, running the tests", {"attempt": 2}))
        deadline = time.monotonic() + 10
        while "attempt 2" not in place.comments()[0] and time.monotonic() < deadline:
            time.sleep(0.05)
    assert "| attempt 2 | applied, running the tests |" in place.comments()[0]


def test_many_words_are_few_edits(place: "Place") -> None:
    run = place.run()
    acknowledge(run)
    with pulse(run, every=1.0):
        for number in range(30):
            run.watch(Event("attempt", f"try {number}", {"attempt": 1}))
            time.sleep(0.08)
    assert 1 <= edits(place) <= 3


def test_silence_is_no_edit(place: "Place") -> None:
    run = place.run()
    acknowledge(run)
    with pulse(run, every=0.1):
        time.sleep(1.2)
    settled = edits(place)
    assert settled <= 1
    with pulse(run, every=0.1):
        time.sleep(0.8)
    assert edits(place) == settled


def test_no_edit_comes_after_the_block(place: "Place") -> None:
    run = place.run()
    acknowledge(run)
    with pulse(run, every=0.1):
        run.watch(Event("proof", "under way"))
    before = edits(place)
    run.watch(Event("proof", "much later"))
    time.sleep(0.7)
    assert edits(place) == before


def test_github_being_away_does_not_disturb_the_run(place: "Place") -> None:
    run = place.run()
    acknowledge(run)
    place.hub.add_fault(Fault(path="/comments", status=403, times=99))
    with pulse(run, every=0.1):
        run.watch(Event("proof", "under way"))
        time.sleep(0.6)
