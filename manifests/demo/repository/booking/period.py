"""A stretch of time from a start to an end."""

from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, order=True)
class Period:
    """From `start` up to, but not including, `end`."""

    start: datetime
    end: datetime

    def __post_init__(self):
        if self.end <= self.start:
            raise ValueError("a period ends after it starts")

    @property
    def length(self) -> timedelta:
        return self.end - self.start

    def contains(self, moment: datetime) -> bool:
        return self.start <= moment < self.end

    def overlaps(self, other: "Period") -> bool:
        """Whether the two share any time at all."""
        return self.start < other.end and other.start <= self.end

    def shifted(self, by: timedelta) -> "Period":
        return Period(self.start + by, self.end + by)
