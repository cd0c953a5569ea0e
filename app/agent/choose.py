"""From the word of a setting to a fresh proposer."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from pydantic import SecretStr

from app.agent.proposer import ModelProposer
from app.errors import UserError
from app.models.command import CommandProposer
from app.models.gemini import GeminiModel
from app.models.replay import ReplayProposer
from app.models.search import SearchProposer
from app.settings import ProposerSettings
from sandbox.proposer import Proposer

WORDS = ("search", "gemini", "replay:FILE", "command:CMD")


@dataclass(frozen=True, slots=True)
class Options:
    """What the settings say; `allow_command` is the operator's word, not a repository's."""

    gemini_api_key: SecretStr | None = None
    gemini_model: str = "gemini-2.5-flash"
    gemini_base_url: str | None = None
    allow_command: bool = False
    command_seconds: float = 600.0
    command_output: int = 2_000_000
    search_candidates: int = 200
    search_workers: int = 2

    @classmethod
    def of(cls, settings: ProposerSettings, *, allow_command: bool) -> Self:
        """The settings' own, and whether whoever operates this machine allows a command."""
        return cls(
            gemini_api_key=settings.gemini_api_key,
            gemini_model=settings.gemini_model,
            gemini_base_url=settings.gemini_base_url,
            allow_command=allow_command,
        )


class UnknownProposer(UserError, ValueError):
    """The word names no proposer, or one that may not be used here."""


def make_proposer(spec: str, options: Options) -> Proposer:
    """A proposer for one run, from one of `WORDS`.

    Raises `UnknownProposer`, `ReplayUnreadable`, `CommandUnusable`, `KeyRejected`; all of them say
    what to change.
    """
    word, colon, rest = spec.strip().partition(":")
    make = _MAKERS.get(word)
    if make is None or bool(colon) != (word in _WITH_VALUE) or (colon and not rest.strip()):
        allowed = ", ".join(f"`{each}`" for each in WORDS)
        raise UnknownProposer(f"There is no proposer `{_short(spec)}`. Use one of {allowed}.")
    return make(rest.strip(), options)


def _search(_: str, options: Options) -> Proposer:
    return SearchProposer(options.search_candidates, options.search_workers)


def _gemini(_: str, options: Options) -> Proposer:
    model = GeminiModel(options.gemini_api_key, options.gemini_model, options.gemini_base_url)
    return ModelProposer(model)


def _replay(file: str, _: Options) -> Proposer:
    return ReplayProposer.from_file(Path(file))


def _command(command: str, options: Options) -> Proposer:
    if not options.allow_command:
        raise UnknownProposer(
            "The proposer `command:` runs a program on this machine. Whoever operates it has to "
            "allow that with `PATCHWRIGHT_ALLOW_COMMAND_PROPOSER=true`."
        )
    return CommandProposer(command, options.command_seconds, options.command_output)


_MAKERS: dict[str, Callable[[str, Options], Proposer]] = {
    "search": _search,
    "gemini": _gemini,
    "replay": _replay,
    "command": _command,
}
_WITH_VALUE = frozenset({"replay", "command"})


def _short(spec: str) -> str:
    return " ".join(spec.replace("`", "").split())[:80]
