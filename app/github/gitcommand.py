"""One git process: no prompt, no hook, no filter, nobody's configuration, no secret in its argv."""

import os
import signal
import subprocess
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import SecretStr

from app.github.errors import GitHubUnavailable
from app.github.gitrefusals import git_error

SECONDS = 600.0
OUTPUT_CHARS = 2_000

INHERITED = ("PATH", "SSL_CERT_FILE", "SSL_CERT_DIR", "https_proxy", "http_proxy", "no_proxy")
INHERITED_TOO = tuple(name.upper() for name in INHERITED[3:])

CONFIG = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "core.autocrlf": "false",
    "core.symlinks": "true",
    "core.fileMode": "true",
    "core.quotePath": "false",
    "credential.helper": "",
    "commit.gpgSign": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "advice.detachedHead": "false",
    "init.defaultBranch": "main",
    "submodule.recurse": "false",
    "fetch.recurseSubmodules": "false",
    "protocol.allow": "never",
    "protocol.https.allow": "always",
    "protocol.http.allow": "always",
    # git sends the header with the token on to wherever it is redirected.
    "http.followRedirects": "false",
    "http.lowSpeedLimit": "1000",
    "http.lowSpeedTime": "60",
}


@dataclass(frozen=True, slots=True)
class Access:
    """A repository's address without any secret, and the token for it.

    Raises `ValueError` for an address that holds a user or a password.
    """

    url: str
    token: SecretStr | None = None

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or "@" in parts.netloc:
            raise ValueError("the address of a repository is http(s) and holds no credentials")

    def config(self) -> dict[str, str]:
        """The header with the token, for this server alone; it travels in the environment."""
        if self.token is None:
            return {}
        parts = urlsplit(self.url)
        pair = f"x-access-token:{self.token.get_secret_value()}"
        header = f"Authorization: Basic {b64encode(pair.encode()).decode()}"
        return {f"http.{parts.scheme}://{parts.netloc}/.extraHeader": header}


@dataclass(frozen=True, slots=True)
class Git:
    """Runs git in one directory. `extra` adds environment variables, for dates and identities."""

    directory: Path
    access: Access | None = None
    seconds: float = SECONDS
    extra: Mapping[str, str] = field(default_factory=dict)

    def environment(self) -> dict[str, str]:
        """Everything that git sees: an allow-list, and the settings as numbered variables."""
        config = CONFIG | (self.access.config() if self.access else {})
        named = {name: os.environ[name] for name in INHERITED + INHERITED_TOO if name in os.environ}
        named |= {
            "HOME": os.devnull,
            "LC_ALL": "C",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_ASKPASS": "true",
            "GIT_LFS_SKIP_SMUDGE": "1",
            "GIT_CEILING_DIRECTORIES": str(self.directory.parent),
            "GIT_CONFIG_COUNT": str(len(config)),
        }
        for number, (key, value) in enumerate(config.items()):
            named[f"GIT_CONFIG_KEY_{number}"] = key
            named[f"GIT_CONFIG_VALUE_{number}"] = value
        return named | dict(self.extra)

    def run(self, *arguments: str, given: bytes = b"") -> str:
        """What git printed. Raises `GitHubRefused`, `GitHubUnavailable`, `GitFailed`."""
        status, out, err = self._process(["git", *arguments], given)
        if status != 0:
            raise git_error(arguments[0], self._told(err))
        return out.decode("utf-8", "surrogateescape").strip()

    def _process(self, command: Sequence[str], given: bytes) -> tuple[int, bytes, bytes]:
        process = subprocess.Popen(
            command,
            cwd=self.directory,
            env=self.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        with process:
            try:
                out, err = process.communicate(given, timeout=self.seconds)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise GitHubUnavailable(
                    f"`git {command[1]}` did not end within {self.seconds:.0f} seconds."
                ) from None
        return process.returncode, out, err

    def _told(self, err: bytes) -> str:
        """The end of what git complained of; a token in it is struck out, whoever wrote it."""
        told = err.decode("utf-8", "replace").strip()
        if self.access and self.access.token:
            secrets = [self.access.token.get_secret_value(), *self.access.config().values()]
            for secret in secrets:
                told = told.replace(secret, "***")
        return told[-OUTPUT_CHARS:]
