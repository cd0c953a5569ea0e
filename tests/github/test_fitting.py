"""A text that is cut stays whole Markdown, says so, and fits."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.github.fitting import COMMENT_CHARS, NOTE, fitted


def test_what_fits_is_left_alone() -> None:
    text = "x" * (COMMENT_CHARS - 1)
    assert fitted(text) is text


def test_what_does_not_is_cut_at_a_line_end() -> None:
    cut = fitted("one line\n" * 20, 150)
    kept = cut.removesuffix(NOTE)
    assert cut.endswith(NOTE)
    assert set(kept.splitlines()) == {"one line"}
    assert len(cut) < 150


def test_one_endless_line_is_cut_as_well() -> None:
    assert len(fitted("x" * 70_000)) == COMMENT_CHARS - 1


@pytest.mark.parametrize("fence", ["```", "~~~~", "`````"])
def test_an_open_fence_is_closed(fence: str) -> None:
    cut = fitted(f"{fence}python\n" + "```x\n" * 50, 200)
    assert cut.removesuffix(NOTE).splitlines()[-1] == fence


def test_open_folds_are_closed_and_those_in_a_fence_are_text() -> None:
    text = "<details>\n<details>\n```\n<details>\n```\n" + "line\n" * 50
    cut = fitted(text, 200)
    assert cut.count("</details>") == 2
    assert len(cut) < 200


PIECES = st.sampled_from(["```\n", "~~~\n", "<details>\n", "</details>\n", "words\n", "x" * 30])


@settings(deadline=None)
@given(st.lists(PIECES, max_size=200).map("".join), st.integers(300, 2000))
def test_it_always_fits(text: str, limit: int) -> None:
    cut = fitted(text, limit)
    assert len(cut) < limit
    assert cut is text or cut.endswith(NOTE)
