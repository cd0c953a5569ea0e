"""Who has the meeting room, and when."""

from booking.period import Period
from booking.room import Clash, Room

__all__ = ["Clash", "Period", "Room"]
