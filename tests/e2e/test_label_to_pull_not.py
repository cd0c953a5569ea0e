"""Labels that lead to no pull request: each ends in one comment that names the cause."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import httpx
import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import House

pytestmark = pytest.mark.docker


@pytest.fixture(autouse=True)
def no_step_broke(served: "House") -> Iterator[None]:
    """An ending that came from an error of our own is none of the endings meant here."""
    yield
    assert "step failed" not in served.said()


UNTOUCHED = "Nothing was changed and no model was asked."
UNRUNNABLE: dict[str, tuple[dict[str, str] | None, str, str]] = {
    "empty": (None, "no_tests", "The repository is empty"),
    "testless": ({"shop.py": "PRICE = 1\n"}, "no_tests", "There are no tests"),
    "uncollectable": (
        {"tests/test_a.py": "import nowhere_to_be_found\n\n\ndef test_a():\n    pass\n"},
        "collection",
        "nowhere_to_be_found",
    ),
    "hanging": (
        {"tests/test_a.py": "import time\n\n\ndef test_a():\n    time.sleep(600)\n"},
        "timeout",
        "do not end in time",
    ),
}


@pytest.mark.parametrize("name", UNRUNNABLE)
def test_a_suite_without_a_signal_is_unrunnable_and_nothing_is_touched(
    served: "House", name: str
) -> None:
    files, reason, words = UNRUNNABLE[name]
    served.asked.unlink(missing_ok=True)
    issue = served.repository(name, files)
    served.label(name, issue)
    run = served.ended(name)
    assert (run.state, run.outcome, run.reason) == ("done", "unrunnable", reason), served.said()
    comment = served.comment(name, issue)
    assert "**Could not start:" in comment
    assert words in comment
    assert UNTOUCHED in comment
    served.untouched(name)
    assert not served.asked.exists(), "the proposer was asked"


def test_control_with_a_failing_test_the_proposer_is_asked(
    served: "House", buggy: dict[str, str]
) -> None:
    served.asked.unlink(missing_ok=True)
    issue = served.repository("asking", buggy)
    served.label("asking", issue)
    run = served.ended("asking")
    assert (run.state, run.outcome, run.reason) == ("done", "gave_up", "nothing_left")
    assert served.asked.exists()
    assert "**Not fixed: nothing was left to try.**" in served.comment("asking", issue)
    served.untouched("asking")


def test_a_suite_that_passes_is_not_reproduced(served: "House") -> None:
    files = {"tests/test_a.py": "def test_a():\n    assert True\n"}
    issue = served.repository("green", files)
    served.label("green", issue)
    run = served.ended("green")
    assert (run.outcome, run.reason) == ("gave_up", "not_reproduced")
    assert "could not reproduce it" in served.comment("green", issue)
    served.untouched("green")


def test_a_stranger_is_refused_and_told(served: "House", buggy: dict[str, str]) -> None:
    issue = served.repository("private", buggy)
    served.hub.add_collaborator("ada", "private", "eve", "triage")
    served.label("private", issue, actor="eve")
    run = served.ended("private")
    assert (run.state, run.outcome, run.reason) == ("refused", None, "permission")
    comment = served.comment("private", issue)
    assert "**Not started.** Asked by @eve." in comment
    assert "that account has triage" in comment
    assert served.hub.reactions("ada", "private", issue) == []
    served.untouched("private")


def test_a_bot_is_refused_and_told(served: "House", buggy: dict[str, str]) -> None:
    issue = served.repository("botted", buggy)
    served.hub.create_user("helper[bot]", kind="Bot")
    served.hub.add_collaborator("ada", "botted", "helper[bot]", "admin")
    served.label("botted", issue, actor="helper[bot]")
    run = served.ended("botted")
    assert (run.state, run.reason) == ("refused", "bot")
    assert "not a person's" in served.comment("botted", issue)


def test_a_closed_issue_is_refused_before_anything_is_spent(
    served: "House", buggy: dict[str, str]
) -> None:
    issue = served.repository("closed", buggy)
    token = served.hub.create_user("ada")
    answer = httpx.patch(
        f"{served.hub.api_url}/repos/ada/closed/issues/{issue}",
        headers={"Authorization": f"Bearer {token}"},
        json={"state": "closed"},
    )
    assert answer.status_code == 200, answer.text
    served.label("closed", issue)
    run = served.ended("closed")
    assert (run.state, run.reason) == ("refused", "preflight")
    assert "The issue is closed" in served.comment("closed", issue)


def test_a_redelivery_starts_nothing_new(served: "House") -> None:
    issue = served.repository("again", None)
    served.label("again", issue)
    first = served.ended("again")
    delivery = next(
        one for one in served.hub.deliveries(served.app.app_id) if one.guid == first.delivery_id
    )
    answer = httpx.post(
        f"http://127.0.0.1:{served.port}/webhook", content=delivery.body, headers=delivery.headers
    )
    assert answer.is_success, answer.text
    assert [row.run_id for row in served.store.runs() if row.repo == "again"] == [first.run_id]
    assert len(served.hub.issue_comments("ada", "again", issue)) == 1


def test_a_label_put_again_is_a_new_run_that_edits_the_same_comment(served: "House") -> None:
    issue = served.repository("relabelled", None)
    served.label("relabelled", issue)
    first = served.ended("relabelled")
    served.hub.unlabel_issue("ada", "relabelled", issue, "patchwright", actor="grace")
    served.label("relabelled", issue)
    served.until(
        lambda: len([row for row in served.store.runs() if row.repo == "relabelled"]) == 2,
        "a second run",
    )
    second = served.ended("relabelled")
    assert second.run_id != first.run_id
    assert second.comment_id == first.comment_id
    assert "An earlier run on this issue ended as `unrunnable`." in served.comment(
        "relabelled", issue
    )


def test_the_label_stays(served: "House") -> None:
    issue = served.repository("labelled", None)
    served.label("labelled", issue)
    served.ended("labelled")
    assert served.hub.issue_labels("ada", "labelled", issue) == ["patchwright"]
