"""The one builder of container limits, and the check that the engine took them as asked."""

from collections.abc import Mapping
from typing import Any

from docker.types import LogConfig, Ulimit

from sandbox.executor.model import MIB, Limits, SandboxError

USER = "10001:10001"
HOME = "/tmp/home"  # noqa: S108 - a path inside the container, on its own tmpfs
ENVIRONMENT = {
    "HOME": HOME,
    "LANG": "C.UTF-8",
    "LC_ALL": "C.UTF-8",
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONHASHSEED": "0",
    "TMPDIR": "/tmp",  # noqa: S108
    "TZ": "UTC",
}


def roomy(limits: Limits) -> bool:
    """gVisor counts its own threads and memory against the container's bounds."""
    return limits.runtime != "runc"


def host_config(limits: Limits) -> dict[str, Any]:
    """Keyword arguments of the Docker SDK's `create_host_config` for every container we start."""
    memory = max(limits.memory, 512 * MIB) if roomy(limits) else limits.memory
    return {
        "runtime": limits.runtime,
        "network_mode": "none",
        "cap_drop": ["ALL"],
        "security_opt": ["no-new-privileges:true"],
        "init": True,
        "ipc_mode": "private",
        "pids_limit": max(limits.pids, 1024) if roomy(limits) else limits.pids,
        "mem_limit": memory,
        "memswap_limit": memory,
        "nano_cpus": int(limits.cpus * 1e9),
        "ulimits": [
            Ulimit(name="fsize", soft=limits.file_size, hard=limits.file_size),
            Ulimit(name="nofile", soft=limits.open_files, hard=limits.open_files),
            Ulimit(name="core", soft=0, hard=0),
        ],
        "tmpfs": {"/tmp": f"rw,exec,nosuid,nodev,size={limits.tmp},mode=1777"},  # noqa: S108
        "log_config": LogConfig(type="none"),
    }


READ_BACK = (
    "Runtime",
    "NetworkMode",
    "CapDrop",
    "SecurityOpt",
    "PidsLimit",
    "Memory",
    "MemorySwap",
    "NanoCpus",
    "Privileged",
    "Binds",
    "Ulimits",
    "Tmpfs",
)


def read_back(inspected: Mapping[str, Any], limits: Limits) -> dict[str, Any]:
    """The container's limits as the engine states them.

    Raises `SandboxError` when one of them is not what was asked: a limit that was dropped
    silently is worse than one that was never asked for.
    """
    config, wish = inspected["HostConfig"], host_config(limits)
    facts: dict[str, Any] = {name: config.get(name) for name in READ_BACK}
    facts["User"] = inspected["Config"]["User"]
    asked = {
        "Runtime": wish["runtime"],
        "NetworkMode": "none",
        "CapDrop": ["ALL"],
        "SecurityOpt": wish["security_opt"],
        "PidsLimit": wish["pids_limit"],
        "Memory": wish["mem_limit"],
        "MemorySwap": wish["memswap_limit"],
        "NanoCpus": wish["nano_cpus"],
        "Privileged": False,
        "Binds": None,
        "Ulimits": [dict(ulimit) for ulimit in wish["ulimits"]],
        "Tmpfs": wish["tmpfs"],
        "User": USER,
    }
    wrong = {name: facts[name] for name, value in asked.items() if facts[name] != value}
    if wrong:
        expected = {name: asked[name] for name in wrong}
        raise SandboxError(f"The engine did not take the limits: asked {expected}, got {wrong}.")
    return facts
