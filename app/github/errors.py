"""What GitHub may do to a request: refuse it for good, or not be there for now."""

from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError

import httpx
from githubkit.exception import (
    GitHubException,
    RateLimitExceeded,
    RequestError,
    RequestFailed,
    RequestTimeout,
)
from pydantic import ValidationError

from app.errors import UserError

QUOTED_CHARS = 300


class GitHubRefused(UserError):
    """GitHub understood and said no; asking again changes nothing. `status` is HTTP's, or 0."""

    def __init__(self, sentence: str, status: int = 0) -> None:
        super().__init__(sentence)
        self.status = status


class GitHubUnavailable(Exception):
    """GitHub cannot be reached, is broken or asks to wait; `retry_after` is in seconds."""

    def __init__(self, sentence: str, retry_after: float | None = None) -> None:
        super().__init__(sentence)
        self.retry_after = retry_after


@contextmanager
def translated() -> Iterator[None]:
    """Raise the two errors of this module for whatever githubkit raises in the block.

    The originals carry requests with their headers, so they are not kept as causes.
    """
    try:
        yield
    except GitHubException as error:
        raise translation(error) from None
    except (ValidationError, JSONDecodeError, UnicodeDecodeError) as error:
        raise GitHubUnavailable(_not_its_own(error)) from None


def _not_its_own(error: ValueError) -> str:
    """A proxy's page, or half an answer."""
    if not isinstance(error, ValidationError):
        return "GitHub answered with something that is not JSON."
    where = ".".join(str(part) for part in error.errors(include_input=False)[0]["loc"])
    return f"GitHub answered in a form that is not its own (at `{where}`)."


def translation(error: GitHubException) -> GitHubRefused | GitHubUnavailable:
    """The error of this module for one of githubkit's."""
    if isinstance(error, RateLimitExceeded):
        return GitHubUnavailable(
            "GitHub asks to wait: the App's rate limit is used up.",
            error.retry_after.total_seconds(),
        )
    if isinstance(error, RequestTimeout):
        return GitHubUnavailable("GitHub did not answer in time.")
    if isinstance(error, RequestFailed):
        return _status_error(error)
    if isinstance(error, RequestError):
        return _inner_error(error.exc)
    return GitHubUnavailable(f"GitHub could not be asked ({type(error).__name__}).")


def _inner_error(inner: object) -> GitHubRefused | GitHubUnavailable:
    if isinstance(inner, GitHubRefused | GitHubUnavailable):
        return inner  # minting a token failed inside the request that needed it
    if isinstance(inner, httpx.ConnectError):
        return GitHubUnavailable("GitHub cannot be reached.")
    return GitHubUnavailable(f"The connection to GitHub broke ({type(inner).__name__}).")


def _status_error(error: RequestFailed) -> GitHubRefused | GitHubUnavailable:
    status, said = error.response.status_code, _said(error)
    if status >= 500:
        return GitHubUnavailable(f"GitHub is not well: it answered with status {status}.")
    if status == 429 or (status == 403 and "rate limit" in said.lower()):
        # githubkit knows a limit by its headers alone; without them a minute is the advice of
        # https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api
        return GitHubUnavailable("GitHub asks to wait: the App's rate limit is used up.", 60.0)
    needs = error.response.headers.get("X-Accepted-GitHub-Permissions", "")
    return GitHubRefused(refusal(status, said, needs), status)


def refusal(status: int, said: str, needs: str = "") -> str:
    """A sentence for a status from 300 to 499, GitHub's own words and the permission it names."""
    if status == 401:
        return (
            "GitHub does not accept the App's credentials: check `PATCHWRIGHT_APP_ID` and the "
            "private key."
        )
    if status == 403 and needs:
        return (
            f"The App lacks a permission (`{needs}`): grant it in the App's settings and accept it "
            "in the installation."
        )
    if status == 404:
        return (
            "GitHub shows the App nothing at this address: check that it still exists and that "
            "the App is installed there."
        )
    return f"GitHub refused (status {status}): {said}"


def _said(error: RequestFailed) -> str:
    try:
        answer = error.response.json()
    except ValueError:
        return "no reason given."
    if not isinstance(answer, dict):
        return "no reason given."
    errors = answer.get("errors")
    details = [_detail(item) for item in errors] if isinstance(errors, list) else []
    text = ": ".join([str(answer.get("message", "no reason given")), *filter(None, details)])
    return " ".join(text.split())[:QUOTED_CHARS]


def _detail(item: object) -> str:
    if isinstance(item, dict):
        return str(item.get("message") or item.get("code", ""))
    return item if isinstance(item, str) else ""
