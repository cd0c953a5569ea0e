"""A running local GitHub with a plain Python face for seeding and looking."""

import socket
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Literal, Self

import uvicorn

from app.fakehub.deeds.announce import announce_ping
from app.fakehub.deeds.apps import (
    install,
    personal_token,
    register_app,
    welcome_repository,
)
from app.fakehub.deeds.issues import add_comment, open_issue
from app.fakehub.deeds.labels import add_labels, create_label, default_labels, remove_label
from app.fakehub.domain.accounts import AppCredentials, Role
from app.fakehub.domain.forge import Forge
from app.fakehub.envelope import API, Exchange, RequestLog
from app.fakehub.faults import Fault, Faults
from app.fakehub.glance import Glance
from app.fakehub.hooks import Deliveries
from app.fakehub.server import make_server

_START_SECONDS = 30


class FakeHub(Glance):
    """A local GitHub on loopback: REST below `api_url`, git and pages below `url`.

    `data` holds the bare repositories; everything else is in memory. `clock` gives the seconds
    since the epoch that expiry and every time shown go by. Use it as a context manager or call
    `start` and `stop`; seeding works once it is started. All methods may be called from any
    thread; they raise LookupError for an account, repository or issue that does not exist and
    ValueError for one that exists already.
    """

    def __init__(
        self, data: Path, *, port: int = 0, clock: Callable[[], float] = time.time
    ) -> None:
        self._deliveries = Deliveries(clock)
        self._log, self._faults = RequestLog(), Faults()
        self._forge = Forge(data.resolve(), clock, self._deliveries)
        self._port = port
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        super().__init__(self._forge, self._deliveries, self._log)

    def start(self) -> None:
        """Listen and serve in a background thread; OSError when the port is taken."""
        listener = socket.create_server(("127.0.0.1", self._port))
        # Connections inherit it; without it every small answer waits 40 ms for an acknowledgement.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        port = listener.getsockname()[1]
        self._forge.html_url = f"http://127.0.0.1:{port}"
        self._forge.api_url = f"{self._forge.html_url}{API}"
        server = make_server(self._forge, self._deliveries, self._log, self._faults)
        config = uvicorn.Config(
            server, log_config=None, access_log=False, ws="none", timeout_graceful_shutdown=3
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, args=([listener],), name="fakehub", daemon=True
        )
        self._thread.start()
        self._wait_until_started()

    def _wait_until_started(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while self._server is not None and not self._server.started:
            if time.monotonic() > deadline or not (self._thread and self._thread.is_alive()):
                message = "the local GitHub did not start"
                raise RuntimeError(message)
            time.sleep(0.01)

    def stop(self) -> None:
        """Stop serving; deliveries still on their way are given up."""
        if self._server is None or self._thread is None:
            return
        self._server.should_exit = True
        self._thread.join()
        self._server = self._thread = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        """The address of pages and git."""
        return self._forge.html_url

    @property
    def api_url(self) -> str:
        """The base address of the REST API."""
        return self._forge.api_url

    @property
    def rate_limit(self) -> int:
        """Requests an hour of each installation and person; can be set."""
        return self._forge.rate_limit

    @rate_limit.setter
    def rate_limit(self, value: int) -> None:
        self._forge.rate_limit = value

    def create_user(self, login: str, *, kind: Literal["User", "Bot"] = "User") -> str:
        """An account, made if it is new; returns a new personal token for it."""
        return personal_token(self._forge, self._forge.add_user(login, kind))

    def create_app(
        self,
        slug: str,
        *,
        webhook_url: str | None,
        webhook_secret: str,
        permissions: Mapping[str, str],
        events: Sequence[str],
    ) -> AppCredentials:
        """Register an App with its bot account `slug[bot]`; a webhook address is pinged."""
        return register_app(
            self._forge,
            slug,
            webhook_url=webhook_url,
            webhook_secret=webhook_secret,
            permissions=permissions,
            events=events,
        )

    def set_webhook_url(self, app_id: int, url: str) -> None:
        """Give an App another webhook address, which is pinged."""
        app = self._forge.apps[app_id]
        app.webhook_url = url
        announce_ping(self._forge, app)

    def create_repository(
        self,
        owner: str,
        name: str,
        source: Path | None,
        *,
        private: bool = False,
        default_branch: str = "main",
    ) -> None:
        """A repository whose first commit holds the files of `source` (None: it stays empty).

        Files that a `.gitignore` in `source` names are left out. An unknown owner is made.
        """
        account = self._forge.add_user(owner)
        made = self._forge.add_repository(
            account, name, private=private, default_branch=default_branch
        )
        default_labels(self._forge, made)
        if source is not None:
            signature = self._forge.signature(account)
            tree = made.git.tree_of_directory(source.resolve())
            sha = made.git.write_commit(tree, (), "First version", signature, signature)
            made.git.set_ref(f"refs/heads/{default_branch}", sha)
            made.refs = made.git.refs()
        welcome_repository(self._forge, made)

    def install_app(
        self, app_id: int, owner: str, repositories: Sequence[str] | Literal["all"]
    ) -> int:
        """Install an App on an account's repositories (by name); returns the installation id."""
        account = self._forge.user(owner)
        chosen = None
        if repositories != "all":
            chosen = [self._forge.repository(owner, name) for name in repositories]
        return install(self._forge, self._forge.apps[app_id], account, chosen).id

    def expire_tokens(self) -> None:
        """Let every installation token made so far expire now."""
        with self._forge.lock:
            for token in self._forge.tokens.values():
                if token.expires_at is not None:
                    token.expires_at = self._forge.clock()

    def create_label(
        self,
        owner: str,
        name: str,
        label: str,
        *,
        color: str = "ededed",
        description: str | None = None,
    ) -> None:
        """Give a repository a label; `color` is six hexadecimal digits."""
        repository = self._forge.repository(owner, name)
        create_label(
            self._forge, repository, label, repository.owner, color=color, description=description
        )

    def add_collaborator(self, owner: str, name: str, login: str, permission: Role) -> None:
        """Give an account a role in a repository; `none` takes it away."""
        repository, user = self._forge.repository(owner, name), self._forge.user(login)
        with self._forge.lock:
            repository.collaborators.pop(user.login.lower(), None)
            if permission != "none":
                repository.collaborators[user.login.lower()] = permission

    def create_issue(self, owner: str, name: str, title: str, body: str, *, author: str) -> int:
        """Open an issue; returns its number."""
        repository = self._forge.repository(owner, name)
        return open_issue(self._forge, repository, title, body, self._forge.user(author)).number

    def comment_issue(self, owner: str, name: str, number: int, body: str, *, author: str) -> int:
        """Comment as a person on an issue or pull request; returns the comment's id."""
        repository = self._forge.repository(owner, name)
        issue = self._forge.issue(owner, name, number)
        return add_comment(self._forge, repository, issue, body, self._forge.user(author)).id

    def label_issue(self, owner: str, name: str, number: int, label: str, *, actor: str) -> None:
        """Put a label on an issue as a person does, made if it is new; sends the webhook."""
        repository = self._forge.repository(owner, name)
        issue = self._forge.issue(owner, name, number)
        add_labels(self._forge, repository, issue, [label], self._forge.user(actor))

    def unlabel_issue(self, owner: str, name: str, number: int, label: str, *, actor: str) -> None:
        """Take a label off an issue as a person does; sends the webhook."""
        repository = self._forge.repository(owner, name)
        issue = self._forge.issue(owner, name, number)
        remove_label(self._forge, repository, issue, label, self._forge.user(actor))

    def watch(self, watcher: Callable[[Exchange], None]) -> None:
        """Show every API answer to `watcher` before it leaves; faults are not shown.

        It runs on the server's event loop: it must be quick and must not raise.
        """
        self._log.watchers.append(watcher)

    def add_fault(self, fault: Fault) -> None:
        """Arm a fault, as `POST /_fake/faults` does."""
        self._faults.add(fault)

    def clear_faults(self) -> None:
        """Disarm all faults."""
        self._faults.clear()
