"""Isolation is proved, not asked for: the engine's word held against what a container sees."""

import json
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from sandbox.executor.model import Finished, Isolation, Job, Limits, SandboxError

WITNESS = (Path(__file__).parents[1] / "launchers" / "witness.py").read_bytes()


class Engine(Protocol):
    """What a probe needs of an executor."""

    def run(self, job: Job, limits: Limits) -> Finished: ...

    def kernel(self) -> str: ...


def examine(engine: Engine, image: str, limits: Limits) -> Isolation:
    """Run the witness under the very limits that every run gets and compare.

    Raises `SandboxError` when the engine does not know the runtime or the image.
    """
    with tempfile.TemporaryDirectory() as empty:
        job = Job(
            image=image,
            argv=("python3", "-I", "/opt/patchwright/witness.py"),
            tree=Path(empty),
            tools={"witness.py": WITNESS},
            run_id="probe",
        )
        finished = engine.run(job, replace(limits, seconds=min(limits.seconds, 60)))
    inside = _parse(finished.output)
    faults = _faults(inside, finished.container, engine.kernel(), limits)
    return Isolation(
        executor="docker",
        runtime=limits.runtime,
        proved=not faults,
        detail="; ".join(faults) or _describe(limits),
        facts={"engine": dict(finished.container), "inside": inside},
    )


def _parse(output: bytes) -> dict[str, Any]:
    lines = output.decode(errors="replace").strip().splitlines() or [""]
    try:
        parsed = json.loads(lines[-1])
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        raise SandboxError(f"The probe container said nothing usable: {lines[-1][:200]!r}")
    return parsed


def _describe(limits: Limits) -> str:
    kind = "gVisor" if limits.runtime == "runsc" else limits.runtime
    return f"Docker with {kind}, no network, no capabilities, unprivileged user"


def _faults(
    inside: Mapping[str, Any], engine: Mapping[str, Any], kernel: str, limits: Limits
) -> list[str]:
    checks = {
        f"the engine says runtime {engine.get('Runtime')}": engine.get("Runtime") == limits.runtime,
        f"a network is there: {inside.get('interfaces')}": inside.get("interfaces") in (["lo"], []),
        f"the user is {inside.get('uid')}": inside.get("uid") == 10001,
        f"capabilities are there: {inside.get('cap_eff')}": _none(inside.get("cap_eff")),
        f"tools can be written: {inside.get('writable')}": inside.get("writable") == [],
        "the engine's socket is there": inside.get("engine_socket") is False,
        **_runtime_checks(inside, kernel, limits.runtime),
    }
    return [fault for fault, holds in checks.items() if not holds]


def _none(capabilities: object) -> bool:
    return isinstance(capabilities, str) and set(capabilities) <= {"0"}


def _runtime_checks(inside: Mapping[str, Any], kernel: str, runtime: str) -> dict[str, bool]:
    """gVisor shows its own kernel log; an ordinary runtime shows the host's kernel and a filter."""
    gvisor = "gvisor" in str(inside.get("dmesg", "")).lower()
    if runtime == "runsc":
        return {"the kernel inside is not gVisor's: runsc does not run": gvisor}
    return {
        f"the kernel inside is {inside.get('release')}": inside.get("release") == kernel,
        "no seccomp filter": str(inside.get("seccomp")) == "2",
        "new privileges are possible": str(inside.get("no_new_privs")) == "1",
    }
