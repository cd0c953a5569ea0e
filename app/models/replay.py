"""Recorded replies as a proposer: served in the order of the file, then it gives up.

The file is JSON Lines (one reply a line, blank lines ignored) or one JSON list of replies. A reply
is an object:

    {"kind": "diff" | "plan" | "give_up",      what it is
     "text": "…",                              the diff as a model wrote it, or the reason
     "usage": {"model_calls": 1, "tokens_in": 900, "tokens_out": 120, "dollars": 0.004},
     "finish_reason": "stop" | "length"}       `length`: the reply broke off

`usage`, `finish_reason` and, for `give_up`, `text` may be left out. A `plan` is not handed to the
loop: it is counted, and the reply after it is served.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Self

from pydantic import ValidationError

from app.errors import UserError
from app.models.answer import Answer, first_fault
from sandbox.proposer import Proposal, Situation, Usage

_LARGEST = 20_000_000


class ReplayUnreadable(UserError, ValueError):
    """The recording cannot be used; the message says where and why."""


class ReplayProposer:
    """Serves each of `replies` once. One instance serves one run."""

    def __init__(self, replies: Iterable[Answer]) -> None:
        self._replies = iter(list(replies))
        self._served = 0

    @classmethod
    def from_file(cls, path: Path) -> Self:
        """Reads a recording. Raises `ReplayUnreadable`."""
        return cls(recorded(path))

    def __call__(self, situation: Situation) -> Proposal:  # noqa: ARG002 # recorded is recorded
        """The next recorded reply, whatever the situation."""
        usage = Usage()
        for reply in self._replies:
            self._served += 1
            usage += reply.usage.to_usage()
            if reply.kind == "diff":
                return Proposal(reply.text, "", usage, reply.finish_reason)
            if reply.kind == "give_up":
                return Proposal(None, reply.text or "The recording gives up here.", usage)
        note = f"The recording holds no further reply after {self._served}."
        return Proposal(None, note, usage)


def recorded(path: Path) -> list[Answer]:
    """All replies of the file. Raises `ReplayUnreadable`."""
    try:
        if path.stat().st_size > _LARGEST:
            raise ReplayUnreadable(f"The recording `{path.name}` is larger than 20 MB.")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise ReplayUnreadable(
            f"The recording `{path}` cannot be read ({type(error).__name__}). Give the path of a "
            "file of JSON Lines in UTF-8."
        ) from None
    return [_reply(path, where, plain) for where, plain in _values(path, text)]


def _values(path: Path, text: str) -> Iterator[tuple[str, object]]:
    if text.lstrip().startswith("["):
        listed = _json(path, "as a whole", text)
        if not isinstance(listed, list):
            raise ReplayUnreadable(f"The recording `{path.name}` is no list of replies.")
        yield from ((f"reply {number}", plain) for number, plain in enumerate(listed, 1))
        return
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield f"line {number}", _json(path, f"line {number}", line)


def _json(path: Path, where: str, text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise ReplayUnreadable(
            f"The recording `{path.name}` is no JSON, {where}. Write one reply a line."
        ) from None


def _reply(path: Path, where: str, plain: object) -> Answer:
    try:
        reply = Answer.model_validate(plain)
    except ValidationError as error:
        raise ReplayUnreadable(
            f"The recording `{path.name}` has a reply that cannot be used, {where}, "
            f"{first_fault(error)}."
        ) from None
    if reply.kind == "test" or (reply.kind == "diff" and not reply.text.strip()):
        raise ReplayUnreadable(
            f"The recording `{path.name}` has a reply that cannot be used, {where}: a reply is a "
            "`diff` with its text, a `plan` or `give_up`."
        )
    return reply
