"""What the tests of the client and of git need to know of the local GitHub."""

from dataclasses import dataclass
from pathlib import Path

from pydantic import SecretStr

from app.fakehub import AppCredentials, FakeHub
from app.github.client import AppClient, InstallationClient
from app.github.transport import CappedRetry

IMPATIENT = CappedRetry(tries=2, cap_seconds=0.5, base_seconds=0.01)


@dataclass(frozen=True)
class Place:
    """Everything a test needs to know of the local GitHub."""

    hub: FakeHub
    credentials: AppCredentials
    installation_id: int
    issue: int

    @property
    def url(self) -> str:
        return f"{self.hub.url}/ada/rrule.git"

    def app(self) -> AppClient:
        """A new client, so that no token of another test is in it."""
        return AppClient(
            app_id=self.credentials.app_id,
            private_key=SecretStr(self.credentials.private_key_pem),
            api_url=self.hub.api_url,
            retry=IMPATIENT,
        )

    def client(self, repository: str | None = "rrule") -> InstallationClient:
        return self.app().installation(self.installation_id, repository)

    def paths(self, method: str) -> list[str]:
        return [path for verb, path, _ in self.hub.requests() if verb == method]


def source(directory: Path) -> Path:
    directory.mkdir()
    (directory / "rrule.py").write_text("def last(day):\n    return day - 1\n")
    (directory / "run.sh").write_text("#!/bin/sh\n")
    (directory / "run.sh").chmod(0o755)
    (directory / "crlf.txt").write_bytes(b"one\r\ntwo\r\n")
    (directory / "bytes.bin").write_bytes(bytes(range(256)))
    (directory / "ümlaut.txt").write_text("ü\n", encoding="utf-8")
    return directory
