"""One run in the hands of a worker: its row, its files, its issue on GitHub, its story."""

from dataclasses import dataclass
from functools import cached_property
from time import time

from app.github.client import InstallationClient
from app.report.story import Earlier, Story
from app.report.words import storable
from app.runs.files import RunFiles
from app.runs.rows import RunRow
from app.services import WorkerServices
from sandbox.events import Event
from sandbox.ground import Environment, Ground, Orders, Worked
from sandbox.proof import Proof
from sandbox.proposer import Task


@dataclass(frozen=True)
class Run:
    """A view that lives as long as one step; all that lasts is in the store and the files."""

    run_id: str
    services: WorkerServices

    @property
    def row(self) -> RunRow:
        """The row as it is now."""
        return self.services.store.run(self.run_id)

    @property
    def files(self) -> RunFiles:
        """The directory of this run."""
        return RunFiles(self.services.settings.run_dir(self.run_id))

    @cached_property
    def where(self) -> tuple[str, str, int]:
        """Owner, repository, issue: what every call to GitHub begins with."""
        row = self.row
        return row.owner, row.repo, row.issue

    @cached_property
    def github(self) -> InstallationClient:
        """GitHub with no more rights than this repository."""
        row = self.row
        return self.services.github.installation(row.installation_id, row.repo)

    def say(self, stage: str, text: str, **data: object) -> None:
        """Tell those who watch the run."""
        self.services.store.add_event(self.run_id, stage, storable(text), data)

    def watch(self, event: Event) -> None:
        """Pass on what the sandbox says."""
        data = dict(event.data)
        self.services.store.add_event(self.run_id, event.stage, storable(event.text), data)

    def task(self) -> Task:
        """The issue as it was frozen. Raises `LookupError` before it was."""
        frozen = self.files.read_json("issue")
        if frozen is None:
            raise LookupError("the issue was not frozen yet")
        return Task(frozen["title"], frozen["body"])

    def orders(self) -> Orders:
        """What the sandbox is told to do and how long it may take."""
        settings = self.services.settings
        return Orders(
            task=self.task(),
            attempts=settings.attempts,
            patience=settings.patience,
            seconds=settings.run_seconds,
            candidate_runs=settings.candidate_runs,
        )

    def environment(self) -> Environment | None:
        """What the environment stage left."""
        found = self.files.read_json("environment")
        return Environment.from_json(found) if found else None

    def ground(self) -> Ground | None:
        """What the baseline left."""
        found = self.files.read_json("ground")
        return Ground.from_json(found) if found else None

    def worked(self) -> Worked | None:
        """What the loop left."""
        found = self.files.read_json("worked")
        return Worked.from_json(found) if found else None

    def proof(self) -> Proof | None:
        """What the proof left."""
        found = self.files.read_json("proof")
        return Proof.from_json(found) if found else None

    def story(self) -> Story:
        """Everything that texts are made of."""
        row, settings = self.row, self.services.settings
        public = settings.public_url
        branch = (self.files.read_json("branch") or {}).get("name", "")
        return Story(
            run_id=self.run_id,
            owner=row.owner,
            repo=row.repo,
            issue=row.issue,
            title=row.title,
            asked_by=row.sender,
            label=row.label,
            live_url=f"{public}/runs/{self.run_id}" if public else None,
            base_sha=row.base_sha,
            branch=branch,
            pull_number=row.pull_number,
            ground=self.ground(),
            worked=self.worked(),
            proof=self.proof(),
            seconds=time() - row.created,
            earlier=self._earlier(row),
        )

    def _earlier(self, row: RunRow) -> Earlier | None:
        """The last run on this issue that came to an outcome."""
        for other in self.services.store.runs(limit=1000):
            same = (other.owner, other.repo, other.issue) == (row.owner, row.repo, row.issue)
            if same and other.outcome and other.created < row.created:
                return Earlier(other.outcome, other.pull_number)
        return None
