"""Children that end are started again; a stop ends them, and a dead parent does, too."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from app.runs import supervisor
from app.runs.supervisor import Child, Supervisor

SLEEPER = (sys.executable, "-c", "import time; time.sleep(600)")
STUBBORN = (
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN);"
    " print('up', flush=True); time.sleep(600)",
)
ENVIRONMENT = {"PATH": os.environ["PATH"]}


def until(happens: Callable[[], bool], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def pid_of(child: Child) -> int:
    assert child.pid is not None
    return child.pid


def test_a_child_that_dies_is_started_again_after_a_pause() -> None:
    child = Child("sleeper", SLEEPER, ENVIRONMENT)
    with Supervisor([child]) as house:
        first = pid_of(child)
        os.kill(first, signal.SIGKILL)
        died = time.monotonic()
        until(lambda: pid_of(child) != first)
        assert time.monotonic() - died >= supervisor.FIRST_PAUSE * 0.9
        second = pid_of(child)
        assert alive(second)
    assert not alive(second)
    assert house.orderly


def test_the_pauses_grow_and_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "FIRST_PAUSE", 0.05)
    monkeypatch.setattr(supervisor, "LONGEST_PAUSE", 0.4)
    began: list[float] = []
    child = Child("brief", (sys.executable, "-S", "-c", ""), ENVIRONMENT, _pause=0.05)
    start = child.start

    def noted() -> None:
        began.append(time.monotonic())
        start()

    deadline = time.monotonic() + 20
    noted()
    pid = child.pid
    while len(began) < 6 and time.monotonic() < deadline:
        child.keep_alive()
        if child.pid != pid:
            pid = child.pid
            began.append(time.monotonic())
        time.sleep(0.005)
    gaps = [after - before for before, after in pairwise(began)]
    assert gaps[3] > gaps[0]
    assert all(gap < 5 for gap in gaps)
    child.end_within(5)


def test_a_child_that_does_not_listen_is_ended_by_force_and_that_is_said() -> None:
    child = Child("stubborn", STUBBORN, ENVIRONMENT)
    with Supervisor([child], grace=0.5) as house:
        pid = pid_of(child)
        time.sleep(1)  # its handler has to be in place
    assert not alive(pid)
    assert not house.orderly


PARENT = """
import sys, time
from app.runs.logs import log_to_stderr
from app.runs.supervisor import Child, Supervisor
code = "import sys, time; from app.runs.orphan import end_with_parent; end_with_parent(); "
code += "print('up', flush=True); time.sleep(600)"
log_to_stderr()
child = Child("c", (sys.executable, "-c", code, *sys.argv[1:]), {"PATH": "/usr/bin:/bin"})
with Supervisor([child]):
    print(child.pid, flush=True)
    time.sleep(600)
"""


@pytest.mark.parametrize(("flag", "survives"), [("--supervised", False), ("--alone", True)])
def test_children_end_with_a_killed_parent_and_only_if_supervised(
    flag: str, survives: bool
) -> None:
    """The second case is the control: without the flag the child is left behind."""
    root = Path(__file__).parents[2]
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, flag], cwd=root, stdout=subprocess.PIPE, text=True
    )
    with parent:
        try:
            assert parent.stdout is not None
            pid = int(parent.stdout.readline())
            assert parent.stdout.readline() == "up\n"
        finally:
            parent.kill()
    try:
        if survives:
            time.sleep(2)
            assert alive(pid)
        else:
            until(lambda: not alive(pid))
    finally:
        if alive(pid):
            os.kill(pid, signal.SIGKILL)
