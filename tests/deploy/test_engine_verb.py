"""`make engine`: leaves an engine that answers alone, and starts its own where none does."""

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import docker
import pytest

from sandbox.images import ImageRef

pytestmark = pytest.mark.docker

CONFIG = Path("/etc/docker/daemon.json")


def make_sure(
    repo_root: Path, *prefix: str, **environment: str
) -> "subprocess.CompletedProcess[str]":
    """The outcome of the script behind `make engine`, standard error in standard output."""
    return subprocess.run(
        [*prefix, str(repo_root / "manifests/deploy/engine.sh")],
        env={**os.environ, **environment},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=120,
        check=False,
    )


def test_an_engine_that_answers_is_not_touched(
    repo_root: Path, engine: "docker.DockerClient", image: ImageRef
) -> None:
    held = engine.containers.create(image.id, ["sleep", "60"], network_mode="none")
    try:
        held.start()
        before = _traces(engine, held.id)
        told = make_sure(repo_root)
        assert told.returncode == 0
        assert told.stdout.startswith(f"Docker engine {engine.version()['Version']} answers at ")
        assert _traces(engine, held.id) == before
    finally:
        held.remove(force=True)


def _traces(engine: "docker.DockerClient", container: str) -> tuple[object, ...]:
    about = engine.info()
    state = engine.containers.get(container).attrs["State"]
    config = CONFIG.stat().st_mtime_ns if CONFIG.exists() else None
    runtimes = sorted(about["Runtimes"])
    return about["ID"], runtimes, state["Pid"], state["StartedAt"], config


def test_an_address_without_an_engine_is_told_and_nothing_started(
    repo_root: Path, tmp_path: Path
) -> None:
    address = f"unix://{tmp_path}/none.sock"
    told = make_sure(repo_root, DOCKER_HOST=address)
    assert told.returncode == 1
    assert told.stdout == (
        f"DOCKER_HOST names {address}, but no engine answers there: start it, or unset "
        "DOCKER_HOST.\n"
    )
    assert list(tmp_path.iterdir()) == []


@dataclass
class OwnEngine:
    """An engine beside the usual one: own socket, configuration, data, processes and network.

    Its own network namespace is a must: a daemon without a bridge removes docker0 where it starts,
    and one with a bridge would take over docker0 and its firewall rules.
    """

    home: Path
    root: Path
    seen: list[int] = field(default_factory=list)

    @property
    def config(self) -> Path:
        """Its daemon.json."""
        return self.home / "etc" / "daemon.json"

    def make_sure(self) -> "subprocess.CompletedProcess[str]":
        """`make engine` for this engine alone."""
        options = f"--bridge=none --iptables=false --data-root={self.home}/data"
        told = make_sure(
            self.root,
            "unshare",
            "--net",
            DOCKER_HOST="",
            PATCHWRIGHT_ENGINE_RUN=str(self.home),
            PATCHWRIGHT_ENGINE_CONFIG=str(self.config),
            PATCHWRIGHT_ENGINE_LOG=f"{self.home}/log",
            PATCHWRIGHT_ENGINE_OPTIONS=options,
        )
        self.seen.append(self.pid())
        return told

    def pid(self, name: str = "docker.pid") -> int:
        """The process id that a file of the engine's holds, 0 where there is none."""
        with contextlib.suppress(FileNotFoundError):
            return int((self.home / name).read_text())
        return 0

    def end(self, how: signal.Signals, name: str = "docker.pid") -> None:
        """Send its daemon (or the process of another file) a signal and wait until it is gone."""
        pid = self.pid(name)
        if pid and _lives(pid):
            os.kill(pid, how)
            _until(lambda: not _lives(pid))

    def remove(self) -> None:
        """End all of it and remove what it kept, also after it was killed."""
        self.end(signal.SIGTERM)
        self.end(signal.SIGKILL, "docker/containerd/containerd.pid")
        mounts = [line.split()[1] for line in Path("/proc/self/mounts").read_text().splitlines()]
        for mount in sorted(path for path in mounts if path.startswith(f"{self.home}/"))[::-1]:
            subprocess.run(["umount", "--lazy", mount], check=True)
        shutil.rmtree(self.home)


def _lives(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def _until(holds: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not holds() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert holds()


@pytest.fixture
def own(repo_root: Path) -> Iterator[OwnEngine]:
    """An engine of the test's own, not started yet; ended with all it left."""
    if os.getuid() != 0 or shutil.which("dockerd") is None or shutil.which("apt-get") is None:
        pytest.skip("starting an engine needs root, Debian or Ubuntu, and dockerd")
    # Not in pytest's directory: the address of a socket has at most 107 bytes.
    engine = OwnEngine(Path(tempfile.mkdtemp(prefix="pw-engine-")), repo_root)
    usual = _bridges()
    yield engine
    engine.remove()
    assert _bridges() == usual


def _bridges() -> set[str]:
    return {path.parent.name for path in Path("/sys/class/net").glob("*/bridge")}


@pytest.mark.timeout(300)
def test_an_own_engine_is_started_once_and_again_after_it_died(own: OwnEngine) -> None:
    own.config.parent.mkdir()
    own.config.write_text('{"debug": false}\n')
    first = own.make_sure()
    assert first.returncode == 0, first.stdout
    assert "Starting the Docker engine: done" in first.stdout
    again = own.make_sure()
    assert again.returncode == 0
    assert "Starting" not in again.stdout
    own.end(signal.SIGKILL)
    third = own.make_sure()
    assert third.returncode == 0, third.stdout
    assert own.seen[0] == own.seen[1] != own.seen[2]
    assert own.config.read_text() == '{"debug": false}\n'


@pytest.mark.timeout(300)
def test_an_engine_without_a_configuration_learns_of_gvisor(own: OwnEngine) -> None:
    if shutil.which("runsc") is None:
        pytest.skip("runsc is not installed")
    told = own.make_sure()
    assert told.returncode == 0, told.stdout
    client = docker.DockerClient(base_url=f"unix://{own.home}/docker.sock")
    runsc = client.info()["Runtimes"]["runsc"]
    client.close()
    assert runsc["runtimeArgs"] == ["--platform=ptrace", "--network=none"]


@pytest.mark.timeout(300)
def test_an_engine_that_cannot_start_is_told_with_its_own_words(own: OwnEngine) -> None:
    own.config.parent.mkdir()
    own.config.write_text('{"no-such-setting": true}\n')
    told = own.make_sure()
    assert told.returncode == 1
    assert "no-such-setting" in told.stdout
    assert f"The Docker engine does not start: its log is {own.home}/log" in told.stdout
