"""A room with its bookings."""

from booking.period import Period


class Clash(Exception):
    """The room is taken for some of that time."""


class Room:
    """Bookings by name, kept in the order of their start."""

    def __init__(self, name: str):
        self.name = name
        self._bookings: list[tuple[Period, str]] = []

    def book(self, period: Period, by: str) -> None:
        """Raises Clash, naming who has the room."""
        for taken, holder in self._bookings:
            if taken.overlaps(period):
                raise Clash(f"{holder} has {self.name} from {taken.start:%H:%M}")
        self._bookings.append((period, by))
        self._bookings.sort()

    def at(self, moment) -> "str | None":
        for period, holder in self._bookings:
            if period.contains(moment):
                return holder
        return None

    def plan(self) -> "list[str]":
        return [f"{p.start:%H:%M}-{p.end:%H:%M} {holder}" for p, holder in self._bookings]
