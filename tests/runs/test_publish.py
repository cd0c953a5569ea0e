"""Branch, pull request and check run: one of each, whatever was there and whatever got lost."""

from typing import TYPE_CHECKING

import pytest

from app.fakehub import Fault
from app.github.client import GitHubUnavailable
from app.runs.run import Run
from app.runs.steps.permit import permit
from app.runs.steps.preflight import preflight
from app.runs.steps.publish import check, open_pull, push
from app.runs.workflow import STEPS, Step, attempt
from sandbox.executor.model import Isolation
from sandbox.outcome import Verdict
from sandbox.proof import Proof

if TYPE_CHECKING:
    from tests.runs.conftest import Place

DIFF = "--- a/shop.py\n+++ b/shop.py\n@@ -1 +1 @@\n-PRICE = 1\n+PRICE = 2\n"
OTHER = DIFF.replace("+PRICE = 2", "+PRICE = 3")


def proved(place: "Place", diff: str = DIFF) -> Run:
    """A run whose proof is written down."""
    run = place.run()
    assert permit(run) is None
    assert preflight(run) is None
    isolation = Isolation("docker", "runc", True, "Docker with runc, no network")
    proof = Proof(
        Verdict.PROVED,
        (),
        (),
        (),
        diff,
        ("t::a",),
        (),
        isolation,
        "image:1",
        "sha256:0",
        ("pytest",),
    )
    run.files.write_json("proof", proof.to_json())
    return run


def published(place: "Place", run: Run) -> str:
    """The branch of the one pull request that is open for a run."""
    assert push(run) is None
    assert open_pull(run) is None
    assert check(run) is None
    number = place.row(run).pull_number
    [pull] = [one for one in place.hub.pulls("ada", "shop") if one.number == number]
    return pull.head


def test_everything_twice_is_everything_once(place: "Place") -> None:
    run = proved(place)
    assert published(place, run) == published(place, run) == f"patchwright/issue-{place.issue}"
    assert len(place.hub.pulls("ada", "shop")) == 1
    assert len(place.hub.check_runs("ada", "shop")) == 1
    assert sorted(place.hub.branches("ada", "shop")) == ["main", f"patchwright/issue-{place.issue}"]


def test_a_branch_that_is_not_ours_is_left_alone(place: "Place") -> None:
    first = proved(place)
    taken = published(place, first)
    before = place.hub.branches("ada", "shop")[taken]
    place.services.store.update(first.run_id, state="failed")
    second = proved(place, OTHER)
    branch = published(place, second)
    assert branch == f"patchwright/issue-{place.issue}-{second.run_id[:8]}"
    assert place.hub.branches("ada", "shop")[taken] == before
    assert place.hub.file("ada", "shop", branch, "shop.py") == b"PRICE = 3\n"


def test_a_lost_answer_to_the_pull_request_makes_no_second(place: "Place") -> None:
    run = proved(place)
    push(run)
    place.hub.add_fault(Fault(method="POST", path="/pulls$", when="after", status=502))
    step = Step("open_pull", open_pull)
    with pytest.raises(GitHubUnavailable):
        attempt(step, run, last_try=False)
    assert attempt(step, run, last_try=False) is None
    assert len(place.hub.pulls("ada", "shop")) == 1


def test_a_repository_that_takes_no_checks_still_gets_its_pull_request(place: "Place") -> None:
    run = proved(place)
    place.hub.add_fault(
        Fault(path="/check-runs", status=403, times=9, body={"message": "not accessible"})
    )
    push(run)
    open_pull(run)
    [step] = [step for step in STEPS if step.name == "check"]
    assert attempt(step, run, last_try=True) is None
    assert place.hub.check_runs("ada", "shop") == []


def test_control_such_a_refusal_of_the_pull_request_is_no_trifle(place: "Place") -> None:
    run = proved(place)
    push(run)
    place.hub.add_fault(Fault(path="/pulls", status=403, times=9, body={"message": "no"}))
    [step] = [step for step in STEPS if step.name == "open_pull"]
    ending = attempt(step, run, last_try=True)
    assert ending is not None
    assert ending.state == "refused"


def test_the_commit_is_by_the_apps_own_account_on_the_base_commit(place: "Place") -> None:
    run = proved(place)
    branch = published(place, run)
    [pull] = place.hub.pulls("ada", "shop")
    assert pull.base_sha == place.row(run).base_sha
    assert pull.head == branch
    assert pull.draft


def test_a_diff_that_does_not_fit_its_commit_is_our_fault_and_said_so(place: "Place") -> None:
    run = proved(place, DIFF.replace("PRICE = 1", "COST = 9"))
    ending = attempt(Step("push", push), run, last_try=True)
    assert ending is not None
    assert (ending.state, ending.reason) == ("failed", "own_error")
    assert list(place.hub.branches("ada", "shop")) == ["main"]
