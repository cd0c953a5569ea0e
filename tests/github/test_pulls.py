"""Pull requests: found or opened, never a second one, whoever is faster or dies in between."""

import pytest

from app.fakehub import Fault
from app.github.client import GitHubRefused, GitHubUnavailable, PullInfo
from app.github.git import NewCommit, push_branch
from app.github.models import Author
from tests.github.place import Place

BRANCH = "patchwright/issue-1"
DIFF = """\
--- a/rrule.py
+++ b/rrule.py
@@ -1,2 +1,2 @@
 def last(day):
-    return day - 1
+    return day
"""


@pytest.fixture
def pushed(place: Place) -> str:
    base = place.hub.branches("ada", "rrule")["main"]
    token = place.client().git_token("ada", "rrule", write=True)
    commit = NewCommit(base, DIFF, "fix: the last day", Author(name="a", email="a@b.c"))
    return push_branch(place.url, token, commit, BRANCH, f"{BRANCH}-x").sha


def opened(
    place: Place, *, head: str = BRANCH, body: str = "Proof.", draft: bool = True
) -> PullInfo:
    return place.client().open_pull(
        "ada", "rrule", head=head, base="main", title="fix: the last day", body=body, draft=draft
    )


def test_it_is_opened_once_as_a_draft(place: Place, pushed: str) -> None:
    first, second = opened(place), opened(place)
    assert first.number == second.number
    assert (first.state, first.draft, first.head_sha) == ("open", True, pushed)
    (pull,) = place.hub.pulls("ada", "rrule")
    assert (pull.draft, pull.head, pull.base, pull.author) == (
        True,
        BRANCH,
        "main",
        "patchwright[bot]",
    )
    assert place.hub.pull_files("ada", "rrule", pull.number) == ["rrule.py"]
    assert place.client().find_pull("ada", "rrule", BRANCH) == first


def test_a_lost_answer_makes_no_second_one(place: Place, pushed: str) -> None:
    place.hub.add_fault(Fault(method="POST", path=".*/pulls", when="after", status=502))
    with pytest.raises(GitHubUnavailable):
        opened(place)
    assert opened(place).number == place.hub.pulls("ada", "rrule")[0].number
    assert len(place.hub.pulls("ada", "rrule")) == 1


def test_a_duplicate_that_the_list_did_not_show_is_adopted(place: Place, pushed: str) -> None:
    first = opened(place)
    place.hub.add_fault(Fault(method="GET", path=".*/pulls", status=200, body=[]))
    assert opened(place).number == first.number
    assert len(place.hub.pulls("ada", "rrule")) == 1


def test_a_missing_head_is_refused_with_githubs_words(place: Place) -> None:
    with pytest.raises(GitHubRefused, match="Validation Failed") as caught:
        opened(place, head="no-such-branch")
    assert caught.value.status == 422
    assert place.hub.pulls("ada", "rrule") == []


def test_where_drafts_are_not_supported_it_is_a_plain_one(place: Place, pushed: str) -> None:
    message = "Draft pull requests are not supported in this repository."
    place.hub.add_fault(
        Fault(method="POST", path=".*/pulls", status=422, body={"message": message})
    )
    assert opened(place).draft is False
    assert len(place.hub.pulls("ada", "rrule")) == 1


def test_a_closed_one_of_this_run_is_adopted_and_one_of_another_is_not(
    place: Place, pushed: str
) -> None:
    first = opened(place, body="Proof of run 1.")
    close(place, first.number)
    assert opened(place, body="Proof of run 1.").number == first.number
    second = opened(place, body="Proof of run 2.")
    assert second.number != first.number
    assert place.client().find_pull("ada", "rrule", BRANCH) == second


def close(place: Place, number: int) -> None:
    import httpx

    token = place.hub.create_user("ada")
    answer = httpx.patch(
        f"{place.hub.api_url}/repos/ada/rrule/pulls/{number}",
        json={"state": "closed"},
        headers={"Authorization": f"token {token}"},
    )
    assert answer.status_code == 200


def test_a_body_that_github_would_refuse_is_cut(place: Place, pushed: str) -> None:
    opened(place, body="A line.\n" * 10_000)
    assert len(place.hub.pulls("ada", "rrule")[0].body) < 65_536
    assert opened(place, body="A line.\n" * 10_000).number
    assert len(place.hub.pulls("ada", "rrule")) == 1
