"""Writes what was proved: every file or none, each by a temporary file and a rename."""

from __future__ import annotations

import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.patch.canonical import FileChange
from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.paths import refuse_links


@dataclass
class _Journal:
    """What was done so far, so that it can be undone in reverse."""

    made_dirs: list[Path] = field(default_factory=list)
    made_files: list[Path] = field(default_factory=list)
    replaced: list[tuple[Path, bytes, int]] = field(default_factory=list)


def write_all(root: Path, files: Sequence[FileChange]) -> None:
    """Writes all changes below `root`.

    Raises RefusalError: `conflict` when a file is no longer what was read, `write_failed` when
    the disk refuses; in both cases the tree is as it was.
    """
    busy = [file for file in files if not file.idle]
    for file in busy:
        _recheck(root, file)
    journal = _Journal()
    try:
        for file in busy:
            if file.new_path is not None:
                _put(root, file, file.new_path, journal)
        for file in busy:
            if file.old_path is not None and file.old_path != file.new_path:
                _remove(root, file, file.old_path, journal)
    except OSError as error:
        _undo(journal)
        raise RefusalError(
            RefusalReason.WRITE_FAILED,
            f"The tree could not be written ({error.strerror or error}); it is as it was.",
        ) from error


def _recheck(root: Path, file: FileChange) -> None:
    for path in (file.old_path, file.new_path):
        if path is not None:
            refuse_links(root, path)
    if file.old_path is None:
        return
    at = _at(root, file.old_path)
    if not at.is_file() or at.read_bytes() != file.old_data:
        raise RefusalError(
            RefusalReason.CONFLICT,
            "The file was changed by someone else while the diff was applied. Try again.",
            os.fsdecode(file.old_path),
        )


def _at(root: Path, relative: bytes) -> Path:
    return root / os.fsdecode(relative)


def _put(root: Path, file: FileChange, path: bytes, journal: _Journal) -> None:
    at = _at(root, path)
    _make_dirs(root, at.parent, journal)
    in_place = path == file.old_path
    bits: int | None
    if in_place:
        bits = at.stat().st_mode & 0o7777
    elif file.old_path is not None:
        bits = _at(root, file.old_path).stat().st_mode & 0o7777
    else:
        bits = None
    if bits is not None and file.new_mode & 0o100:
        bits |= (bits & 0o444) >> 2
    elif bits is not None and file.old_mode != file.new_mode:
        bits &= ~0o111
    temporary = _temporary(at.parent, file.new_data, bits, file.new_mode & 0o111)
    try:
        if in_place:
            journal.replaced.append((at, file.old_data, at.stat().st_mode & 0o7777))
        else:
            journal.made_files.append(at)
        temporary.replace(at)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise


def _temporary(directory: Path, data: bytes, bits: int | None, execute: int = 0) -> Path:
    """A new file beside its goal; without `bits` it gets what the process umask leaves."""
    path = directory / f".patchwright-{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    handle = os.open(path, flags, 0o666 | execute)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        if bits is not None:
            path.chmod(bits)
    except OSError:
        path.unlink(missing_ok=True)
        raise
    return path


def _make_dirs(root: Path, directory: Path, journal: _Journal) -> None:
    missing: list[Path] = []
    at = directory
    while at != root and not at.exists():
        missing.append(at)
        at = at.parent
    for path in reversed(missing):
        path.mkdir()
        journal.made_dirs.append(path)


def _remove(root: Path, file: FileChange, path: bytes, journal: _Journal) -> None:
    at = _at(root, path)
    bits = at.stat().st_mode & 0o7777
    at.unlink()
    journal.replaced.append((at, file.old_data, bits))
    parent = at.parent
    with suppress(OSError):
        while parent != root:
            parent.rmdir()
            parent = parent.parent


def _undo(journal: _Journal) -> None:
    """Best effort in reverse order: the first error must not keep the rest from being undone."""
    for path, data, bits in reversed(journal.replaced):
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            _temporary(path.parent, data, bits).replace(path)
    for path in reversed(journal.made_files):
        with suppress(OSError):
            path.unlink(missing_ok=True)
    for path in reversed(journal.made_dirs):
        with suppress(OSError):
            path.rmdir()
