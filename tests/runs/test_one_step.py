"""What one step makes of an error, and how a run ends: its comment first, then its row."""

import json
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
import structlog

from app.errors import UserError
from app.fakehub import Fault
from app.github.client import GitHubUnavailable
from app.report.story import Ending
from app.runs.run import Run
from app.runs.steps.acknowledge import acknowledge
from app.runs.steps.clone import clone
from app.runs.steps.conclude import settle, tell
from app.runs.steps.permit import permit
from app.runs.steps.preflight import preflight
from app.runs.steps.room import environment
from app.runs.workflow import PATIENT, Step, attempt
from sandbox.events import Event
from sandbox.executor.model import SandboxError
from sandbox.outcome import Outcome

if TYPE_CHECKING:
    from tests.runs.conftest import Place

SECRET = "ghs_0123456789secret"


def raising(error: Exception) -> Callable[[Run], None]:
    def act(run: Run) -> None:
        raise error

    return act


def ended(place: "Place", error: Exception, *, last_try: bool = True) -> Ending:
    ending = attempt(Step("s", raising(error), PATIENT), place.run(), last_try=last_try)
    assert ending is not None
    return ending


def test_a_user_error_is_told_as_it_stands(place: "Place") -> None:
    ending = ended(place, UserError("Set `PATCHWRIGHT_PROPOSER` to `search`."))
    assert (ending.state, ending.sentence) == ("refused", "Set `PATCHWRIGHT_PROPOSER` to `search`.")


def test_an_error_of_our_own_is_logged_and_told_without_its_words(place: "Place") -> None:
    with structlog.testing.capture_logs() as logs:
        ending = ended(place, ValueError(SECRET))
    assert (ending.state, ending.reason) == ("failed", "own_error")
    assert SECRET not in str(ending)
    failed = [entry for entry in logs if entry["event"] == "step failed"]
    assert [set(entry) >= {"run_id", "step", "exc_info"} for entry in failed] == [True]


def test_github_being_away_is_tried_again_until_the_last_try(place: "Place") -> None:
    with pytest.raises(GitHubUnavailable):
        ended(place, GitHubUnavailable("away"), last_try=False)
    place.services.store.update(place.services.store.runs()[0].run_id, state="failed")
    assert ended(place, GitHubUnavailable("away")).reason == "github"


def test_a_wait_that_github_asks_for_is_kept(place: "Place") -> None:
    began = time.monotonic()
    with pytest.raises(GitHubUnavailable):
        ended(place, GitHubUnavailable("limit", retry_after=0.5), last_try=False)
    assert time.monotonic() - began >= 0.5


def test_an_error_that_is_not_transient_is_not_tried_again(place: "Place") -> None:
    assert ended(place, SandboxError("down"), last_try=False).reason == "engine"


def test_a_dead_engine_ends_a_run_as_failed_and_its_socket_is_not_told(place: "Place") -> None:
    run = place.run()
    for act in (permit, acknowledge, preflight, clone):
        assert act(run) is None
    (run.files.base / "test_shop.py").write_text("def test(): pass\n", encoding="utf-8")
    ending = attempt(Step("environment", environment, 3, (SandboxError,)), run, last_try=True)
    assert ending is not None
    tell(run, ending)
    settle(run, ending)
    assert (place.row(run).state, place.row(run).reason) == ("failed", "engine")
    assert len(place.comments()) == 1
    assert "The container engine did not do its part." in place.comments()[0]
    assert run.run_id in place.comments()[0]
    assert "secret.sock" not in place.comments()[0]


def test_an_ending_frees_the_issue_and_is_stored_once(place: "Place") -> None:
    run = place.run()
    ending = Ending("done", "no_tests", "There are none", Outcome.UNRUNNABLE)
    settle(run, ending)
    settle(run, Ending("failed", "own_error", "too late"))
    row = place.row(run)
    assert (row.state, row.outcome, row.sentence) == ("done", "unrunnable", "There are none.")
    assert place.run().run_id != run.run_id


def test_the_last_words_replace_the_status(place: "Place") -> None:
    run = place.run()
    acknowledge(run)
    ending = Ending("done", "no_tests", "There are none", Outcome.UNRUNNABLE)
    tell(run, ending)
    tell(run, ending)
    assert len(place.comments()) == 1
    assert "**Could not start:" in place.comments()[0]
    assert "Working on this" not in place.comments()[0]


def test_a_lost_answer_to_the_first_comment_makes_no_second(place: "Place") -> None:
    """GitHub did it and the answer never came: the step is tried again and finds its comment."""
    run = place.run()
    place.hub.add_fault(Fault(method="POST", path="/comments", when="after", status=502))
    step = Step("acknowledge", acknowledge)
    with pytest.raises(GitHubUnavailable):
        attempt(step, run, last_try=False)
    assert attempt(step, run, last_try=False) is None
    assert len(place.comments()) == 1


def test_an_ending_survives_the_records(place: "Place") -> None:
    ending = Ending("done", "r", "s", Outcome.FIXED, tail="t", phase="p")
    assert Ending.from_json(ending.to_json()) == ending
    assert Ending.from_json(Ending("failed", "r", "s").to_json()).outcome is None


def test_names_that_are_no_utf8_do_not_stop_a_run(place: "Place") -> None:
    run = place.run()
    name = b"t/caf\xe9.py::test".decode("utf-8", "surrogateescape")
    run.watch(Event("baseline", f"{name} failed", {"failing": [name]}))
    ending = Ending("done", "not_proved", f"{name} is lost", Outcome.GAVE_UP, tail=name)
    recorded = json.dumps(ending.to_json(), ensure_ascii=False).encode()
    assert Ending.from_json(json.loads(recorded)).outcome == "gave_up"
    tell(run, ending)
    settle(run, ending)
    assert place.row(run).sentence == "t/caf?.py::test is lost."
    assert "is lost." in place.comments()[0]
