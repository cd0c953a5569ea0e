"""The real google-genai over HTTP against a strict local server, each way of failing by name."""

import json
import threading
from datetime import date
from time import monotonic
from typing import Any

import pytest
from pydantic import SecretStr

from app.models.gemini import GeminiModel
from app.models.model import AnswerUnusable, Request
from app.models.prices import dollars, listed
from sandbox.proposer import BudgetSpent, KeyRejected, ProposerFailed, Usage
from tests.models.gemini_server import KEY, MODEL, Script, error, serving, slow_down, text

ASK = Request("You are terse.", "Say yes.", most_tokens=100)
SCHEMA = {"type": "object", "properties": {"yes": {"type": "boolean"}}, "required": ["yes"]}


def model(script: Script, key: str = KEY, name: str = MODEL, **options: Any) -> GeminiModel:  # noqa: ANN401
    """A model that is pointed at the local server."""
    return GeminiModel(SecretStr(key), name, script.address, **options)


def test_the_answer_its_usage_and_price() -> None:
    with serving(text("yes", thought="hm")) as script:
        reply = model(script)(ASK)
    assert (reply.text, reply.finish_reason) == ("yes", "stop")
    # Thinking is paid as output: 120 + 80 at 2.50 and 1000 at 0.30 a million.
    assert reply.usage == Usage(1, 1000, 200, reply.usage.dollars)
    assert reply.usage.dollars == pytest.approx(0.0008)
    body = script.bodies[0]
    assert body["contents"][0]["parts"] == [{"text": "Say yes."}]
    assert body["systemInstruction"]["parts"] == [{"text": "You are terse."}]
    assert body["generationConfig"] == {"maxOutputTokens": 100}


def test_a_schema_is_sent_along() -> None:
    with serving(text('{"yes": true}')) as script:
        reply = model(script)(Request("s", "p", SCHEMA))
    assert json.loads(reply.text) == {"yes": True}
    config = script.bodies[0]["generationConfig"]
    assert config["responseMimeType"] == "application/json"
    assert config["responseJsonSchema"] == SCHEMA


def test_what_broke_off_says_so_and_is_not_lost() -> None:
    with serving(text("--- a/x", "MAX_TOKENS"), text("", "MAX_TOKENS")) as script:
        asked = model(script)
        assert (asked(ASK).text, asked(ASK).text) == ("--- a/x", "")
    with serving(text("--- a/x", "MAX_TOKENS")) as script:
        assert model(script)(ASK).finish_reason == "length"


BLOCKED_PROMPT = (200, {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}, "candidates": []})


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (text("half of it", "SAFETY"), "stopped its own answer (SAFETY)"),
        (text("", "RECITATION"), "stopped its own answer (RECITATION)"),
        (BLOCKED_PROMPT, "refused to read the request (PROHIBITED_CONTENT)"),
        ((200, {"candidates": []}), "gave no answer"),
        ((200, {}), "gave no answer"),
        (text(" \n"), "an empty answer"),
        (text("", thought="thinking only"), "an empty answer"),
        (text("x", "MALFORMED_FUNCTION_CALL"), "broke its answer off (MALFORMED_FUNCTION_CALL)"),
    ],
)
def test_an_answer_that_is_none(answer: tuple[int, dict[str, Any]], words: str) -> None:
    with serving(answer) as script, pytest.raises(AnswerUnusable) as raised:
        model(script)(ASK)
    assert words in str(raised.value)
    assert isinstance(raised.value, ProposerFailed)
    assert raised.value.usage.model_calls == 1


@pytest.mark.filterwarnings("ignore:.*is not a valid FinishReason:UserWarning")
def test_a_word_of_the_future_is_no_crash() -> None:
    with serving(text("x", "TOO_GOOD_<script>")) as script, pytest.raises(ProposerFailed) as raised:
        model(script)(ASK)
    assert "<" not in str(raised.value)


def test_the_delay_that_the_server_names_is_kept() -> None:
    with serving(slow_down("0.4s"), text("yes")) as script:
        began = monotonic()
        assert model(script)(ASK).text == "yes"
    assert monotonic() - began >= 0.4
    assert script.calls == 2


def test_a_delay_too_long_is_not_waited_for() -> None:
    with serving(slow_down("3600s")) as script, pytest.raises(BudgetSpent, match="model quota"):
        model(script)(ASK)
    assert script.calls == 1


def test_the_quota_of_the_day_is_not_waited_for() -> None:
    spent = slow_down("0.1s", "GenerateRequestsPerDayPerProjectPerModel-FreeTier")
    with serving(spent) as script, pytest.raises(BudgetSpent, match="model quota"):
        model(script)(ASK)
    assert script.calls == 1


def test_waiting_ends_after_the_tries() -> None:
    with serving(*[slow_down("0.05s")] * 3) as script, pytest.raises(BudgetSpent):
        model(script)(ASK)
    assert script.calls == 3


def test_an_overloaded_server_is_tried_again_then_told() -> None:
    overloaded = error(503, "UNAVAILABLE", "The model is overloaded.")
    delay = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "0.05s"}
    named = error(503, "UNAVAILABLE", "The model is overloaded.", delay)
    with serving(named, text("yes")) as script:
        assert model(script)(ASK).text == "yes"
    with serving(overloaded) as script, pytest.raises(ProposerFailed, match="status 503"):
        model(script, tries=1)(ASK)
    assert script.calls == 1


@pytest.mark.parametrize("code", [401, 403])
def test_a_key_that_may_not(code: int) -> None:
    refused = error(code, "PERMISSION_DENIED", "no")
    with serving(refused) as script, pytest.raises(KeyRejected):
        model(script)(ASK)
    assert script.calls == 1


def test_a_wrong_key_is_one_sentence_without_the_key() -> None:
    with serving() as script, pytest.raises(KeyRejected) as raised:
        model(script, key="wrong-key-abcdef")(ASK)
    assert "PATCHWRIGHT_GEMINI_API_KEY" in str(raised.value)
    assert "wrong-key" not in str(raised.value)
    assert script.calls == 0


@pytest.mark.parametrize("key", [None, SecretStr(""), SecretStr("  ")])
def test_no_key_is_told_before_anything_is_sent(
    key: SecretStr | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The library would pick this one up by itself; settings come from one place only.
    monkeypatch.setenv("GEMINI_API_KEY", "from-the-environment")
    with pytest.raises(KeyRejected, match="PATCHWRIGHT_GEMINI_API_KEY"):
        GeminiModel(key, MODEL)


def test_the_environment_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOOGLE_GENAI_USE_VERTEXAI", "true")
    monkeypatch.setenv("GOOGLE_API_KEY", "another")
    monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", "http://127.0.0.1:1")
    with serving(text("yes")) as script:
        assert model(script)(ASK).text == "yes"


def test_an_unknown_model_names_the_setting() -> None:
    with serving() as script, pytest.raises(ProposerFailed, match="PATCHWRIGHT_GEMINI_MODEL"):
        model(script, name="gemini-nonesuch")(ASK)


def test_a_request_that_is_refused() -> None:
    refused = error(400, "INVALID_ARGUMENT", "secret text of the request")
    with (
        serving(refused) as script,
        pytest.raises(ProposerFailed, match="INVALID_ARGUMENT") as told,
    ):
        model(script)(ASK)
    assert "secret text" not in str(told.value)


@pytest.mark.parametrize("body", [b"<html>proxy</html>", b'{"candidates": 7}', b"[]", b""])
def test_an_answer_of_another_kind(body: bytes) -> None:
    with serving((200, body)) as script, pytest.raises(ProposerFailed):
        model(script)(ASK)


def test_a_server_that_hangs_is_left() -> None:
    let_go = threading.Event()

    def hang() -> tuple[int, dict[str, Any]]:
        let_go.wait(20)
        return text("late")

    with serving(hang) as script:
        impatient, began = model(script, timeout=0.5), monotonic()
        with pytest.raises(ProposerFailed, match=r"within 0\.5 seconds"):
            impatient(ASK)
        took = monotonic() - began
        let_go.set()
    assert took < 10


def test_nobody_listens() -> None:
    script = Script([], address="http://127.0.0.1:9")
    with pytest.raises(ProposerFailed, match="cannot be reached"):
        model(script)(ASK)


def test_the_server_is_strict() -> None:
    """Control: what it lets pass is held against the form, so a pass means something."""
    with serving(text("yes")) as script:
        with pytest.raises(ProposerFailed, match="INVALID_ARGUMENT"):
            model(script)(Request("s", "p", most_tokens=70_000))
        assert script.faults == ["maxOutputTokens is out of range"]
        script.faults.clear()


def test_prices_are_sourced_and_unknown_stays_unknown() -> None:
    day = date(2026, 12, 1)
    assert all(price.source.startswith("https://") for price in listed().values())
    assert dollars("gemini-nonesuch", 1, 1, day) is None
    assert dollars("gemini-3.1-pro-preview", 100_000, 1000, day) == pytest.approx(0.212)
    assert dollars("gemini-3.1-pro-preview", 300_000, 1000, day) == pytest.approx(1.218)
    assert dollars("gemini-3.8-flash", 1, 1, date(2026, 12, 31)) is not None
    assert dollars("gemini-3.8-flash", 1, 1, date(2027, 1, 1)) is None
