"""What a language model is to the rest: one request in, text, usage and finish reason out."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from sandbox.proposer import ProposerFailed, Usage

FinishReason = Literal["stop", "length"]


@dataclass(frozen=True, slots=True)
class Request:
    """`schema` is a JSON schema when the answer has to be JSON; `most_tokens` bounds the answer."""

    system: str
    prompt: str
    schema: Mapping[str, Any] | None = None
    most_tokens: int = 32_768


@dataclass(frozen=True, slots=True)
class Reply:
    """`length` means that the text broke off at the limit; it may then be empty."""

    text: str
    usage: Usage
    finish_reason: FinishReason


class Model(Protocol):
    """A transport without memory.

    Raises `KeyRejected`, `BudgetSpent("model quota")` when the account has no calls left,
    `AnswerUnusable` when an answer came and cannot be used, else `ProposerFailed`.
    """

    @property
    def name(self) -> str:
        """The model's name as its maker spells it."""

    def __call__(self, request: Request) -> Reply: ...


@dataclass
class AnswerUnusable(ProposerFailed):
    """The model answered and was paid, and the answer is of no use (blocked, empty, malformed)."""

    sentence: str
    usage: Usage = field(default_factory=Usage)

    def __post_init__(self) -> None:
        super().__init__(self.sentence)

    def __str__(self) -> str:
        return self.sentence
