"""One fresh container a job: what is closed is closed, and it is open without the flag."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import docker
import pytest
from requests.exceptions import ReadTimeout

from sandbox.executor import limits as limits_module
from sandbox.executor.docker import DockerExecutor
from sandbox.executor.limits import host_config
from sandbox.executor.model import MIB, Finished, Job, Limits, NotIsolated, SandboxError
from sandbox.executor.owner import OWNER, RUN, is_gone, labels
from sandbox.ground import Orders
from sandbox.proposer import Task
from sandbox.session import Session
from tests.support.repositories import calc

pytestmark = pytest.mark.docker

LIMITS = Limits(seconds=30)


def job(image: str, tree: Path, script: str, **more: Any) -> Job:  # noqa: ANN401
    return Job(image, ("python3", "-c", script), tree, run_id="test-executor", **more)


Weaken = Callable[..., None]


@pytest.fixture
def weaken(monkeypatch: pytest.MonkeyPatch) -> Weaken:
    """Take flags away from the one builder of limits, and the check that they were taken."""

    def do(*dropped: str, user: str | None = None, **changed: object) -> None:
        def weaker(limits: Limits) -> dict[str, Any]:
            kept = {k: v for k, v in host_config(limits).items() if k not in dropped}
            return {**kept, **changed}

        monkeypatch.setattr("sandbox.executor.docker.host_config", weaker)
        monkeypatch.setattr("sandbox.executor.docker.read_back", lambda *_: {})
        if user:
            monkeypatch.setattr("sandbox.executor.docker.USER", user)

    return do


def run(executor: DockerExecutor, image: str, tree: Path, script: str) -> Finished:
    return executor.run(job(image, tree, script), LIMITS)


ATTACKS: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    # name: what prints "done" when it works, the flags that stop it, what stands in their place
    "network": (
        "import socket; names = [n for _, n in socket.if_nameindex()]\n"
        "print('done' if names != ['lo'] else 'closed')",
        ("network_mode",), {"network_mode": "host"},
    ),
    "become root": (
        "import os\ntry: os.setuid(0); print('done')\nexcept PermissionError: print('closed')",
        ("cap_drop", "security_opt"), {"user": "0:0"},
    ),
    "tamper with the runner": (
        "import _pytest\ntry: open(_pytest.__file__, 'a').close(); print('done')\n"
        "except OSError: print('closed')",
        (), {"user": "0:0"},
    ),
    "fork bomb": (
        "import os, time\ncount = 0\ntry:\n"
        "  for _ in range(400):\n    pid = os.fork()\n    if not pid: time.sleep(3); os._exit(0)\n"
        "    count += 1\nexcept OSError: pass\nprint('done' if count >= 400 else 'closed')",
        ("pids_limit",), {},
    ),
    "many descriptors": (
        "import os\nheld = []\ntry:\n  for _ in range(3000): held.append(os.dup(0))\n"
        "  print('done')\nexcept OSError: os.closerange(10, 4000); print('closed')",
        ("ulimits",), {},
    ),
    "a big file": (
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "try:\n  with open('/tmp/x', 'wb') as f: f.truncate(300 << 20)\n  print('done')\n"
        "except OSError: print('closed')",
        ("ulimits",), {},
    ),
    "fill the temporary folder": (
        "try:\n"
        "  for n in range(3):\n    with open(f'/tmp/{n}', 'wb') as f: f.write(b'x' * (100 << 20))\n"
        "  print('done')\nexcept OSError: print('closed')",
        ("tmpfs",), {},
    ),
    "mount": (
        "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
        "print('done' if libc.mount(b'none', b'/mnt', b'tmpfs', 0, None) == 0 else 'closed')",
        ("cap_drop", "security_opt"),
        {"user": "0:0", "cap_add": ["SYS_ADMIN"], "security_opt": ["apparmor=unconfined"]},
    ),
    "set the clock": (
        "import time\ntry: time.clock_settime(0, time.time()); print('done')\n"
        "except PermissionError: print('closed')",
        ("cap_drop",), {"user": "0:0", "cap_add": ["SYS_TIME"]},
    ),
    "reach the engine": (
        "import os; print('done' if os.path.exists('/var/run/docker.sock') else 'closed')",
        (), {"binds": ["/var/run/docker.sock:/var/run/docker.sock"]},
    ),
}  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
def test_attack_is_closed(
    executor: DockerExecutor, image: str, tmp_path: Path, attack: str
) -> None:
    script, _, _ = ATTACKS[attack]
    assert run(executor, image, tmp_path, script).output.split()[-1:] == [b"closed"]


@pytest.mark.parametrize("attack", ATTACKS)
def test_control_without_the_flag_the_attack_works(
    executor: DockerExecutor, image: str, tmp_path: Path, attack: str, weaken: Weaken
) -> None:
    script, dropped, instead = ATTACKS[attack]
    weaken(*dropped, **instead)
    assert run(executor, image, tmp_path, script).output.split()[-1:] == [b"done"]


def test_the_environment_of_the_bot_stays_outside(
    executor: DockerExecutor, image: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATCHWRIGHT_PRIVATE_KEY", "hunter2")
    seen = run(executor, image, tmp_path, "import os; print(dict(os.environ))").output
    assert b"hunter2" not in seen
    assert b"PYTHONHASHSEED" in seen


def test_links_out_of_the_tree_carry_nothing_in(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("hunter2")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "link").symlink_to(tmp_path / "secret")
    (tree / ".git").mkdir()
    (tree / ".git" / "config").write_text("hunter2")
    script = "import os; print(os.path.lexists('link'), os.path.exists('link'), os.listdir('.'))"
    output = run(executor, image, tree, script).output.decode()
    assert output.split()[:2] == ["True", "False"]
    assert ".git" not in output


def test_a_report_that_is_a_link_or_too_big_does_not_come_out(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    script = (
        "import os\nos.symlink('/etc/passwd', '/report/junit.xml')\n"
        "open('/report/records.jsonl', 'w').write('x')\n"
    )
    wanted = ("junit.xml", "records.jsonl")
    ended = executor.run(job(image, tmp_path, script, collect=wanted), LIMITS)
    assert dict(ended.files) == {"records.jsonl": b"x"}
    sparse = "open('/report/junit.xml', 'wb').truncate(200 << 20)"
    ended = executor.run(job(image, tmp_path, sparse, collect=wanted), LIMITS)
    assert (dict(ended.files), ended.output_capped) == ({}, True)


def test_ignoring_sigterm_does_not_help(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    script = "import signal, time; signal.signal(15, signal.SIG_IGN); time.sleep(60)"
    ended = executor.run(job(image, tmp_path, script), replace(LIMITS, seconds=1))
    assert ended.timed_out
    assert ended.seconds < 15


def test_a_person_can_stop_a_job(executor: DockerExecutor, image: str, tmp_path: Path) -> None:
    told = threading.Event()
    threading.Timer(1, told.set).start()
    slow = job(image, tmp_path, "import time; time.sleep(60)")
    ended = executor.run(slow, LIMITS, stopped=told.is_set)
    assert ended.stopped
    assert ended.seconds < 15


def test_a_busy_engine_does_not_take_the_deadline_away(
    executor: DockerExecutor, image: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A watchdog that dies of one slow answer would leave the job without any bound."""

    def busy(*_: object, **__: object) -> None:
        raise ReadTimeout("the engine is busy")

    monkeypatch.setattr(docker.APIClient, "containers", busy)
    slow = job(image, tmp_path, "import time; time.sleep(40)")
    ended = executor.run(slow, replace(LIMITS, seconds=3))
    assert ended.timed_out
    assert ended.seconds < 20


def test_the_tree_itself_is_not_what_the_job_wrote(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    (tmp_path / "data.bin").write_bytes(os.urandom(24 * MIB))
    limits = replace(LIMITS, disk=8 * MIB)
    assert not executor.run(job(image, tmp_path, "import time; time.sleep(3)"), limits).disk_capped
    writes = "import time; open('x', 'wb').write(b'x' * (16 << 20)); time.sleep(20)"
    assert executor.run(job(image, tmp_path, writes), limits).disk_capped


def test_a_tree_that_cannot_be_read_is_not_the_engines_fault(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    with pytest.raises(SandboxError, match="cannot be read"):
        run(executor, image, tmp_path / "absent", "1")


def mine(executor: DockerExecutor, run_id: str) -> list[dict[str, Any]]:
    found = executor.api.containers(all=True, filters={"label": f"{RUN}={run_id}"})
    return list(found)


def test_nothing_is_left_behind_however_it_ends(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    unique = f"left-{os.getpid()}"
    fine = Job(image, ("true",), tmp_path, run_id=unique)
    executor.run(fine, LIMITS)
    with pytest.raises(SandboxError):
        executor.run(replace(fine, argv=("/no/such/program",), tree=tmp_path / "absent"), LIMITS)
    assert mine(executor, unique) == []


def test_what_a_job_leaves_running_ends_with_it(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    """A forger in the background is dead before the report is read."""
    script = (
        "import os, time\n"
        "open('/report/junit.xml', 'w').write('honest')\n"
        "if os.fork() == 0:\n"
        "  os.setsid(); time.sleep(0.5); open('/report/junit.xml', 'w').write('forged')\n"
    )
    ended = executor.run(job(image, tmp_path, script, collect=("junit.xml",)), LIMITS)
    assert ended.files == {"junit.xml": b"honest"}


HOLDER = """
import sys
from pathlib import Path
from sandbox.executor.docker import DockerExecutor
from sandbox.executor.model import Job, Limits
argv = ("sleep", "120")
DockerExecutor().run(Job(sys.argv[1], argv, Path(sys.argv[2]), run_id=sys.argv[3]), Limits())
"""


def test_a_container_dies_with_its_bot_and_is_swept(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    unique = f"orphan-{os.getpid()}"
    command = [sys.executable, "-c", HOLDER, image, str(tmp_path), unique]
    holder = subprocess.Popen(command)
    await_that(lambda: [c["State"] for c in mine(executor, unique)] == ["running"])
    executor.sweep()
    assert len(mine(executor, unique)) == 1, "a living bot's container was swept"
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    await_that(lambda: mine(executor, unique)[0]["State"] == "exited")
    assert executor.sweep() >= 1
    assert mine(executor, unique) == []


def await_that(holds: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that"
        time.sleep(0.1)


def test_a_reused_process_id_is_not_the_owner() -> None:
    own = labels("r")
    assert not is_gone(own)
    boot, pid, _ = own[OWNER].split(":")
    assert is_gone({**own, OWNER: f"{boot}:{pid}:1"})
    assert is_gone({**own, OWNER: "another-boot:1:1"})
    assert not is_gone({**own, OWNER: "x:1:1", "patchwright.host": "elsewhere"})


def test_an_unknown_runtime_is_refused(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    with pytest.raises(SandboxError, match=r"(?i)runtime"):
        executor.run(job(image, tmp_path, "1"), replace(LIMITS, runtime="kata"))


def test_a_limit_that_the_engine_did_not_take_is_refused(
    executor: DockerExecutor, image: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parameter that does nothing: dropped on the way, found when it is read back."""
    names = ("network_mode", "cap_drop", "security_opt", "pids_limit", "nano_cpus")
    for dropped in (*names, "ulimits", "tmpfs"):
        kept = {k: v for k, v in host_config(LIMITS).items() if k != dropped}
        monkeypatch.setattr("sandbox.executor.docker.host_config", lambda _, kept=kept: kept)
        with pytest.raises(SandboxError, match="did not take the limits"):
            run(executor, image, tmp_path, "1")


@pytest.mark.parametrize("runtime", ["runc", "runsc"])
def test_isolation_is_proved_from_inside(
    executor: DockerExecutor, image: str, runtime: str
) -> None:
    if runtime not in executor.runtimes():
        pytest.skip(f"the engine has no {runtime}")
    isolation = executor.probe(image, replace(LIMITS, runtime=runtime))
    assert isolation.proved, isolation.detail
    assert isolation.facts["engine"]["Runtime"] == runtime


class Renamed(DockerExecutor):
    """An engine whose `runsc` is really runc: it says the one and starts the other."""

    def run(self, job: Job, limits: Limits, **more: Any) -> Finished:  # noqa: ANN401
        ended = super().run(job, replace(limits, runtime="runc"), **more)
        return replace(ended, container={**ended.container, "Runtime": limits.runtime})


def test_a_runtime_that_is_not_what_its_name_says_is_refused(image: str, tmp_path: Path) -> None:
    renamed = Renamed()
    gvisor = replace(LIMITS, runtime="runsc")
    isolation = renamed.probe(image, gvisor)
    assert not isolation.proved
    assert "gVisor" in isolation.detail
    session = Session(calc(tmp_path / "source"), renamed, gvisor)
    with pytest.raises(NotIsolated, match="runsc"):
        session.baseline(session.environment(), Orders(Task("t")))
    renamed.close()


def test_limits_of_gvisor_leave_room_for_its_own_threads() -> None:
    tight = Limits(pids=64, memory=128 * MIB, runtime="runsc")
    assert limits_module.host_config(tight)["pids_limit"] >= 1024
    assert limits_module.host_config(tight)["mem_limit"] >= 512 * MIB
