"""The answer of a proposer as JSON: commands write it, recordings hold it."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sandbox.proposer import Usage


class UsageFields(BaseModel):
    """Counts that the answerer knows of itself; an absent price is unknown, not nothing."""

    model_config = ConfigDict(strict=True)

    model_calls: int = Field(default=0, ge=0)
    tokens_in: int = Field(default=0, ge=0)
    tokens_out: int = Field(default=0, ge=0)
    dollars: float | None = Field(default=None, ge=0)

    def to_usage(self) -> Usage:
        """As the ledger counts it: who made no call spent nothing."""
        spent = self.dollars if self.dollars is not None or self.model_calls else 0.0
        return Usage(self.model_calls, self.tokens_in, self.tokens_out, spent)


class Answer(BaseModel):
    """One answer; `text` is a diff, a plan, a test or the reason for giving up."""

    model_config = ConfigDict(strict=True)

    kind: Literal["diff", "plan", "test", "give_up"]
    text: str = ""
    usage: UsageFields = Field(default_factory=UsageFields)
    finish_reason: str | None = None


class VersionedAnswer(Answer):
    """An answer of a command, which names the version of the protocol that it speaks."""

    version: Literal[1]


def first_fault(error: ValidationError) -> str:
    """The first thing wrong, with the field's name and without the value."""
    fault = error.errors(include_input=False, include_url=False)[0]
    where = ".".join(str(part) for part in fault["loc"]) or "the whole"
    return f"`{where}`: {fault['msg'][0].lower()}{fault['msg'][1:]}"
