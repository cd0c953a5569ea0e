"""`patchwright demo`: a local GitHub, a real bug, a label, and what happens then, live."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path
from typing import Annotated
from urllib.error import URLError
from urllib.request import urlopen

import typer

from app.cli.console import follow, note
from app.cli.status import Exit
from app.errors import UserError
from app.fakehub import FakeHub
from app.github.manifest import app_manifest
from app.runs.rows import RunRow
from app.runs.store import Store

OWNER, REPO, LABEL = "ada", "booking", "patchwright"
SOURCE_FIX = ["booking/period.py"]
PATIENCE = 600.0


@dataclass(frozen=True)
class Stage:
    """Where the demo plays: its folder, the local GitHub and Patchwright's own pages."""

    home: Path
    hub: FakeHub
    pages: str

    @property
    def store(self) -> Store:
        """The App's own database, which the demo only reads."""
        return Store(self.home / "data" / "patchwright.db")


def demo(
    leave: Annotated[
        bool, typer.Option("--exit", help="end by itself, status 0 if all is well")
    ] = False,
    proposer: Annotated[str, typer.Option(help="search, gemini, replay:FILE")] = "search",
    runtime: Annotated[str, typer.Option(help="runc or runsc")] = "runc",
) -> int:
    """Show the main job from label to pull request; no key and no account is needed."""
    with (
        tempfile.TemporaryDirectory(prefix="patchwright-demo-") as folder,
        stage(Path(folder), proposer, runtime) as at,
    ):
        number = report_bug(at.hub)
        note(f"issue  {at.hub.url}/{OWNER}/{REPO}/issues/{number}")
        at.hub.label_issue(OWNER, REPO, number, LABEL, actor=OWNER)
        note(f'label  "{LABEL}", set by {OWNER}')
        row = _watch(at)
        faults = _faults(at.hub)
        _say_where(at, number, row, faults)
        if not leave:
            _wait_for_a_person()
    return Exit.FAILURE if faults else Exit.OK


@contextmanager
def stage(home: Path, proposer: str, runtime: str) -> Iterator[Stage]:
    """A local GitHub with the demo repository, and Patchwright installed on it and running."""
    secret, port = secrets.token_hex(16), _free_port()
    pages = f"http://127.0.0.1:{port}"
    with FakeHub(home / "hub") as hub:
        hub.create_user(OWNER)
        app = hub.create_app(
            "patchwright",
            webhook_url=f"{pages}/webhook",
            webhook_secret=secret,
            permissions=app_manifest().permissions,
            events=app_manifest().events,
        )
        with as_file(files("manifests").joinpath("demo", "repository")) as source:
            hub.create_repository(OWNER, REPO, source)
        hub.create_label(OWNER, REPO, LABEL, color="1a7f37", description="Ask for a proved fix")
        settings = {
            "APP_ID": str(app.app_id),
            "PRIVATE_KEY": app.private_key_pem,
            "WEBHOOK_SECRET": secret,
            "GITHUB_API_URL": hub.api_url,
            "GITHUB_URL": hub.url,
            "PUBLIC_URL": pages,
            "PORT": str(port),
            "DATA_DIR": str(home / "data"),
            "PROPOSER": proposer,
            "RUNTIME": runtime,
        }
        with _served(home, settings, pages):
            hub.install_app(app.app_id, OWNER, [REPO])
            yield Stage(home, hub, pages)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def _served(home: Path, settings: dict[str, str], pages: str) -> Iterator[None]:
    """`patchwright serve` as an operator runs it, its log kept beside the data."""
    given = {f"PATCHWRIGHT_{name}": value for name, value in settings.items()}
    with (home / "serve.log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "app.cli", "serve"],
            env={**os.environ, **given},
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            _await_ready(server, pages, home / "serve.log")
            yield
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(30)


def _await_ready(server: "subprocess.Popen[bytes]", pages: str, log: Path) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urlopen(f"{pages}/readyz", timeout=2):  # noqa: S310 - our own address
                return
        except (URLError, OSError):
            time.sleep(0.1)
    tail = log.read_text(errors="replace")[-2000:]
    raise UserError(f"Patchwright did not start. The end of its log:\n{tail}")


def report_bug(hub: FakeHub) -> int:
    """Open the demo's issue and return its number."""
    text = files("manifests").joinpath("demo", "issue.md").read_text(encoding="utf-8")
    title, _, body = text.partition("\n")
    return hub.create_issue(OWNER, REPO, title.lstrip("# "), body.strip(), author=OWNER)


def _watch(at: Stage) -> RunRow:
    """Show the run's events as they come until it is over."""
    deadline, seen, store = time.monotonic() + PATIENCE, 0, at.store
    with follow("waiting for the webhook") as show:
        while time.monotonic() < deadline:
            rows = store.runs(limit=1)
            for event in store.events(rows[0].run_id, after=seen) if rows else []:
                seen = event.seq
                show(event.stage, event.text)
            if rows and rows[0].state.final:
                return rows[0]
            time.sleep(0.1)
    log = (at.home / "serve.log").read_text(errors="replace")[-2000:]
    raise UserError(f"The run did not end within {PATIENCE:.0f} s. The end of the log:\n{log}")


def _faults(hub: FakeHub) -> list[str]:
    """What is not as it must be: one open pull request that holds just the source fix."""
    pulls = hub.pulls(OWNER, REPO)
    if len(pulls) != 1 or pulls[0].state != "open":
        return [f"{len(pulls)} pull requests, one open one expected"]
    held = sorted(hub.pull_files(OWNER, REPO, pulls[0].number))
    return [] if held == SOURCE_FIX else [f"the pull request holds {held}, not {SOURCE_FIX}"]


def _say_where(at: Stage, number: int, row: RunRow, faults: list[str]) -> None:
    home = f"{at.hub.url}/{OWNER}/{REPO}"
    typer.echo(f"outcome       {row.outcome or row.state}: {row.sentence}")
    typer.echo(f"issue         {home}/issues/{number}")
    for pull in at.hub.pulls(OWNER, REPO):
        typer.echo(f"pull request  {home}/pull/{pull.number}")
    typer.echo(f"runs          {at.pages}/")
    for fault in faults:
        note(f"not as it must be: {fault}")


def _wait_for_a_person() -> None:
    note("Everything stays up until Ctrl-C.")
    try:
        signal.pause()
    except KeyboardInterrupt:
        note("stopping")
