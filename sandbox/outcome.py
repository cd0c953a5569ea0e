"""The five outcomes of a run and the reasons that go with them."""

from enum import StrEnum


class Outcome(StrEnum):
    """Exactly one for every run that is done."""

    FIXED = "fixed"
    NO_PROGRESS = "no_progress"
    BUDGET = "budget"
    GAVE_UP = "gave_up"
    UNRUNNABLE = "unrunnable"


class Phase(StrEnum):
    """Where an unrunnable suite failed."""

    CLONE = "clone"
    ENVIRONMENT = "environment"
    BASELINE = "baseline"


class Verdict(StrEnum):
    """What the proof says of a diff."""

    PROVED = "proved"
    NEEDS_REVIEW = "needs_review"
    NOT_PROVED = "not proved"
