"""A labelled issue becomes a proved pull request, through real processes, git and containers."""

import json
import re
from typing import TYPE_CHECKING

import httpx
import pytest

if TYPE_CHECKING:
    from tests.e2e.conftest import House

pytestmark = pytest.mark.docker


@pytest.fixture
def fixed(house: "House", buggy: dict[str, str]) -> "House":
    """A house in which issue 1 of ada/shop was labelled and the run is over."""
    assert house.repository("shop", buggy) == 1
    house.open_for_business()
    house.label("shop", 1)
    run = house.ended("shop")
    assert (run.state, run.outcome, run.reason) == ("done", "fixed", "proved"), house.said()
    return house


def test_a_labelled_issue_becomes_a_proved_pull_request(
    fixed: "House", buggy: dict[str, str]
) -> None:
    run, pull = fixed.run_of("shop"), fixed.only_pull("shop")
    assert (pull.draft, pull.state, pull.base) == (True, "open", "main")
    assert pull.author == "patchwright[bot]"
    assert pull.title == "Fix: cheaper() is wrong"
    assert pull.body.startswith("Fixes #1. This is a change to `pricing.py` (+1 −1)")
    assert "| failed 6 of 6 runs | passed 5 of 5 runs |" in pull.body
    assert "no network" in pull.body
    assert run.pull_number == pull.number
    assert fixed.hub.pull_files("ada", "shop", pull.number) == ["pricing.py"]
    mended = fixed.hub.file("ada", "shop", pull.head, "pricing.py").decode()
    assert mended == buggy["pricing.py"].replace(">", "<")
    comment = fixed.comment("shop", 1)
    assert f"**Fixed in #{pull.number}.** One test fails on `{run.base_sha[:7]}`" in comment
    assert f"[The whole run](http://127.0.0.1:{fixed.port}/runs/{run.run_id})" in comment
    assert fixed.hub.reactions("ada", "shop", 1) == [("patchwright[bot]", "eyes")]
    [check] = fixed.hub.check_runs("ada", "shop")
    assert (check.conclusion, check.head_sha) == ("success", pull.head_sha)
    assert fixed.hub.issue_labels("ada", "shop", 1) == ["patchwright"]
    nothing_secret_lies_around(fixed)
    the_run_has_a_page(fixed, run.run_id)
    every_request_was_right(fixed)


def nothing_secret_lies_around(house: "House") -> None:
    """No key, token or webhook secret in what the processes wrote down."""
    key_line = house.app.private_key_pem.splitlines()[1]
    for path in [*house.data.rglob("*"), house.root / "serve.log"]:
        if path.is_file():
            text = path.read_bytes().decode("utf-8", "replace")
            assert key_line not in text, path
            assert house.app.webhook_secret not in text, path
            assert not re.search(r"\bgh[sp]_[0-9A-Za-z]{16,}", text), path


def the_run_has_a_page(house: "House", run_id: str) -> None:
    page = httpx.get(f"http://127.0.0.1:{house.port}/runs/{run_id}")
    assert page.status_code == 200
    assert "pricing.py" in page.text
    proof = json.loads((house.data / "runs" / run_id / "proof.json").read_text(encoding="utf-8"))
    assert proof["verdict"] == "proved"
    left = {path.name for path in (house.data / "runs" / run_id).iterdir()}
    assert {"worked.json", "proof.json", "fix.diff"} <= left
    assert "base" not in left, "the tree takes room and nobody needs it any more"


def every_request_was_right(house: "House") -> None:
    """Nothing that the App asked of GitHub was answered with an error but expected looks."""
    wrong = [(m, path, status) for m, path, status in house.hub.requests() if status >= 400]
    # Git asks once without the token's header where a server wants it; nothing else may fail.
    assert [one for one in wrong if one[2] != 401] == []


def test_an_edit_of_a_test_is_refused_whole_and_told_and_the_next_reply_is_proved(
    house: "House", buggy: dict[str, str], cheat: str, fix: str
) -> None:
    house.replay(cheat + fix, fix)
    house.repository("shop", buggy)
    house.open_for_business()
    house.label("shop", 1)
    assert house.ended("shop").outcome == "fixed", house.said()
    pull = house.only_pull("shop")
    assert house.hub.pull_files("ada", "shop", pull.number) == ["pricing.py"]
    comment = house.comment("shop", 1)
    assert "2 attempts, 1 edit applied (1 kept, 0 reverted), 1 refused" in comment
    assert "1. refused, not run:" in comment
    assert "`tests/test_pricing.py`" in comment


def test_nothing_but_an_edit_of_a_test_opens_no_pull_request(
    house: "House", buggy: dict[str, str], cheat: str
) -> None:
    house.replay(cheat)
    house.repository("shop", buggy)
    house.open_for_business()
    house.label("shop", 1)
    run = house.ended("shop")
    assert (run.state, run.outcome, run.reason) == ("done", "gave_up", "only_protected")
    assert "the only way found was to edit a protected file" in house.comment("shop", 1)
    house.untouched("shop")
