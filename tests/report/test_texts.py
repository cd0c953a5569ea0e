"""Every text that a person reads, word for word; the expected ones are in texts/ beside this."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from markdown_it import MarkdownIt

from app.report.check import check_text
from app.report.outcome import outcome_comment
from app.report.pull import commit_message, pull_body, pull_title
from app.report.status import StageLine, working
from app.report.story import Earlier, Ending, Story
from sandbox.outcome import Outcome, Verdict
from sandbox.proof import Proof

TEXTS = Path(__file__).parent / "texts"
Tell = Callable[..., Story]


def expect(name: str, text: str) -> None:
    assert text == (TEXTS / f"{name}.md").read_text(encoding="utf-8").rstrip("\n"), name


@pytest.fixture
def mended(story: Tell, made: SimpleNamespace) -> Story:
    return story(
        ground=made.ground(),
        worked=made.worked(),
        proof=made.proof(),
        pull_number=128,
        branch="patchwright/issue-97",
        live_url="https://bot.example/runs/5f2b",
    )


FIXED = Ending("done", "proved", "proved and opened", Outcome.FIXED)


def test_working(story: Tell) -> None:
    said = [
        StageLine("accepted", "base commit 3f2c9e1 of main"),
        StageLine("baseline", "running the tests as they are"),
        StageLine("baseline", "412 passed, 2 failed, 3 skipped"),
        StageLine("attempt 1", "applied, running the tests"),
        StageLine("attempt 1", "reverted: 412 passed, 2 failed, 3 skipped"),
        StageLine("attempt 2", "applied, running the tests"),
    ]
    expect("working", working(story(live_url="https://bot.example/runs/5f2b"), said))


def test_working_before_anything_was_said(story: Tell) -> None:
    assert working(story(base_sha=""), []) == "**Working on this**, asked by @ada."


def test_working_for_long_keeps_the_newest_lines(story: Tell) -> None:
    lines = working(story(), [StageLine(f"attempt {n}", "reverted") for n in range(40)])
    assert "| earlier | 28 lines, on the live page |" in lines
    assert "| attempt 39 | reverted |" in lines
    assert "| attempt 27 |" not in lines


def test_fixed(mended: Story) -> None:
    expect("fixed", outcome_comment(mended, FIXED))


def test_fixed_but_for_a_person_to_review(mended: Story, made: SimpleNamespace) -> None:
    warned = made.proof(Verdict.NEEDS_REVIEW, warnings=("channel not controlled: no canary",))
    expect("fixed_needs_review", outcome_comment(replace(mended, proof=warned), FIXED))


def test_no_progress(story: Tell, made: SimpleNamespace) -> None:
    worked = made.worked(Outcome.NO_PROGRESS, final=made.suite(made.targets), diff="")
    sentence = "2 attempts in a row left the same 2 target tests failing."
    ending = Ending("done", "same_failure", sentence, Outcome.NO_PROGRESS)
    expect("no_progress", outcome_comment(story(ground=made.ground(), worked=worked), ending))


def test_budget(story: Tell, made: SimpleNamespace) -> None:
    worked = made.worked(Outcome.BUDGET, final=made.suite(made.targets[:1]))
    sentence = "The limit of wall time was reached. 2 failing targets became 1."
    ending = Ending("done", "wall time", sentence, Outcome.BUDGET)
    expect("budget", outcome_comment(story(ground=made.ground(), worked=worked), ending))


def test_gave_up_because_nothing_fails(story: Tell) -> None:
    sentence = (
        "The whole suite passes, so nothing shows the problem. "
        "A test that fails, or the exact input, would let me start."
    )
    ending = Ending("done", "not_reproduced", sentence, Outcome.GAVE_UP)
    expect("gave_up_not_reproduced", outcome_comment(story(), ending))


def test_gave_up_because_only_tests_were_edited(story: Tell, made: SimpleNamespace) -> None:
    worked = made.worked(Outcome.GAVE_UP, final=made.suite(made.targets), diff="")
    sentence = "The only change found was to protected files."
    ending = Ending("done", "only_protected", sentence, Outcome.GAVE_UP)
    expect("gave_up_protected", outcome_comment(story(ground=made.ground(), worked=worked), ending))


def test_gave_up_because_the_proof_did_not_hold(story: Tell, made: SimpleNamespace) -> None:
    proof = made.proof(Verdict.NOT_PROVED, reasons=("test_lost: a::b passed before",))
    told = story(ground=made.ground(), worked=made.worked(), proof=proof)
    ending = Ending("done", "not_proved", "a::b passed before", Outcome.GAVE_UP)
    expect("gave_up_not_proved", outcome_comment(told, ending))


def test_unrunnable(story: Tell) -> None:
    ending = Ending(
        "done",
        "collection",
        "The tests cannot be collected: 1 error.",
        Outcome.UNRUNNABLE,
        tail="ImportError while importing test module\nE   No module named 'libxml2'",
        phase="baseline",
    )
    expect("unrunnable", outcome_comment(story(), ending))


def test_unrunnable_because_empty(story: Tell) -> None:
    ending = Ending(
        "done", "no_tests", "The repository is empty.", Outcome.UNRUNNABLE, phase="clone"
    )
    expect("unrunnable_empty", outcome_comment(story(base_sha=""), ending))


def test_refused(story: Tell) -> None:
    sentence = (
        "Starting a run takes write permission on this repository, and that account has read. "
        "Somebody with write permission can put the label."
    )
    ending = Ending("refused", "permission", sentence)
    expect("refused", outcome_comment(story(base_sha="", asked_by="eve"), ending))


def test_what_an_earlier_run_came_to_is_not_lost(story: Tell) -> None:
    told = story(earlier=Earlier("fixed", 12))
    kept = "An earlier run on this issue ended as `fixed` with #12."
    ending = Ending("refused", "permission", "No.")
    assert outcome_comment(told, ending).endswith(kept)
    assert working(told, []).endswith(kept)
    assert "earlier run" not in outcome_comment(story(), ending)


def test_refused_by_a_rule_once_the_change_was_proved(story: Tell, made: SimpleNamespace) -> None:
    said = "GitHub refused the branch: rules. Let the App push to `patchwright/*`."
    told = story(ground=made.ground(), worked=made.worked(), proof=made.proof())
    expect("refused_late", outcome_comment(told, Ending("refused", "refused", said)))


def test_failed(story: Tell) -> None:
    ending = Ending("failed", "github", "GitHub did not answer for too long.")
    expect("failed", outcome_comment(story(), ending))


def test_failed_after_the_pull_request(mended: Story) -> None:
    ending = Ending("failed", "own_error", "Something in Patchwright itself broke.")
    expect("failed_late", outcome_comment(mended, ending))


def test_cancelled(story: Tell, made: SimpleNamespace) -> None:
    told = story(ground=made.ground(), worked=made.worked(diff=""))
    expect("cancelled", outcome_comment(told, Ending("cancelled", "label", "The label is gone.")))


def test_the_pull_request(mended: Story) -> None:
    assert mended.proof
    whole = f"{pull_title(mended)}\n\n{pull_body(mended, mended.proof)}"
    expect("pull", whole)


def test_the_pull_request_with_warnings_and_known_red(mended: Story, made: SimpleNamespace) -> None:
    proof = made.proof(Verdict.NEEDS_REVIEW, warnings=("fewer repeats than usual",))
    told = replace(mended, ground=made.ground(known_red=("t/old.py::test",)), proof=proof)
    body = pull_body(told, proof)
    assert body.startswith("**Needs review**\n\n- fewer repeats than usual\n\nFixes #97.")
    assert "1 test that failed before as well" in body
    assert "`t/old.py::test`" in body


def test_the_commit(mended: Story) -> None:
    expect("commit", commit_message(mended).rstrip("\n"))


def test_the_check_run(mended: Story) -> None:
    assert mended.proof
    text = check_text(mended, mended.proof)
    assert text.conclusion == "success"
    expect("check", f"{text.title}\n\n{text.summary}\n\n{text.text}")


def test_a_proof_that_needs_review_is_no_green_check(mended: Story, made: SimpleNamespace) -> None:
    proof = made.proof(Verdict.NEEDS_REVIEW, warnings=("look",))
    text = check_text(mended, proof)
    assert text.conclusion == "neutral"
    assert text.title.startswith("Needs review:")


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("total() is off", "Fix: total() is off"),
        ("Fix the total", "Fix the total"),
        ("fixes #12 and @all: total", "fixes 12 and all: total"),
        ("", "Fix: issue 97"),
        ("\u202e\n", "Fix: issue 97"),
    ],
)
def test_titles_close_and_mention_nothing(story: Tell, title: str, expected: str) -> None:
    assert pull_title(story(title=title)) == expected


def test_a_run_that_is_not_over_has_no_last_words(story: Tell) -> None:
    with pytest.raises(KeyError):
        outcome_comment(story(), Ending("running", "", ""))


def test_fixed_without_a_proof_cannot_be_said(story: Tell) -> None:
    with pytest.raises(KeyError):
        outcome_comment(story(), FIXED)


EVIL = (
    "fixes #12 @octocat ![x](https://evil.example/i.png) <img src=x> "
    "</details> ``` https://evil.example \u202e | |"
)


def hostile(story: Tell, made: SimpleNamespace) -> tuple[Story, Proof]:
    """A run whose every foreign word tries something."""
    tests = tuple(f"t/{EVIL}{n}" for n in range(60))
    ground = made.ground(tests, known_red=tests)
    tried = tuple(replace(one, diff=EVIL * 2_000) for one in made.worked().tried) * 20
    worked = made.worked(tried=tried, diff=EVIL * 2_000, final=made.suite(tests))
    proof = made.proof(
        Verdict.NEEDS_REVIEW,
        targets=tests,
        warnings=(EVIL,) * 9,
        command=(EVIL,),
        image=EVIL,
        unstable=tests,
    )
    parts = {"ground": ground, "worked": worked, "proof": proof}
    return story(title=EVIL, label=EVIL, pull_number=128, branch="b", **parts), proof


def every_text(story: Tell, made: SimpleNamespace) -> list[str]:
    told, proof = hostile(story, made)
    check = check_text(told, proof)
    unpublished = replace(told, pull_number=None)
    endings = [Ending("done", EVIL, EVIL, outcome, tail=EVIL * 999) for outcome in Outcome]
    endings += [Ending(state, EVIL, EVIL) for state in ("refused", "failed", "cancelled")]
    texts = [outcome_comment(one, ending) for one in (told, unpublished) for ending in endings]
    stages = [StageLine(EVIL, EVIL)] * 99
    return [*texts, working(told, stages), pull_body(told, proof), check.summary, check.text]


def test_words_of_others_do_nothing_in_any_text(story: Tell, made: SimpleNamespace) -> None:
    for text in every_text(story, made):
        page = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
        outside = re.sub(r"<code[^>]*>.*?</code>", "", page, flags=re.DOTALL)
        assert "<img" not in page
        assert "href=" not in outside
        assert not re.search(r"@(?!ada\b)\w|(?i:fixes) #(?!97\b)\d|://", outside), outside


def test_every_text_fits_and_its_folds_are_closed(story: Tell, made: SimpleNamespace) -> None:
    for text in every_text(story, made):
        assert len(text) < 65_536
        bare = re.sub(r"^(`{3,}).*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
        bare = re.sub(r"(`+).*?\1", "", bare)
        assert bare.count("<details>") == bare.count("</details>")
        assert "\u202e" not in text


def test_no_text_shouts(story: Tell, made: SimpleNamespace) -> None:
    for path in sorted(TEXTS.glob("*.md")):
        text = path.read_text(encoding="utf-8")
        assert "!" not in text, path.name
        assert "happy to" not in text.lower(), path.name
