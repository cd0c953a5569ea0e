"""A worker's services over a real local GitHub, with an engine that never answers."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest
from pydantic import SecretStr

from app.fakehub import AppCredentials, FakeHub
from app.github.client import AppClient
from app.github.manifest import app_manifest
from app.runs.rows import RunRow
from app.runs.run import Run
from app.runs.store import Store
from app.services import WorkerServices
from app.settings import WorkerSettings, load
from handlers.intents import StartRun
from sandbox.executor.model import Finished, Isolation, Job, Limits, SandboxError
from sandbox.images.types import ImageRef


class DeadEngine:
    """What a worker meets when Docker is down."""

    def run(self, job: Job, limits: Limits, *, stopped: Callable[[], bool] = bool) -> Finished:
        raise SandboxError("the socket /var/run/secret.sock is not there")

    def probe(self, image: str, limits: Limits) -> Isolation:
        raise SandboxError("the socket /var/run/secret.sock is not there")

    def image(self, toolchain: str, progress: Callable[[str], None]) -> ImageRef:
        raise SandboxError("the socket /var/run/secret.sock is not there")

    def sweep(self) -> int:
        return 0


@dataclass
class Place:
    """A repository ada/shop on a local GitHub, with an App and its worker's services."""

    hub: FakeHub
    app: AppCredentials
    installation: int
    issue: int
    services: WorkerServices

    def run(
        self,
        sender: str = "grace",
        sender_type: str = "User",
        *,
        repo: str = "shop",
        issue: int | None = None,
    ) -> Run:
        """A run as the door accepts it."""
        number = self.issue if issue is None else issue
        words = (self.installation, "ada", repo, number, "a bug", sender, sender_type)
        run_id = uuid4().hex
        taken = self.services.store.accept(uuid4().hex, StartRun(*words, "patchwright"), run_id)
        assert taken == "accepted"
        return Run(run_id, self.services)

    def row(self, run: Run) -> RunRow:
        """The row of a run."""
        return self.services.store.run(run.run_id)

    def comments(self) -> list[str]:
        """What stands under the issue."""
        return [one.body for one in self.hub.issue_comments("ada", "shop", self.issue)]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """Everything but an engine."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "shop.py").write_text("PRICE = 1\n", encoding="utf-8")
    with FakeHub(tmp_path / "hub") as hub:
        for login in ("ada", "grace", "eve"):
            hub.create_user(login)
        hub.create_repository("ada", "shop", source)
        hub.add_collaborator("ada", "shop", "grace", "write")
        app = hub.create_app(
            "patchwright",
            webhook_url=None,
            webhook_secret="s",
            permissions=app_manifest().permissions,
            events=["issues"],
        )
        installation = hub.install_app(app.app_id, "ada", ["shop"])
        issue = hub.create_issue("ada", "shop", "a bug", "It is wrong.", author="grace")
        yield Place(hub, app, installation, issue, services_of(hub, app, tmp_path / "data"))


def services_of(hub: FakeHub, app: AppCredentials, data: Path) -> WorkerServices:
    """What `worker_services` builds, without an engine."""
    settings = load(
        WorkerSettings,
        app_id=app.app_id,
        private_key=SecretStr(app.private_key_pem),
        github_api_url=hub.api_url,
        github_url=hub.url,
        data_dir=data,
    )
    client = AppClient(
        app_id=app.app_id, private_key=settings.signing_key(), api_url=settings.github_api_url
    )
    return WorkerServices(settings, Store(settings.inbox), client, DeadEngine(), Limits())
