"""Whose container it is, in a form that survives a reused process id."""

import os
import socket
from functools import cache
from pathlib import Path

OWNER, HOST, RUN = "patchwright.owner", "patchwright.host", "patchwright.run"


def _start_time(pid: int) -> str:
    """Field 22 of /proc/PID/stat: clock ticks since boot; empty where there is no such process."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return ""
    return text.rpartition(")")[2].split()[19]


@cache
def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:  # not Linux: the engine is remote, deadlines do the reaping
        return "-"


def this_process() -> str:
    """`boot id:pid:start time` of the calling process."""
    return f"{_boot()}:{os.getpid()}:{_start_time(os.getpid())}"


def labels(run_id: str) -> dict[str, str]:
    """The labels of every container that this process starts."""
    return {OWNER: this_process(), HOST: socket.gethostname(), RUN: run_id}


def is_gone(found: dict[str, str]) -> bool:
    """Whether the process that these labels name has ended; another host's is never said gone."""
    if found.get(HOST) != socket.gethostname():
        return False
    boot, _, rest = found.get(OWNER, "").partition(":")
    pid, _, started = rest.partition(":")
    if not pid.isdigit():
        return True
    return boot != _boot() or _start_time(int(pid)) != started
