"""Exit statuses, one word each."""

from enum import IntEnum

from sandbox.outcome import Outcome, Verdict


class Exit(IntEnum):
    """What a calling script sees."""

    OK = 0
    NOT_PROVED = 1
    USAGE = 2
    NEEDS_REVIEW = 3
    NO_PROGRESS = 10
    BUDGET = 11
    GAVE_UP = 12
    UNRUNNABLE = 13
    REFUSED = 14
    FAILURE = 70
    CANCELLED = 130


OF_OUTCOME = {
    Outcome.FIXED: Exit.OK,
    Outcome.NO_PROGRESS: Exit.NO_PROGRESS,
    Outcome.BUDGET: Exit.BUDGET,
    Outcome.GAVE_UP: Exit.GAVE_UP,
    Outcome.UNRUNNABLE: Exit.UNRUNNABLE,
}
OF_VERDICT = {
    Verdict.PROVED: Exit.OK,
    Verdict.NEEDS_REVIEW: Exit.NEEDS_REVIEW,
    Verdict.NOT_PROVED: Exit.NOT_PROVED,
}
