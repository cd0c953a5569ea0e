"""Recorded replies: served in order, counted, and a bad file told in one sentence."""

import json
from pathlib import Path

import pytest

from app.errors import UserError
from app.models.replay import ReplayProposer, ReplayUnreadable
from sandbox.proposer import Situation, Usage
from tests.models.probing import plain_situation

FIRST = {"kind": "diff", "text": "--- a/x\n", "finish_reason": "length"}
PLAN = {"kind": "plan", "text": "look at x", "usage": {"model_calls": 1, "tokens_in": 5}}
SECOND = {"kind": "diff", "text": "--- a/y\n", "usage": {"model_calls": 1, "dollars": 0.5}}


@pytest.fixture
def situation(tmp_path: Path) -> Situation:
    return plain_situation(tmp_path)


@pytest.mark.parametrize("form", ["lines", "list"])
def test_replies_in_order_then_nothing(tmp_path: Path, situation: Situation, form: str) -> None:
    replies = [FIRST, PLAN, SECOND]
    lines = "\n\n".join(json.dumps(reply) for reply in replies)
    file = tmp_path / "recorded"
    file.write_text(lines if form == "lines" else json.dumps(replies, indent=1), encoding="utf-8")
    replay = ReplayProposer.from_file(file)
    first, second, end = (replay(situation) for _ in range(3))
    assert (first.diff, first.finish_reason, first.usage) == ("--- a/x\n", "length", Usage())
    assert second.diff == "--- a/y\n"
    # The plan before it is counted with it; its price is unknown, so the sum is.
    assert second.usage == Usage(2, 5, 0, None)
    assert (end.diff, end.note) == (None, "The recording holds no further reply after 3.")


def test_giving_up_is_served_with_its_reason(tmp_path: Path, situation: Situation) -> None:
    file = tmp_path / "recorded"
    file.write_text('{"kind": "give_up", "text": "not here"}\n' + json.dumps(FIRST))
    replay = ReplayProposer.from_file(file)
    assert (replay(situation).note, replay(situation).diff) == ("not here", "--- a/x\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nonsense", "no JSON, line 1"),
        ('{"kind": "diff", "text": "x"}\n{"kind":', "no JSON, line 2"),
        ('[{"kind": "diff"', "no JSON, as a whole"),
        ('[{"kind": "patch", "text": "x"}]', "reply 1, `kind`"),
        ('{"text": "x"}', "line 1, `kind`"),
        ('{"kind": "diff", "text": 7}', "line 1, `text`"),
        ('{"kind": "diff"}', "line 1: a reply is a `diff` with its text"),
        ('{"kind": "test", "text": "x"}', "line 1: a reply is"),
        ('{"kind": "plan", "usage": {"tokens_in": -1}}', "line 1, `usage.tokens_in`"),
        ("7", "line 1, `the whole`"),
    ],
)
def test_a_bad_file_is_told(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "recorded.jsonl"
    file.write_text(text)
    with pytest.raises(ReplayUnreadable) as raised:
        ReplayProposer.from_file(file)
    assert words in str(raised.value)
    assert "recorded.jsonl" in str(raised.value)
    assert isinstance(raised.value, UserError)


def test_no_file_no_text(tmp_path: Path) -> None:
    with pytest.raises(ReplayUnreadable, match="cannot be read"):
        ReplayProposer.from_file(tmp_path / "none")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ReplayUnreadable, match="UTF-8"):
        ReplayProposer.from_file(tmp_path / "binary")


def test_an_empty_recording_has_nothing_to_say(tmp_path: Path, situation: Situation) -> None:
    (tmp_path / "empty").write_text("\n")
    assert ReplayProposer.from_file(tmp_path / "empty")(situation).diff is None
