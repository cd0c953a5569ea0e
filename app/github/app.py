"""The App itself: who it is, and its way to each installation."""

from functools import cached_property
from typing import Any

import httpx
from githubkit import AppAuthStrategy, GitHub
from githubkit.auth import BaseAuthStrategy
from githubkit.cache import MemCacheStrategy
from pydantic import SecretStr

from app.github.errors import translated
from app.github.installation import InstallationClient
from app.github.models import AppIdentity
from app.github.tokens import InstallationAuth, Tokens
from app.github.transport import CappedRetry, keep_method

USER_AGENT = "patchwright"
SECONDS = 15.0
"""GitHub itself gives up on a request after ten."""


class AppClient:
    """Speaks for the App with its key; hands out clients that speak for an installation."""

    def __init__(
        self,
        *,
        app_id: int,
        private_key: SecretStr,
        api_url: str = "https://api.github.com",
        retry: CappedRetry | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """`transport` stands in for the network in tests of faults that no server makes."""
        self._api_url = api_url
        self._retry = retry or CappedRetry()
        self._transport = transport
        self._tls = httpx.create_ssl_context()
        self._app = self._client(AppAuthStrategy(app_id, private_key.get_secret_value()))

    def _client(self, auth: BaseAuthStrategy) -> GitHub[Any]:
        return GitHub(
            auth,
            base_url=self._api_url,
            user_agent=USER_AGENT,
            timeout=SECONDS,
            ssl_verify=self._tls,
            transport=self._transport,
            event_hooks={"response": [keep_method]},
            # githubkit's default cache hands the keys and tokens of one client to the next one.
            cache_strategy=MemCacheStrategy(),
            http_cache=False,
            rest_api_validate_body=False,
            auto_retry=self._retry,
        )

    @cached_property
    def identity(self) -> AppIdentity:
        """Asked for once. Raises `GitHubRefused`, `GitHubUnavailable`."""
        with translated():
            return AppIdentity.model_validate(self._app.rest.apps.get_authenticated().json())

    def warm_up(self) -> AppIdentity:
        """Check the key against GitHub and load what the first request would load."""
        return self.identity

    def installation(
        self, installation_id: int, repository: str | None = None
    ) -> InstallationClient:
        """A client for one installation, its token narrowed to `repository` (a bare name)."""
        tokens = Tokens(self._app, installation_id, repository)
        github = self._client(InstallationAuth(tokens))
        return InstallationClient(github, tokens, lambda: self.identity)
