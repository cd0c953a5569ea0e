"""The proc-receive hook: refuses pushed workflow files, ref by ref, with GitHub's words.

git runs this file as a script of its own, so that it imports nothing but the standard library.
"""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

MAY_PUSH_WORKFLOWS = "FAKEHUB_MAY_PUSH_WORKFLOWS"
_FOLDER = ".github/workflows"


def refusal(path: str) -> str:
    """GitHub's reason when an App pushes a workflow file without the permission for it."""
    return (
        f"refusing to allow a GitHub App to create or update workflow `{path}` "
        "without `workflows` permission"
    )


def install_hooks(folder: Path) -> Path:
    """Write the hook into a folder that git can use as `core.hooksPath`; returns it absolute."""
    folder.mkdir(parents=True, exist_ok=True)
    hook = folder / "proc-receive"
    hook.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I "{Path(__file__).resolve()}"\n')
    hook.chmod(0o755)
    return folder.resolve()


def workflow_files(run: Callable[..., bytes], new: str) -> list[str]:
    """Workflow files touched by the commits of `new` that no ref of the repository has yet.

    `run` takes the arguments of a git command and returns what it wrote.
    """
    output = run(
        "log", "-m", "--format=", "--name-only", "-z", "--no-renames",
        "--diff-filter=ACMT", new, "--not", "--all", "--", _FOLDER,
    )  # fmt: skip
    names = output.decode(errors="replace").split("\0")
    return sorted({name.strip() for name in names} - {""})


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], check=True, stdout=subprocess.PIPE).stdout


def _packets(stream: BinaryIO) -> Iterator[bytes]:
    while (size := int(stream.read(4), 16)) > 4:
        yield stream.read(size - 4).rstrip(b"\n")


def _send(text: str) -> None:
    data = text.encode() + b"\n"
    sys.stdout.buffer.write(b"%04x" % (len(data) + 4) + data)


def _flush() -> None:
    sys.stdout.buffer.write(b"0000")
    sys.stdout.buffer.flush()


def _decide(new: str) -> str | None:
    if os.environ.get(MAY_PUSH_WORKFLOWS) == "1" or not new.strip("0"):
        return None
    touched = workflow_files(_git, new)
    return refusal(touched[0]) if touched else None


def main() -> None:
    """Speak git's proc-receive protocol, version 1, on standard input and output."""
    offered = b"\0".join(_packets(sys.stdin.buffer))
    options = " push-options" if b"push-options" in offered else ""
    _send(f"version=1\0{options.strip()}" if options else "version=1")
    _flush()
    commands = list(_packets(sys.stdin.buffer))
    if options:
        list(_packets(sys.stdin.buffer))
    for command in commands:
        _, new, ref = command.decode().split(" ", 2)
        reason = _decide(new)
        _send(f"ng {ref} {reason}" if reason else f"ok {ref}")
        if not reason:
            _send("option fall-through")
    _flush()


if __name__ == "__main__":
    main()
