"""Each word makes its proposer, a fresh one each time; a wrong word names the right ones."""

from pathlib import Path

import pytest
from pydantic import SecretStr

from app.agent.choose import WORDS, Options, UnknownProposer, make_proposer
from app.agent.proposer import ModelProposer
from app.errors import UserError
from app.models.command import CommandProposer
from app.models.replay import ReplayProposer, ReplayUnreadable
from app.models.search import SearchProposer
from sandbox.proposer import KeyRejected

OPEN = Options(gemini_api_key=SecretStr("k"), allow_command=True)


def test_each_word(tmp_path: Path) -> None:
    file = tmp_path / "a: b.jsonl"
    file.write_text("")
    assert isinstance(make_proposer(" search ", OPEN), SearchProposer)
    assert isinstance(make_proposer("gemini", OPEN), ModelProposer)
    assert isinstance(make_proposer(f"replay:{file}", OPEN), ReplayProposer)
    assert isinstance(make_proposer("command:fix --all", OPEN), CommandProposer)


def test_a_fresh_one_each_time() -> None:
    assert make_proposer("search", OPEN) is not make_proposer("search", OPEN)


@pytest.mark.parametrize(
    "spec", ["", "serach", "Search", "search:", "gemini:x", "replay", "replay: ", "command:"]
)
def test_a_wrong_word_names_the_right_ones(spec: str) -> None:
    with pytest.raises(UnknownProposer) as raised:
        make_proposer(spec, OPEN)
    assert all(word in str(raised.value) for word in WORDS)
    assert isinstance(raised.value, UserError)
    assert isinstance(raised.value, ValueError)


def test_a_command_needs_the_operators_word() -> None:
    with pytest.raises(UnknownProposer, match="PATCHWRIGHT_ALLOW_COMMAND_PROPOSER"):
        make_proposer("command:fix", Options())


def test_what_is_missing_is_told_at_once(tmp_path: Path) -> None:
    with pytest.raises(KeyRejected, match="PATCHWRIGHT_GEMINI_API_KEY"):
        make_proposer("gemini", Options())
    with pytest.raises(ReplayUnreadable):
        make_proposer(f"replay:{tmp_path}/none", Options())
