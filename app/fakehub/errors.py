"""GitHub's error answers: their statuses, texts and shapes."""

from collections.abc import Mapping, Sequence
from typing import Any

_DOCUMENTATION = "https://docs.github.com/rest"


class ApiError(Exception):
    """An answer that is not a success; the server turns it into JSON in GitHub's shape."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        errors: Sequence[Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})
        self.body: dict[str, Any] = {"message": message}
        if errors is not None:
            self.body["errors"] = list(errors)
        self.body |= {"documentation_url": _DOCUMENTATION, "status": str(status)}


def not_found() -> ApiError:
    """The thing does not exist, or the caller may not know that it does."""
    return ApiError(404, "Not Found")


def bad_credentials() -> ApiError:
    """The token is unknown, expired or revoked."""
    return ApiError(401, "Bad credentials")


def unauthenticated() -> ApiError:
    """No credentials at all where some are needed."""
    return ApiError(401, "Requires authentication")


def missing_permission(accepted: str) -> ApiError:
    """The App was not granted what the call needs; `accepted` as in `issues=write`."""
    headers = {"X-Accepted-GitHub-Permissions": accepted}
    return ApiError(403, "Resource not accessible by integration", headers=headers)


def not_allowed() -> ApiError:
    """A person whose role is too small."""
    return ApiError(403, "Must have admin rights to Repository.")


def invalid(
    resource: str, code: str, *, field: str | None = None, message: str | None = None
) -> ApiError:
    """422 `Validation Failed` with one entry; code as in GitHub's list (custom, invalid, ...)."""
    entry: dict[str, Any] = {"resource": resource, "code": code}
    if field is not None:
        entry["field"] = field
    if message is not None:
        entry["message"] = message
    return ApiError(422, "Validation Failed", errors=[entry])


def unprocessable(message: str) -> ApiError:
    """422 with a sentence and no entries."""
    return ApiError(422, message)


def too_long_comment() -> ApiError:
    """A comment above 65,536 characters."""
    text = "Body is too long (maximum is 65536 characters)"
    return invalid("IssueComment", "unprocessable", field="data", message=text)


def too_long_issue() -> ApiError:
    """The body of an issue or pull request above 65,536 characters."""
    text = "body is too long (maximum is 65536 characters)"
    return invalid("Issue", "custom", field="body", message=text)
