"""Installation tokens: minted when needed, as narrow as asked, minted anew when refused."""

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from threading import Lock
from typing import TYPE_CHECKING, Any

import httpx
from githubkit import GitHub
from githubkit.auth import BaseAuthStrategy
from pydantic import SecretStr

from app.github.errors import translated
from app.github.models import InstallationToken

if TYPE_CHECKING:
    from githubkit import GitHubCore

MARGIN = timedelta(minutes=5)
"""A token is not used in the last minutes of its hour: a clone may outlive it."""


class Tokens:
    """The tokens of one installation, for one repository or for all of them.

    githubkit's own flow parses the answer with strict models and its default cache is shared by
    every client of the process; a token that GitHub revokes early would stay in it.
    """

    def __init__(
        self, app: GitHub[Any], installation_id: int, repository: str | None = None
    ) -> None:
        self._app = app
        self._installation_id = installation_id
        self._repository = repository
        self._lock = Lock()
        self._held: InstallationToken | None = None

    def current(self) -> SecretStr:
        """A token for the API. Raises `GitHubRefused`, `GitHubUnavailable`."""
        with self._lock:
            if self._held is None or self._held.expires_at - MARGIN < datetime.now(UTC):
                self._held = self.mint(self._repository)
            return self._held.token

    def forget(self, refused: SecretStr) -> None:
        """Do not use this token again."""
        with self._lock:
            if self._held is not None and self._held.token == refused:
                self._held = None

    def mint(
        self, repository: str | None, permissions: Mapping[str, str] | None = None
    ) -> InstallationToken:
        """A new token, narrowed to one repository and to `permissions` where given."""
        wanted: dict[str, Any] = {}
        if repository is not None:
            wanted["repositories"] = [repository]
        if permissions is not None:
            wanted["permissions"] = dict(permissions)
        with translated():
            answer = self._app.request(
                "POST", f"/app/installations/{self._installation_id}/access_tokens", json=wanted
            )
            return InstallationToken.model_validate(answer.json())


@dataclass(frozen=True)
class InstallationAuth(BaseAuthStrategy):
    """Lets a githubkit client act as the installation."""

    tokens: Tokens

    def get_auth_flow(self, github: "GitHubCore[Any]") -> httpx.Auth:  # noqa: ARG002 - the base class's form
        """The flow of one client."""
        return _TokenFlow(self.tokens)


class _TokenFlow(httpx.Auth):
    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens

    def sync_auth_flow(
        self, request: httpx.Request
    ) -> Generator[httpx.Request, httpx.Response, None]:
        token = self._tokens.current()
        request.headers["Authorization"] = f"token {token.get_secret_value()}"
        response = yield request
        if response.status_code == 401:
            self._tokens.forget(token)
            fresh = self._tokens.current().get_secret_value()
            request.headers["Authorization"] = f"token {fresh}"
            yield request
