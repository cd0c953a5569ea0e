"""What the worker is built of."""

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.errors import UserError
from app.services import limits_of
from app.settings import WorkerSettings

if TYPE_CHECKING:
    from tests.runs.conftest import Place


def changed(place: "Place", **settings: object) -> WorkerSettings:
    return place.services.settings.model_copy(update=settings)


def test_one_test_run_never_outlasts_the_whole_run(place: "Place") -> None:
    assert limits_of(changed(place, run_seconds=20.0)).seconds == 20
    assert limits_of(changed(place, run_seconds=10_000.0)).seconds == 300
    assert limits_of(changed(place, runtime="runsc")).runtime == "runsc"


def test_a_repository_is_cloned_from_where_people_see_it(place: "Place") -> None:
    assert place.services.clone_url("ada", "shop") == f"{place.hub.url}/ada/shop.git"


def test_each_run_gets_a_proposer_of_its_own(place: "Place") -> None:
    assert place.services.proposer() is not place.services.proposer()


@pytest.mark.parametrize("spec", ["nothing", "command:true"])
def test_a_proposer_that_cannot_be_had_is_said(place: "Place", spec: str) -> None:
    services = replace(place.services, settings=changed(place, proposer=spec))
    with pytest.raises(UserError):
        services.proposer()


def test_a_command_runs_only_where_the_operator_says_so(place: "Place") -> None:
    allowed = changed(place, proposer="command:true", allow_command_proposer=True)
    assert replace(place.services, settings=allowed).proposer() is not None
