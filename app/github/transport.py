"""How requests travel: redirects that keep their method, and retries with a cap."""

from dataclasses import dataclass
from datetime import timedelta

import httpx
from githubkit.exception import GitHubException, RateLimitExceeded, RequestError, RequestFailed
from githubkit.typing import RetryOption

SAFE_TO_REPEAT = frozenset({"GET", "HEAD", "PUT", "PATCH", "DELETE"})
KEEPING_METHOD = {301: 308, 302: 307}


@dataclass(frozen=True, slots=True)
class CappedRetry:
    """Repeats what may be repeated, never longer than `cap_seconds` for one wait.

    A POST is not repeated after a fault: it may have been heard, and the durable step that sent
    it looks before it creates again. A longer wait is the business of that step as well.
    """

    tries: int = 3
    cap_seconds: float = 20.0
    base_seconds: float = 0.5

    def __call__(self, error: GitHubException, done: int) -> RetryOption:
        wait = self._wait(error, done)
        if done >= self.tries or wait is None or wait > self.cap_seconds:
            return RetryOption(False)
        # githubkit takes a wait of zero for a minute.
        return RetryOption(True, timedelta(seconds=max(wait, 0.001)))

    def _wait(self, error: GitHubException, done: int) -> float | None:
        """Seconds, or None when asking again would be wrong or useless."""
        if isinstance(error, RateLimitExceeded):
            return error.retry_after.total_seconds()
        backoff = self.base_seconds * float(2**done)
        if isinstance(error, RequestFailed):
            broken = error.response.status_code >= 500
            return backoff if broken and error.request.method in SAFE_TO_REPEAT else None
        if isinstance(error, RequestError) and isinstance(error.exc, httpx.TransportError):
            unheard = isinstance(error.exc, httpx.ConnectError | httpx.ConnectTimeout)
            return backoff if unheard or _method(error.exc) in SAFE_TO_REPEAT else None
        return None


def _method(error: httpx.TransportError) -> str:
    try:
        return error.request.method
    except RuntimeError:  # httpx raises it where no request belongs to the error
        return ""


def keep_method(response: httpx.Response) -> None:
    """Make a redirect repeat the method that was sent (a response hook of httpx).

    GitHub answers 301 for a renamed repository and asks for the same request at the new address;
    HTTP clients turn a redirected POST into a GET, which would read where it should write.
    """
    if response.request.method not in {"GET", "HEAD"}:
        response.status_code = KEEPING_METHOD.get(response.status_code, response.status_code)
