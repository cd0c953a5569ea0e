"""The inbox: one run for a delivery, one live run for an issue, whatever happens at once."""

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from uuid import uuid4

import pytest

from app.errors import UserError
from app.runs.store import RunEnded, RunState, Store, UnknownRun
from handlers.intents import StartRun
from sandbox.outcome import Outcome

INTENT = StartRun(5, "ada", "rrule", 97, "Last day lost", "ada", "User", "patchwright")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "state" / "patchwright.db")


def accepted(store: Store, intent: StartRun = INTENT) -> str:
    run_id = uuid4().hex
    assert store.accept(str(uuid4()), intent, run_id) == "accepted"
    return run_id


def test_a_run_comes_back_as_it_was_accepted(store: Store) -> None:
    assert store.accept("guid-1", INTENT, "run-1") == "accepted"
    row = store.run("run-1")
    assert (row.delivery_id, row.repository, row.issue) == ("guid-1", "ada/rrule", 97)
    assert (row.title, row.sender, row.label) == ("Last day lost", "ada", "patchwright")
    assert (row.state, row.outcome, row.pull_number) == (RunState.QUEUED, None, None)
    assert store.runs() == [row] == store.undispatched()


def test_a_redelivery_never_starts_a_second_run(store: Store) -> None:
    store.accept("guid-1", INTENT, "run-1")
    assert store.accept("guid-1", INTENT, "run-2") == "duplicate"
    store.update("run-1", state=RunState.FAILED)
    assert store.accept("guid-1", INTENT, "run-3") == "duplicate"
    assert [row.run_id for row in store.runs()] == ["run-1"]


def test_a_label_put_again_on_a_live_run_is_leased(store: Store) -> None:
    accepted(store)
    assert store.accept("guid-2", INTENT, "run-2") == "leased"
    assert len(store.runs()) == 1


def test_a_leased_delivery_starts_nothing_when_it_comes_again(store: Store) -> None:
    run_id = accepted(store)
    store.accept("guid-2", INTENT, "run-2")
    store.update(run_id, state=RunState.CANCELLED)
    assert store.accept("guid-2", INTENT, "run-2") == "duplicate"
    assert len(store.runs()) == 1


def test_names_on_github_have_no_case(store: Store) -> None:
    accepted(store)
    other = replace(INTENT, owner="Ada", repo="RRULE")
    assert store.accept("guid-2", other, "run-2") == "leased"


@pytest.mark.parametrize(
    "other", [replace(INTENT, issue=98), replace(INTENT, repo="x"), replace(INTENT, owner="bob")]
)
def test_another_issue_has_its_own_lease(store: Store, other: StartRun) -> None:
    accepted(store)
    accepted(store, other)
    assert len(store.undispatched()) == 2


@pytest.mark.parametrize("state", [RunState.REFUSED, RunState.FAILED, RunState.CANCELLED])
def test_a_final_state_gives_the_issue_free(store: Store, state: RunState) -> None:
    store.update(accepted(store), state=state, reason="why", sentence="Because.")
    accepted(store)


def test_done_gives_the_issue_free_and_has_an_outcome(store: Store) -> None:
    run_id = accepted(store)
    store.update(run_id, state=RunState.DONE, outcome=Outcome.FIXED, pull_number=3)
    assert store.run(run_id).outcome is Outcome.FIXED
    accepted(store)


@pytest.mark.parametrize("state", [RunState.RUNNING, RunState.WAITING])
def test_a_live_state_keeps_the_lease(store: Store, state: RunState) -> None:
    store.update(accepted(store), state=state)
    assert store.accept("guid-2", INTENT, "run-2") == "leased"


def test_an_outcome_stands_exactly_on_done(store: Store) -> None:
    run_id = accepted(store)
    with pytest.raises(sqlite3.IntegrityError):
        store.update(run_id, state=RunState.DONE)
    with pytest.raises(sqlite3.IntegrityError):
        store.update(run_id, outcome=Outcome.FIXED)
    with pytest.raises(sqlite3.IntegrityError):
        store.update(run_id, state=RunState.DONE, outcome="splendid")
    assert store.run(run_id).state is RunState.QUEUED
    assert store.accept("guid-2", INTENT, "run-2") == "leased"


def test_a_run_that_ended_does_not_go_on(store: Store) -> None:
    run_id = accepted(store)
    store.update(run_id, state=RunState.FAILED)
    store.update(run_id, state=RunState.FAILED, sentence="Told again.")
    with pytest.raises(RunEnded):
        store.update(run_id, state=RunState.RUNNING)
    assert store.run(run_id).sentence == "Told again."


def test_only_known_fields_change(store: Store) -> None:
    run_id = accepted(store)
    with pytest.raises(ValueError, match="issue, owner"):
        store.update(run_id, owner="eve", issue=1)
    with pytest.raises(UnknownRun):
        store.update("none", state=RunState.RUNNING)


def test_dispatching(store: Store) -> None:
    first, second = accepted(store), accepted(store, replace(INTENT, issue=98))
    store.mark_dispatched(first)
    store.mark_dispatched(first)
    assert [row.run_id for row in store.undispatched()] == [second]
    store.update(second, state=RunState.CANCELLED)
    assert store.undispatched() == []


def test_events_come_in_order_and_after_a_number(store: Store) -> None:
    run_id = accepted(store)
    for text in ("one", "two", "drei ü"):
        store.add_event(run_id, "baseline", text, {"failed": 2})
    assert [(row.seq, row.text) for row in store.events(run_id, after=1)] == [
        (2, "two"),
        (3, "drei ü"),
    ]
    assert store.events(run_id)[0].data == {"failed": 2}
    with pytest.raises(UnknownRun):
        store.add_event("none", "baseline", "x", {})


def test_a_killed_transaction_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def torn(*args: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("app.runs.store.time", torn)
        with pytest.raises(KeyboardInterrupt):
            store.accept("guid-1", INTENT, "run-1")
    assert store.runs() == []
    assert store.accept("guid-1", INTENT, "run-1") == "accepted"


def test_many_threads_make_one_run(store: Store) -> None:
    def deliver(number: int) -> str:
        return store.accept(f"guid-{number % 20}", INTENT, uuid4().hex)

    with ThreadPoolExecutor(16) as pool:
        results = list(pool.map(deliver, range(80)))
    assert results.count("accepted") == 1
    assert results.count("leased") == 19
    assert results.count("duplicate") == 60


def _deliver(path: Path, number: int) -> str:
    return Store(path).accept(f"guid-{number}", INTENT, uuid4().hex)


def test_many_processes_make_one_run_on_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "patchwright.db"
    with get_context("spawn").Pool(4) as pool:
        results = pool.starmap(_deliver, [(path, number) for number in range(8)])
    assert sorted(results) == ["accepted"] + ["leased"] * 7


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "patchwright.db"
    Store(path)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(UserError, match="newer Patchwright"):
        Store(path)


def test_the_state_directory_is_for_its_owner_only(store: Store, tmp_path: Path) -> None:
    assert (tmp_path / "state").stat().st_mode & 0o077 == 0
