"""Gemini over google-genai: one request, one answer, each way of not answering by its name."""

from datetime import UTC, datetime

import httpx
import httpx2
import stamina
from google import genai
from google.genai import types
from google.genai.errors import APIError
from pydantic import SecretStr

from app.models.gemini_errors import Busy, translated
from app.models.model import AnswerUnusable, Reply, Request
from app.models.prices import dollars
from sandbox.proposer import BudgetSpent, KeyRejected, ProposerFailed, Usage

_API_VERSION = "v1beta"
_BLOCKED = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"})
_TIMED_OUT = (httpx.TimeoutException, httpx2.TimeoutException)
_NO_CONNECTION = (httpx.HTTPError, httpx2.HTTPError, OSError)


class GeminiModel:
    """The transport. `timeout` bounds one call, `longest_wait` one pause that the server asks for.

    A call that is told to wait is tried `tries` times in all. Raises `KeyRejected` at once when
    there is no key.
    """

    def __init__(
        self,
        api_key: SecretStr | None,
        model: str,
        base_url: str | None = None,
        *,
        timeout: float = 180.0,
        longest_wait: float = 60.0,
        tries: int = 3,
    ) -> None:
        if api_key is None or not api_key.get_secret_value().strip():
            raise KeyRejected(
                "There is no key for Gemini. Set `PATCHWRIGHT_GEMINI_API_KEY`, or choose another "
                "proposer, for example `search`, which needs none."
            )
        self._model = model
        self._timeout = timeout
        self._longest_wait = longest_wait
        # The library would take these from the environment; settings come from one place only.
        self._client = genai.Client(
            vertexai=False,
            api_key=api_key.get_secret_value(),
            http_options=types.HttpOptions(
                base_url=base_url or "https://generativelanguage.googleapis.com/",
                api_version=_API_VERSION,
                timeout=int(timeout * 1000),
            ),
        )
        self._retrying = stamina.RetryingCaller(
            attempts=tries, timeout=None, wait_initial=1.0, wait_max=10.0, wait_jitter=0.5
        )

    @property
    def name(self) -> str:
        """The model's name as the API spells it."""
        return self._model

    def __call__(self, request: Request) -> Reply:
        """One answer; see `app.models.model.Model` for what may be raised."""
        try:
            response = self._retrying(self._worth_waiting, self._once, request)
        except Busy as busy:
            if busy.quota:
                raise BudgetSpent("model quota") from busy
            raise
        return _reply(response, self._usage(response))

    def _worth_waiting(self, error: Exception) -> bool | float:
        if not isinstance(error, Busy) or (error.wait or 0.0) > self._longest_wait:
            return False
        return True if error.wait is None else error.wait

    def _once(self, request: Request) -> types.GenerateContentResponse:
        try:
            return self._client.models.generate_content(
                model=self._model, contents=request.prompt, config=_config(request)
            )
        except APIError as error:
            raise translated(error, self._model) from None
        except _TIMED_OUT:
            raise ProposerFailed(
                f"The Gemini API did not answer within {self._timeout:g} seconds."
            ) from None
        except _NO_CONNECTION as error:
            raise ProposerFailed(
                f"The Gemini API cannot be reached ({type(error).__name__})."
            ) from None
        except (ValueError, TypeError, AttributeError, LookupError):
            # Broken JSON, and JSON of another shape, on which the library stumbles.
            raise ProposerFailed("The answer of the Gemini API cannot be read.") from None

    def _usage(self, response: types.GenerateContentResponse) -> Usage:
        counts = response.usage_metadata
        if counts is None:
            return Usage(model_calls=1, dollars=None)
        into = counts.prompt_token_count or 0
        out = (counts.candidates_token_count or 0) + (counts.thoughts_token_count or 0)
        return Usage(1, into, out, dollars(self._model, into, out, datetime.now(UTC).date()))


def _config(request: Request) -> types.GenerateContentConfig:
    return types.GenerateContentConfig(
        system_instruction=request.system,
        max_output_tokens=request.most_tokens,
        response_mime_type="application/json" if request.schema else None,
        response_json_schema=dict(request.schema) if request.schema else None,
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )


def _reply(response: types.GenerateContentResponse, usage: Usage) -> Reply:
    feedback = response.prompt_feedback
    if feedback is not None and feedback.block_reason is not None:
        word = _word(feedback.block_reason)
        raise AnswerUnusable(f"Gemini refused to read the request ({word}).", usage)
    if not response.candidates:
        raise AnswerUnusable("Gemini gave no answer.", usage)
    candidate = response.candidates[0]
    reason = _word(candidate.finish_reason)
    parts = (candidate.content.parts if candidate.content else None) or []
    text = "".join(part.text or "" for part in parts if not part.thought)
    if reason == "MAX_TOKENS":
        return Reply(text, usage, "length")
    if reason in _BLOCKED:
        raise AnswerUnusable(f"Gemini stopped its own answer ({reason}).", usage)
    if reason != "STOP":
        raise AnswerUnusable(
            f"Gemini broke its answer off ({reason or 'without a reason'}).", usage
        )
    if not text.strip():
        raise AnswerUnusable("Gemini gave an empty answer.", usage)
    return Reply(text, usage, "stop")


def _word(reason: object) -> str:
    """The enumeration's own word, letters only: it may be one that the library does not know."""
    value = str(getattr(reason, "value", reason) or "")
    return "".join(sign for sign in value if sign.isalpha() or sign == "_")[:40]
