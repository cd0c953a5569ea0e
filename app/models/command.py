"""A proposer behind a command line: the request on its standard input, the answer on its output.

`command:CMD` is split as a shell would split it and run without a shell, on the host, with an
allow-listed environment. The form of request and answer is in the project's documentation
(`command:` protocol, version 1).
"""

import json
import os
import shlex
from collections.abc import Callable, Mapping
from typing import Any

from pydantic import ValidationError

from app.errors import UserError
from app.models.answer import VersionedAnswer, first_fault
from app.models.process import Finished, TimedOut, TooMuchOutput, allowed, run
from sandbox.proposer import Proposal, ProposerFailed, Refusal, Situation

VERSION = 1
_TAIL = 20_000


class CommandUnusable(UserError, ValueError):
    """The words after `command:` are no command line."""


class CommandProposer:
    """Asks `command` once an attempt. `timeout` in seconds, `output_cap` in bytes.

    Raises `CommandUnusable` when the command line is empty or has an open quote.
    """

    def __init__(
        self,
        command: str,
        timeout: float = 600.0,
        output_cap: int = 2_000_000,
        environment: Callable[[], Mapping[str, str]] = lambda: allowed(os.environ),
    ) -> None:
        self._arguments = _split(command)
        self._timeout = timeout
        self._cap = output_cap
        self._environment = environment

    def __call__(self, situation: Situation) -> Proposal:
        """The command's answer to this attempt. Raises `ProposerFailed`."""
        given = json.dumps(request(situation)).encode("ascii")
        finished = self._run(given)
        if finished.status:
            raise ProposerFailed(self._ended_badly(finished))
        return answered(finished.output)

    def _run(self, given: bytes) -> Finished:
        name = self._arguments[0]
        try:
            return run(
                self._arguments,
                given,
                environment=self._environment(),
                timeout=self._timeout,
                cap=self._cap,
            )
        except TimedOut:
            sentence = f"The command `{name}` did not end within {self._timeout:g} seconds."
        except TooMuchOutput:
            sentence = f"The command `{name}` wrote more than {self._cap} bytes."
        except OSError as error:
            sentence = f"The command `{name}` cannot be started: {error.strerror}."
        raise ProposerFailed(sentence)

    def _ended_badly(self, finished: Finished) -> str:
        how = (
            f"exit status {finished.status}"
            if finished.status > 0
            else f"killed by signal {-finished.status}"
        )
        last = finished.errors.strip().rpartition("\n")[2][:300]
        said = f" Its last words: {last}" if last else ""
        return f"The command `{self._arguments[0]}` failed ({how}).{said}"


def request(situation: Situation) -> dict[str, Any]:
    """The request of version 1, role `patch`."""
    last = situation.last
    return {
        "version": VERSION,
        "role": "patch",
        "task": {"title": situation.task.title, "body": situation.task.body},
        "plan": situation.plan,
        "attempt": situation.attempt,
        "targets": list(situation.targets),
        "last": {
            "status": str(last.status),
            "cause": str(last.cause) if last.cause else None,
            "failing": sorted(last.failing),
            "output_tail": last.output_tail[-_TAIL:],
            "refusal": _refusal(situation.refusal),
        },
        "workspace": str(situation.workspace),
    }


def answered(output: bytes) -> Proposal:
    """What the command wrote: a raw diff, or one JSON object. Raises `ProposerFailed`."""
    text = output.decode("utf-8", "surrogateescape")
    if not text.strip():
        return Proposal(None, "The command gave an empty answer.")
    plain = _object(text)
    if plain is None:
        return Proposal(text)
    try:
        answer = VersionedAnswer.model_validate(plain)
    except ValidationError as error:
        raise ProposerFailed(
            f"The command's JSON answer cannot be used, {first_fault(error)}."
        ) from None
    usage = answer.usage.to_usage()
    if answer.kind == "give_up" or (answer.kind == "diff" and not answer.text.strip()):
        return Proposal(None, answer.text.strip() or "The command gave up.", usage)
    if answer.kind != "diff":
        raise ProposerFailed(f"The command answered with a {answer.kind}; a diff was asked for.")
    return Proposal(answer.text, "", usage, answer.finish_reason)


def _object(text: str) -> object | None:
    """The JSON object that `text` is, else None: a diff never begins with a brace."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        return dict(json.loads(text))
    except (ValueError, TypeError, RecursionError):
        return None


def _refusal(refusal: Refusal | None) -> dict[str, Any] | None:
    if refusal is None:
        return None
    return {"reason": refusal.reason, "message": refusal.message, "paths": list(refusal.paths)}


def _split(command: str) -> list[str]:
    try:
        arguments = shlex.split(command)
    except ValueError as error:
        raise CommandUnusable(
            f"The command line after `command:` cannot be split: {str(error).lower()}."
        ) from None
    if not arguments:
        raise CommandUnusable("Write a command line after `command:`, for example `command:./fix`.")
    return arguments
