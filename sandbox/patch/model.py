"""What the engine takes in and hands back: reports, results and the words for a refusal."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class RefusalReason(StrEnum):
    """Why an answer was not applied; one word each, stable for ledgers and metrics."""

    AMBIGUOUS = "ambiguous"
    NO_MATCH = "no_match"
    MISSING_FILE = "missing_file"
    TRUNCATED = "truncated"
    ELIDED = "elided"
    EXISTS = "exists"
    CONFLICT = "conflict"
    NO_ANCHOR = "no_anchor"
    UNSAFE_PATH = "unsafe_path"
    UNSUPPORTED = "unsupported"
    UNSAFE_CONTENT = "unsafe_content"
    NO_DIFF = "no_diff"
    UNPROVED = "unproved"
    WRITE_FAILED = "write_failed"


@dataclass(frozen=True)
class HunkReport:
    """How one hunk found its place.

    `hunk` counts from 1 within its file. `rung` names the step of the ladder that decided.
    `offset` is the number of lines between the declared and the real place (0 when no line was
    declared). `repairs` are the words for what had to be put right.
    """

    path: str
    hunk: int
    rung: str
    offset: int
    repairs: tuple[str, ...] = ()


@dataclass(frozen=True)
class Applied:
    """The answer holds: `diff` is the canonical git diff of what changed (empty when nothing)."""

    outcome: Literal["applied", "already_applied"]
    diff: bytes
    hunks: tuple[HunkReport, ...]
    paths: tuple[str, ...]


@dataclass(frozen=True)
class Refused:
    """The answer was not applied and the tree is as it was; `message` says what to send back."""

    reason: RefusalReason
    message: str
    path: str | None = None
    hunk: int | None = None


class RefusalError(Exception):
    """Carries a `Refused` from the depth of the pipeline to its one exit."""

    def __init__(
        self,
        reason: RefusalReason,
        message: str,
        path: str | None = None,
        hunk: int | None = None,
    ) -> None:
        super().__init__(message)
        self.refused = Refused(reason, message, path, hunk)
