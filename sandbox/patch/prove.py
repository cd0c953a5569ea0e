"""Proves a canonical diff: git has to apply it to the old files and get the new ones."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from sandbox.patch.canonical import FileChange
from sandbox.patch.model import RefusalError, RefusalReason

_GIT = (
    "git",
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.attributesFile=/dev/null",
    "-c",
    "core.autocrlf=false",
    "-c",
    "core.fileMode=true",
    "-c",
    "apply.whitespace=nowarn",
)
_TIMEOUT = 120.0


def prove(files: Sequence[FileChange], diff: bytes) -> None:
    """Applies `diff` with git in a scratch tree of the old files and compares every byte.

    Raises RefusalError `unproved` when git or unidiff read the diff differently, or when git is
    not installed. Nothing of the real tree is touched.
    """
    _count(files, diff)
    with tempfile.TemporaryDirectory(prefix="patchwright-") as name:
        scratch = Path(name)
        tree = scratch / "tree"
        tree.mkdir()
        _lay_out(tree, files)
        _git_apply(scratch, tree, diff)
        _compare(tree, files)


def _count(files: Sequence[FileChange], diff: bytes) -> None:
    """The number of added and removed lines as unidiff counts them."""
    text = io.StringIO(diff.decode("latin-1"), newline="\n")
    try:
        read = PatchSet(text, metadata_only=True)
    except UnidiffParseError as error:
        raise _unproved(f"unidiff cannot read the canonical diff ({error})") from error
    changes = [change for file in files for change in file.changes]
    added = sum(len(change.new) for change in changes)
    removed = sum(len(change.old) for change in changes)
    if (read.added, read.removed) != (added, removed):
        raise _unproved(
            f"unidiff counts +{read.added} -{read.removed} instead of +{added} -{removed}"
        )


def _lay_out(tree: Path, files: Sequence[FileChange]) -> None:
    for file in files:
        if file.old_path is None:
            continue
        path = tree / os.fsdecode(file.old_path)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.old_data)
        path.chmod(file.old_mode & 0o777)


def _git_apply(scratch: Path, tree: Path, diff: bytes) -> None:
    program = shutil.which("git")
    if program is None:
        raise _unproved("git is not installed; it is needed to check every diff")
    environment = {
        "PATH": os.environ.get("PATH", os.defpath),
        "HOME": str(scratch),
        "LC_ALL": "C",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(scratch),
    }
    try:
        done = subprocess.run(
            [program, *_GIT[1:], "apply", "-"],
            cwd=tree,
            input=diff,
            env=environment,
            capture_output=True,
            timeout=_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _unproved(f"git did not end within {_TIMEOUT:.0f} seconds") from error
    if done.returncode != 0:
        raise _unproved("git does not apply it: " + done.stderr.decode("utf-8", "replace").strip())


def _compare(tree: Path, files: Sequence[FileChange]) -> None:
    expected = {
        os.fsdecode(file.new_path): (file.new_data, file.new_mode & 0o100)
        for file in files
        if file.new_path is not None
    }
    found = {
        str(path.relative_to(tree)): (path.read_bytes(), path.stat().st_mode & 0o100)
        for path in tree.rglob("*")
        if path.is_file()
    }
    if found != expected:
        raise _unproved("git makes another tree of it")


def _unproved(why: str) -> RefusalError:
    return RefusalError(
        RefusalReason.UNPROVED,
        f"The diff that was placed could not be proved: {why}. Nothing was written.",
    )
