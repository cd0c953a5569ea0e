"""What the Gemini API says when it does not answer, put into the errors of a proposer.

Shapes: https://ai.google.dev/gemini-api/docs/troubleshooting and google.rpc error details
(`RetryInfo.retryDelay` as `"7s"`, `QuotaFailure.violations[].quotaId`, `ErrorInfo.reason`).
"""

import re
from collections.abc import Iterator
from typing import Any

from google.genai.errors import APIError

from sandbox.proposer import BudgetSpent, KeyRejected, ProposerFailed

_SECONDS = re.compile(r"(\d+(?:\.\d+)?)s")
_KEY_REASONS = frozenset({"API_KEY_INVALID", "API_KEY_SERVICE_BLOCKED", "API_KEY_EXPIRED"})
_OVERLOADED = frozenset({500, 502, 503, 504})


class Busy(ProposerFailed):
    """Try again: after `wait` seconds where the server said so, else when it suits."""

    def __init__(self, sentence: str, wait: float | None, *, quota: bool) -> None:
        super().__init__(sentence)
        self.wait = wait
        self.quota = quota


def translated(error: APIError, model: str) -> Exception:
    """The error to raise instead of `error`. The key and the request are never repeated in it."""
    details = list(_details(error.details))
    if _is_about_the_key(error, details):
        return KeyRejected(
            "The Gemini API rejected the key. Set `PATCHWRIGHT_GEMINI_API_KEY` to a key that is "
            f"valid and may use the model `{model}`."
        )
    if error.code == 429:
        return _over_quota(details)
    if error.code in _OVERLOADED:
        sentence = f"The Gemini API is overloaded or broken (status {error.code})."
        return Busy(sentence, _delay(details), quota=False)
    if error.code == 404:
        return ProposerFailed(
            f"The Gemini API knows no model `{model}`. Set `PATCHWRIGHT_GEMINI_MODEL` to one that "
            "it lists."
        )
    word = re.sub(r"[^A-Z_]", "", str(error.status or ""))[:40] or "no status word"
    return ProposerFailed(f"The Gemini API refused the request (status {error.code}, {word}).")


def _over_quota(details: list[dict[str, Any]]) -> Exception:
    violated = [
        str(violation.get("quotaId", ""))
        for detail in details
        for violation in detail.get("violations") or ()
        if isinstance(violation, dict)
    ]
    # A day's quota comes with a delay of seconds too; waiting for it would be in vain.
    if any("PerDay" in quota for quota in violated):
        return BudgetSpent("model quota")
    return Busy("The Gemini API asks to slow down.", _delay(details), quota=True)


def _is_about_the_key(error: APIError, details: list[dict[str, Any]]) -> bool:
    reasons = {str(detail.get("reason", "")) for detail in details}
    return error.code in (401, 403) or (error.code == 400 and bool(reasons & _KEY_REASONS))


def _details(body: object) -> Iterator[dict[str, Any]]:
    error = body.get("error") if isinstance(body, dict) else None
    found = error.get("details") if isinstance(error, dict) else None
    if isinstance(found, list):
        yield from (detail for detail in found if isinstance(detail, dict))


def _delay(details: list[dict[str, Any]]) -> float | None:
    for detail in details:
        said = _SECONDS.fullmatch(str(detail.get("retryDelay", "")))
        if said:
            return float(said[1])
    return None
