"""The hourly budget of requests of each installation, person or stranger."""

import threading
from dataclasses import dataclass
from typing import Any

from app.fakehub.auth import Caller
from app.fakehub.domain.forge import Forge
from app.fakehub.errors import ApiError

_WINDOW = 3600
_STRANGER = 60


@dataclass
class _Bucket:
    used: int
    reset: float


class Rates:
    """Counts requests; the budget itself is `forge.rate_limit`."""

    def __init__(self, forge: Forge) -> None:
        self._forge = forge
        self._lock = threading.Lock()
        self._buckets: dict[str, _Bucket] = {}

    def count(self, caller: Caller) -> None:
        """Take one request off the caller's budget; 403 when nothing is left."""
        with self._lock:
            bucket = self._bucket(caller)
            bucket.used += 1
        if bucket.used > self._limit(caller):
            text = f"API rate limit exceeded for {_name(caller)}."
            raise ApiError(403, text)

    def state(self, caller: Caller) -> dict[str, Any]:
        """`rate-limit` of a caller."""
        with self._lock:
            bucket = self._bucket(caller)
        limit = self._limit(caller)
        used = min(bucket.used, limit)
        return {"limit": limit, "remaining": limit - used, "reset": int(bucket.reset), "used": used}

    def headers(self, caller: Caller) -> dict[str, str]:
        """The x-ratelimit headers of an answer."""
        shown = {f"x-ratelimit-{name}": str(value) for name, value in self.state(caller).items()}
        return {**shown, "x-ratelimit-resource": "core"}

    def _limit(self, caller: Caller) -> int:
        known = caller.user is not None or caller.app is not None
        return self._forge.rate_limit if known else _STRANGER

    def _bucket(self, caller: Caller) -> _Bucket:
        now = self._forge.clock()
        bucket = self._buckets.get(_name(caller))
        if bucket is None or bucket.reset <= now:
            bucket = self._buckets[_name(caller)] = _Bucket(0, now + _WINDOW)
        return bucket


def _name(caller: Caller) -> str:
    if caller.token is not None and caller.token.installation is not None:
        return f"installation ID {caller.token.installation.id}"
    if caller.user is not None:
        return f"user ID {caller.user.id}"
    return f"App ID {caller.app.id}" if caller.app is not None else "127.0.0.1"
