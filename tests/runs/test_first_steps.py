"""Permission, first sign of life and preflight, against the local GitHub."""

from typing import TYPE_CHECKING

import httpx
import pytest

from app.fakehub import Fault
from app.github.client import GitHubUnavailable, IssueInfo, RepoInfo
from app.runs.steps.acknowledge import acknowledge
from app.runs.steps.clone import clone
from app.runs.steps.permit import permit
from app.runs.steps.preflight import preflight, problems

if TYPE_CHECKING:
    from tests.runs.conftest import Place


@pytest.mark.parametrize("role", ["admin", "maintain", "write"])
def test_who_may_write_may_ask(place: "Place", role: str) -> None:
    place.hub.add_collaborator("ada", "shop", "eve", role)  # type: ignore[arg-type]
    run = place.run("eve")
    assert permit(run) is None
    assert place.row(run).state == "running"


@pytest.mark.parametrize("role", ["triage", "read", "none"])
def test_who_may_not_write_is_refused_with_what_is_missing(place: "Place", role: str) -> None:
    place.hub.add_collaborator("ada", "shop", "eve", role)  # type: ignore[arg-type]
    ending = permit(place.run("eve"))
    assert ending is not None
    assert (ending.state, ending.reason) == ("refused", "permission")
    assert "write permission" in ending.sentence


def test_a_stranger_to_github_is_refused(place: "Place") -> None:
    ending = permit(place.run("nobody-of-that-name"))
    assert ending is not None
    assert ending.reason == "permission"


@pytest.mark.parametrize(
    ("sender", "kind"), [("helper[bot]", "Bot"), ("helper[bot]", "User"), ("org", "Organization")]
)
def test_what_is_no_person_is_refused_without_asking(
    place: "Place", sender: str, kind: str
) -> None:
    asked = len(place.hub.requests())
    ending = permit(place.run(sender, kind))
    assert ending is not None
    assert ending.reason == "bot"
    assert len(place.hub.requests()) == asked


def test_the_first_sign_of_life_is_made_once(place: "Place") -> None:
    run = place.run()
    assert acknowledge(run) is None
    assert acknowledge(run) is None
    assert place.hub.reactions("ada", "shop", place.issue) == [("patchwright[bot]", "eyes")]
    assert len(place.comments()) == 1
    assert "**Working on this**" in place.comments()[0]
    assert place.row(run).comment_id == place.hub.issue_comments("ada", "shop", place.issue)[0].id


def test_the_issue_is_frozen_with_the_base_commit(place: "Place") -> None:
    run = place.run()
    assert preflight(run) is None
    assert run.task().title == "a bug"
    assert run.task().body == "It is wrong."
    assert place.row(run).base_sha == place.hub.branches("ada", "shop")["main"]


def test_a_closed_issue_is_refused(place: "Place") -> None:
    token = place.hub.create_user("ada")
    answer = httpx.patch(
        f"{place.hub.api_url}/repos/ada/shop/issues/{place.issue}",
        headers={"Authorization": f"Bearer {token}"},
        json={"state": "closed"},
    )
    assert answer.is_success
    ending = preflight(place.run())
    assert ending is not None
    assert (ending.state, ending.reason) == ("refused", "preflight")
    assert "closed" in ending.sentence


REPOSITORY = {"owner": {"login": "a"}, "name": "b", "default_branch": "main", "html_url": ""}
ISSUE = {"title": "", "state": "open", "html_url": ""}


def test_everything_that_is_wrong_is_said_at_once() -> None:
    repository = RepoInfo.model_validate({**REPOSITORY, "archived": True})
    issue = IssueInfo.model_validate(ISSUE | {"state": "closed", "locked": True, "is_pull": True})
    said = " ".join(problems(repository, issue))
    for word in ("archived", "pull request", "closed", "locked"):
        assert word in said


def test_control_nothing_is_said_of_a_sound_issue() -> None:
    sound = problems(RepoInfo.model_validate(REPOSITORY), IssueInfo.model_validate(ISSUE))
    assert sound == []


def test_an_empty_repository_is_unrunnable(place: "Place") -> None:
    place.hub.create_repository("ada", "void", None)
    place.installation = place.hub.install_app(place.app.app_id, "ada", ["void"])
    issue = place.hub.create_issue("ada", "void", "a bug", "", author="ada")
    ending = preflight(place.run(repo="void", issue=issue))
    assert ending is not None
    assert (ending.outcome, ending.reason, ending.phase) == ("unrunnable", "no_tests", "clone")


def test_a_clone_leaves_files_and_nothing_of_how_they_came(place: "Place") -> None:
    run = place.run()
    preflight(run)
    run.files.fresh_base().mkdir()
    (run.files.base / "left by a killed clone").write_text("", encoding="utf-8")
    clone(run)
    assert sorted(path.name for path in run.files.base.iterdir()) == ["shop.py"]


def test_a_fault_of_github_is_no_ending(place: "Place") -> None:
    place.hub.add_fault(Fault(path="/collaborators/", status=502, times=99))
    run = place.run()
    with pytest.raises(GitHubUnavailable):
        permit(run)
