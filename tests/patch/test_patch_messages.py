"""What people and models read: refusals that teach, reports, the answer form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from unidiff import PatchSet  # type: ignore[attr-defined]

from sandbox.patch import Applied, RefusalReason, Refused, apply_answer
from sandbox.patch.ask import answer_form
from sandbox.patch.report import hunk_lines, refusal_text, to_json
from tests.patch.own_cases import A_CART, A_TWINS, CART, H_CART, NEW, PLUS_NOTE, TWINS
from tests.patch.test_patch_kinds import lay_out


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """A tree with the cart and the twins."""
    lay_out(tmp_path, {"shop/cart.py": CART, "twins.py": TWINS})
    return tmp_path


def refusal(root: Path, answer: str) -> Refused:
    """The refusal of an answer."""
    result = apply_answer(root, answer)
    assert isinstance(result, Refused)
    return result


def test_no_match_shows_old_lines_and_the_nearest_real_ones(shop: Path) -> None:
    refused = refusal(shop, H_CART.replace("-        return result", "-        return the_sum"))
    assert (refused.path, refused.hunk) == ("shop/cart.py", 1)
    assert "-        return the_sum" in refused.message
    assert "    20          return result" in refused.message
    assert "copied exactly from the file" in refused.message


def test_second_hunk_is_named(shop: Path) -> None:
    answer = H_CART + "@@ -25,2 +26,2 @@\n def invented(value):\n-    nothing()\n+    pass\n"
    refused = refusal(shop, answer)
    assert refused.hunk == 2
    assert refused.message.startswith("`shop/cart.py`, hunk 2: ")


def test_ambiguous_lists_the_places(shop: Path) -> None:
    refused = refusal(shop, A_TWINS + "@@\n     start(x)\n     move(x)\n+    stop(x)\n")
    assert "fits 2 places" in refused.message
    assert "     2      start(x)" in refused.message
    assert "     8      start(x)" in refused.message
    assert "line number" in refused.message


def test_missing_file_names_near_ones(shop: Path) -> None:
    refused = refusal(shop, H_CART.replace("shop/cart.py", "store/carts.py"))
    assert refused.reason is RefusalReason.MISSING_FILE
    assert "`store/carts.py`" in refused.message
    assert "`shop/cart.py`" in refused.message


def test_empty_repository_says_what_that_means(tmp_path: Path) -> None:
    assert "empty" in refusal(tmp_path, H_CART).message
    assert "/dev/null" in answer_form(empty_repository=True)
    assert "empty" not in answer_form(empty_repository=False)


def test_the_form_asked_for_is_read_without_repairs(tmp_path: Path) -> None:
    """The prompt's own words, followed to the letter, need no repair."""
    for word in ("--- a/PATH", "+++ b/PATH", "recomputed", "three", "```diff", "index"):
        assert word in answer_form(empty_repository=False)
    answer = "```diff\n" + NEW + "@@ -0,0 +1,5 @@\n" + PLUS_NOTE + "```\n"
    result = apply_answer(tmp_path, answer)
    assert isinstance(result, Applied)
    assert [hunk.repairs for hunk in result.hunks] == [()]


@pytest.mark.parametrize("word", ["length", "MAX_TOKENS"])
def test_finish_reason_length_is_refused_before_reading(word: str, shop: Path) -> None:
    result = apply_answer(shop, H_CART, finish_reason=word)
    assert isinstance(result, Refused)
    assert result.reason is RefusalReason.TRUNCATED
    assert isinstance(apply_answer(shop, H_CART, finish_reason="stop"), Applied)


def test_report_of_a_repaired_hunk(shop: Path) -> None:
    result = apply_answer(shop, H_CART.replace("-16,7 +16,8", "-3,4 +3,9"), dry_run=True)
    assert isinstance(result, Applied)
    (hunk,) = result.hunks
    assert (hunk.path, hunk.hunk, hunk.rung, hunk.offset) == ("shop/cart.py", 1, "exact", 13)
    assert set(hunk.repairs) == {"counts", "line"}
    assert hunk_lines(result) == ["shop/cart.py hunk 1: exact, +13 lines (repaired: counts, line)"]


def test_json_has_the_promised_keys(shop: Path) -> None:
    applied = json.loads(json.dumps(to_json(apply_answer(shop, H_CART, dry_run=True))))
    assert applied["outcome"] == "applied"
    assert applied["reason"] is None
    assert applied["paths"] == ["shop/cart.py"]
    assert applied["hunks"][0]["rung"] == "exact"
    assert PatchSet(applied["diff"]).added == 2
    refused = to_json(refusal(shop, "nothing"))
    assert (refused["outcome"], refused["reason"]) == ("refused", "no_diff")
    assert refused["diff"] == ""
    assert refused["message"]


def test_terminal_text(shop: Path) -> None:
    text = refusal_text(refusal(shop, H_CART.replace("= 0", "= 1")))
    assert text.startswith("refused: no_match shop/cart.py, hunk 1\n")
    assert text.endswith("\n")


def test_messages_are_plain(shop: Path) -> None:
    from tests.patch.own_cases import REFUSALS

    for case in REFUSALS:
        result = apply_answer(shop, case.answer, dry_run=True)
        if isinstance(result, Refused):
            assert "!" not in result.message.split("`")[0]
            assert "\t\t" not in result.message
            assert len(result.message) < 6_000


def test_names_of_a_whole_answer_are_reported(shop: Path) -> None:
    answer = A_CART + "@@ -3 +3,2 @@\n import math\n+import os\n" + NEW + PLUS_NOTE
    result = apply_answer(shop, answer)
    assert isinstance(result, Applied)
    assert result.paths == ("shop/cart.py", "shop/note.py")
    assert [hunk.rung for hunk in result.hunks] == ["exact", "new"]
