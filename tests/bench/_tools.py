"""The tools that the bench sets side by side: this engine, git apply and GNU patch."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from sandbox.patch import Refused, apply_answer
from tests.bench._cases import Claim, Tool


def ours(root: Path, diff: bytes) -> Claim:
    """This project's engine."""
    result = apply_answer(root, diff)
    if isinstance(result, Refused):
        return Claim(False, result.reason.value)
    return Claim(True)


def git_apply(*flags: str) -> Tool:
    """`git apply` with these flags, away from any repository and configuration."""

    def run(root: Path, diff: bytes) -> Claim:
        environment = os.environ | {
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": str(root.parent),
        }
        return _run(["git", "apply", *flags, "-"], root, diff, environment)

    return run


def gnu_patch(*flags: str) -> Tool:
    """GNU `patch -p1` with these flags; it never asks."""

    def run(root: Path, diff: bytes) -> Claim:
        return _run(["patch", "-p1", "-f", "-s", *flags], root, diff, dict(os.environ))

    return run


def _run(command: list[str], root: Path, diff: bytes, environment: dict[str, str]) -> Claim:
    done = subprocess.run(
        command,
        cwd=root,
        input=diff,
        env=environment,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return Claim(done.returncode == 0)


TOOLS: dict[str, Tool] = {
    "patchwright": ours,
    "git apply": git_apply(),
    "git apply --recount": git_apply("--recount"),
    "patch --fuzz=3": gnu_patch("--fuzz=3"),
}
