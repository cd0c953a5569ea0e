"""From the inbox to workflows: once each, few at a time, and none left without an ending."""

import time
from collections.abc import Callable, Iterator
from threading import Event
from typing import TYPE_CHECKING

import pytest
from dbos import DBOS

from app.runs.dispatcher import AT_ONCE, Dispatcher
from app.runs.durable import configure

if TYPE_CHECKING:
    from tests.runs.conftest import Place


class Broken(Exception):
    """What a workflow must never raise."""


@pytest.fixture
def go_on() -> Event:
    return Event()


@pytest.fixture
def began() -> list[str]:
    return []


@pytest.fixture
def dispatcher(place: "Place", go_on: Event, began: list[str]) -> Iterator[Dispatcher]:
    """A dispatcher whose workflow waits for `go_on`; it breaks for issues above 100."""
    services = place.services
    configure(services.settings.data_dir)

    @DBOS.workflow(name="run")
    def workflow(run_id: str) -> None:
        with services.at_work(run_id):
            began.append(run_id)
            go_on.wait(20)
            if services.store.run(run_id).issue > 100:
                raise Broken

    DBOS.launch()
    try:
        yield Dispatcher(services, workflow)
    finally:
        go_on.set()
        DBOS.destroy(destroy_registry=True)


def until(happens: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + 15
    while not happens():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


def test_a_run_is_started_once(place: "Place", dispatcher: Dispatcher, began: list[str]) -> None:
    run = place.run()
    dispatcher.dispatch()
    dispatcher.dispatch()
    until(lambda: began == [run.run_id], "it began")
    assert place.services.store.undispatched() == []
    status = DBOS.get_workflow_status(run.run_id)
    assert status is not None
    assert status.workflow_id == run.run_id


def test_a_worker_that_dies_between_start_and_note_starts_nothing_twice(
    place: "Place", dispatcher: Dispatcher, began: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = place.run()
    monkeypatch.setattr(type(place.services.store), "mark_dispatched", lambda *_: None)
    dispatcher.dispatch()
    until(lambda: began == [run.run_id], "it began")
    place.services.end(run.run_id)
    monkeypatch.undo()
    dispatcher.dispatch()
    time.sleep(0.3)
    assert began == [run.run_id]
    assert place.services.store.undispatched() == []


def test_a_start_that_fails_takes_up_no_place(
    place: "Place", dispatcher: Dispatcher, began: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = place.run()

    def fails(*_: object) -> None:
        raise Broken

    monkeypatch.setattr(DBOS, "start_workflow", fails)
    with pytest.raises(Broken):
        dispatcher.dispatch()
    assert place.services.working() == frozenset()
    monkeypatch.undo()
    dispatcher.dispatch()
    until(lambda: began == [run.run_id], "it began")


def test_few_runs_at_once(
    place: "Place", dispatcher: Dispatcher, began: list[str], go_on: Event
) -> None:
    runs = [place.run(repo=f"r{number}") for number in range(AT_ONCE + 1)]
    dispatcher.dispatch()
    until(lambda: len(began) == AT_ONCE, "some began")
    dispatcher.dispatch()
    assert len(place.services.store.undispatched()) == 1
    go_on.set()
    until(lambda: not place.services.working(), "they ended")
    dispatcher.dispatch()
    until(lambda: len(began) == len(runs), "the last began")


def test_one_run_for_each_repository_and_others_need_not_wait(
    place: "Place", dispatcher: Dispatcher, began: list[str]
) -> None:
    first, _, other = place.run(issue=1), place.run(issue=2), place.run(repo="other")
    dispatcher.dispatch()
    until(lambda: sorted(began) == sorted([first.run_id, other.run_id]), "two repositories")


def test_a_run_whose_workflow_broke_gets_its_ending(
    place: "Place", dispatcher: Dispatcher, go_on: Event
) -> None:
    place.hub.create_issue("ada", "shop", "x", "", author="ada")
    broken = place.run(issue=101)
    go_on.set()
    dispatcher.dispatch()
    until(lambda: state_of(broken.run_id) == "ERROR", "it broke")
    dispatcher.mend()
    row = place.row(broken)
    assert (row.state, row.reason) == ("failed", "own_error")


def state_of(run_id: str) -> str | None:
    status = DBOS.get_workflow_status(run_id)
    return status.status if status else None


def test_a_live_run_is_left_alone(place: "Place", dispatcher: Dispatcher, began: list[str]) -> None:
    run = place.run()
    dispatcher.dispatch()
    until(lambda: began == [run.run_id], "it began")
    dispatcher.mend()
    assert not place.row(run).state.final
    assert place.comments() == []


def test_a_run_that_is_over_is_left_alone(
    place: "Place", dispatcher: Dispatcher, go_on: Event
) -> None:
    run = place.run()
    go_on.set()
    dispatcher.dispatch()
    until(lambda: state_of(run.run_id) == "SUCCESS", "it ended")
    place.services.store.update(run.run_id, state="refused", reason="x")
    dispatcher.mend()
    assert place.row(run).reason == "x"
    assert place.comments() == []


def test_a_run_whose_records_were_lost_is_started_again(
    place: "Place", dispatcher: Dispatcher, began: list[str]
) -> None:
    run = place.run()
    place.services.store.mark_dispatched(run.run_id)
    dispatcher.mend()
    until(lambda: began == [run.run_id], "it began")


def test_a_run_of_an_older_version_gets_its_ending(
    place: "Place", dispatcher: Dispatcher, began: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = place.run()
    dispatcher.dispatch()
    until(lambda: began == [run.run_id], "it began")
    dispatcher.mend()
    assert not place.row(run).state.final
    monkeypatch.setattr("app.runs.dispatcher.VERSION", "2")
    dispatcher.mend()
    assert place.row(run).state == "failed"
    assert "broke off" in place.comments()[0]
