"""The whole house on loopback: a local GitHub, the served App, and repositories to label."""

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from app.fakehub import AppCredentials, FakeHub, PullView
from app.github.manifest import app_manifest
from app.runs.rows import RunRow
from app.runs.serve import web_environment, worker_environment
from app.runs.store import Store

OWNER, PERSON, STRANGER = "ada", "grace", "eve"
SERVE = (sys.executable, "-c", "import sys; from app.runs.serve import serve; sys.exit(serve())")
WORKER = (sys.executable, "-m", "app.runs.worker")
BUGGY = {
    "pricing.py": "def cheaper(one, other):\n    return one if one > other else other\n",
    "tests/test_pricing.py": "from pricing import cheaper\n\n\n"
    "def test_cheaper():\n    assert cheaper(1, 2) == 1\n\n\n"
    "def test_same():\n    assert cheaper(3, 3) == 3\n",
    "README.md": "A repository with a bug.\n",
    "conftest.py": "",
}

FIX = """\
--- a/pricing.py
+++ b/pricing.py
@@ -1,2 +1,2 @@
 def cheaper(one, other):
-    return one if one > other else other
+    return one if one < other else other
"""
CHEAT = """\
--- a/tests/test_pricing.py
+++ b/tests/test_pricing.py
@@ -4,2 +4,2 @@
 def test_cheaper():
-    assert cheaper(1, 2) == 1
+    assert cheaper(1, 2) == 2
"""


def lay(root: Path, files: Mapping[str, str]) -> Path:
    """Write files below `root`."""
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@dataclass
class House:
    """A local GitHub with one App, and the processes of that App."""

    root: Path
    hub: FakeHub
    app: AppCredentials
    port: int
    stack: ExitStack
    settings: dict[str, str] = field(default_factory=dict)
    processes: "list[subprocess.Popen[bytes]]" = field(default_factory=list)

    @property
    def data(self) -> Path:
        """The data directory of the App."""
        return self.root / "data"

    @property
    def asked(self) -> Path:
        """What the proposer of the served house leaves when it is asked."""
        return self.root / "asked"

    @property
    def store(self) -> Store:
        """The App's database."""
        return Store(self.data / "patchwright.db")

    def environment(self) -> dict[str, str]:
        """What somebody who runs the App would set."""
        settings = {
            "APP_ID": str(self.app.app_id),
            "PRIVATE_KEY": self.app.private_key_pem,
            "WEBHOOK_SECRET": self.app.webhook_secret,
            "GITHUB_API_URL": self.hub.api_url,
            "GITHUB_URL": self.hub.url,
            "DATA_DIR": str(self.data),
            "PORT": str(self.port),
            "PUBLIC_URL": f"http://127.0.0.1:{self.port}",
            **self.settings,
        }
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("PATCHWRIGHT_")}
        return inherited | {f"PATCHWRIGHT_{name}": value for name, value in settings.items()}

    def repository(self, name: str, files: Mapping[str, str] | None) -> int:
        """A repository with these files and one issue; returns the issue's number."""
        source = lay(self.root / "sources" / name, files) if files is not None else None
        self.hub.create_repository(OWNER, name, source)
        self.hub.install_app(self.app.app_id, OWNER, [name])
        self.hub.add_collaborator(OWNER, name, PERSON, "write")
        return self.hub.create_issue(OWNER, name, "cheaper() is wrong", "It says 2.", author=PERSON)

    def replay(self, *diffs: str) -> None:
        """Let the proposer answer with these diffs, one after the other."""
        lines = [json.dumps({"kind": "diff", "text": diff}) for diff in diffs]
        recording = self.root / "replies.jsonl"
        recording.write_text("\n".join(lines), encoding="utf-8")
        self.settings["PROPOSER"] = f"replay:{recording}"

    def serve(self, **other: str) -> "subprocess.Popen[bytes]":
        """`patchwright serve`, ready for deliveries; `other` are more environment variables."""
        process = self.spawn(SERVE, self.environment() | other)
        self.until(self.listening, "the web process listens")
        return process

    def worker(self, command: tuple[str, ...] = WORKER) -> "subprocess.Popen[bytes]":
        """The worker process alone."""
        return self.spawn(command, worker_environment(self.environment()))

    def open_for_business(self) -> None:
        """Serve, and let the webhooks of the App come here."""
        self.serve()
        address = f"http://127.0.0.1:{self.port}/webhook"
        self.hub.set_webhook_url(self.app.app_id, address)

    def web(self) -> "subprocess.Popen[bytes]":
        """The web process alone, ready for deliveries."""
        command = (sys.executable, "-m", "app.web")
        process = self.spawn(command, web_environment(self.environment()))
        self.until(self.listening, "the web process listens")
        return process

    def spawn(
        self, command: tuple[str, ...], environment: Mapping[str, str]
    ) -> "subprocess.Popen[bytes]":
        """A process of the house; its log is kept and it is ended with the house."""
        log = self.stack.enter_context((self.root / "serve.log").open("ab"))
        process = subprocess.Popen(
            command, env=dict(environment), stdout=log, stderr=log, cwd=Path(__file__).parents[2]
        )
        self.processes.append(process)
        return process

    def listening(self) -> bool:
        """Whether the web process takes connections."""
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.port)) == 0

    def until(self, happens: Callable[[], bool], what: str, seconds: float = 120.0) -> None:
        """Wait for something, else fail with what the processes said."""
        deadline = time.monotonic() + seconds
        while not happens():
            if time.monotonic() > deadline:
                pytest.fail(f"not within {seconds} s: {what}\n{self.said()}")
            time.sleep(0.05)

    def death_of(self, process: "subprocess.Popen[bytes]") -> None:
        """Wait until a process has ended."""
        self.until(lambda: process.poll() is not None, f"process {process.pid} ends")

    def said(self) -> str:
        """The log of the processes."""
        log = self.root / "serve.log"
        return log.read_text(encoding="utf-8", errors="replace")[-8_000:] if log.exists() else ""

    def children(self) -> dict[str, int]:
        """The live processes of the served house by module, as the kernel lists them."""
        pids: list[str] = []
        for task in Path(f"/proc/{self.processes[0].pid}/task").iterdir():
            pids += (task / "children").read_text().split()
        commands = {pid: Path(f"/proc/{pid}/cmdline").read_text().split("\0") for pid in pids}
        # A zombie has no command line.
        return {words[2]: int(pid) for pid, words in commands.items() if len(words) > 2}

    def label(self, name: str, issue: int, actor: str = PERSON) -> None:
        """Put the trigger label; the webhook goes out as it does on GitHub."""
        self.hub.label_issue(OWNER, name, issue, "patchwright", actor=actor)

    def run_of(self, name: str) -> RunRow:
        """The newest run in a repository, once there is one."""
        self.until(lambda: bool(self._rows(name)), f"a run for {name}")
        return self._rows(name)[0]

    def _rows(self, name: str) -> list[RunRow]:
        return [row for row in self.store.runs() if row.repo == name]

    def ended(self, name: str, seconds: float = 400.0) -> RunRow:
        """The newest run in a repository, once it is over."""
        run = self.run_of(name)
        self.until(lambda: self.store.run(run.run_id).state.final, f"{name} ends", seconds)
        return self.store.run(run.run_id)

    def comment(self, name: str, issue: int) -> str:
        """The App's comment; fails unless there is exactly one."""
        comments = self.hub.issue_comments(OWNER, name, issue)
        assert [one.author for one in comments] == ["patchwright[bot]"], comments
        return comments[0].body

    def only_pull(self, name: str) -> PullView:
        """The one pull request of a repository and its one branch beside main."""
        pulls, branches = self.hub.pulls(OWNER, name), self.hub.branches(OWNER, name)
        assert len(pulls) == 1, pulls
        assert sorted(branches) == ["main", pulls[0].head]
        assert branches[pulls[0].head] == pulls[0].head_sha
        return pulls[0]

    def untouched(self, name: str) -> None:
        """Fails when a branch or a pull request was made."""
        assert self.hub.pulls(OWNER, name) == []
        assert set(self.hub.branches(OWNER, name)) <= {"main"}

    def close(self) -> None:
        """End what still runs."""
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.processes:
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def built(root: Path, stack: ExitStack) -> House:
    """A house in `root`, with its local GitHub started."""
    hub = stack.enter_context(FakeHub(root / "hub"))
    for login in (OWNER, PERSON, STRANGER):
        hub.create_user(login)
    port = free_port()
    app = hub.create_app(
        "patchwright",
        webhook_url=None,
        webhook_secret=secrets.token_hex(16),
        permissions=app_manifest().permissions,
        events=["issues"],
    )
    house = House(root, hub, app, port, stack)
    stack.callback(house.close)
    return house


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """An empty house: nothing is served yet."""
    with ExitStack() as stack:
        yield built(tmp_path, stack)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house that is open for business, for all tests of a module; a run may take 8 seconds.

    Its proposer answers nothing, but leaves a file `asked`.
    """
    with ExitStack() as stack:
        house = built(tmp_path_factory.mktemp("served"), stack)
        house.settings["RUN_SECONDS"] = "8"
        house.settings["PROPOSER"] = f"command:touch {house.asked}"
        house.settings["ALLOW_COMMAND_PROPOSER"] = "true"
        house.open_for_business()
        yield house


@pytest.fixture
def fix() -> str:
    """The diff that mends `buggy`."""
    return FIX


@pytest.fixture
def cheat() -> str:
    """A diff that makes the test of `buggy` pass by changing the test."""
    return CHEAT


@pytest.fixture
def buggy() -> dict[str, str]:
    """A small repository with one wrong operator and a test that shows it."""
    return dict(BUGGY)
