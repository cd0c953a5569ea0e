"""Ways in and out of a container: one tar in, one capped and checked tar out."""

import io
import os
import stat
import tarfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO

from sandbox.executor.model import Job

RUNNER = 10001
TOOLS = "opt/patchwright"


def pack(job: Job, target: IO[bytes]) -> None:
    """Write the job's files as a tar to be unpacked at `/`.

    The tree and its overlay belong to the runner, the tools to root. Links are carried as links,
    never followed: the content of a host file that a repository points to stays on the host.
    """
    with tarfile.open(fileobj=target, mode="w", format=tarfile.PAX_FORMAT) as tar:
        overlay = dict(job.overlay)
        for path in _walk(job.tree):
            relative = path.relative_to(job.tree).as_posix()
            if relative not in overlay:
                _add_path(tar, path, f"repo/{relative}")
        for relative, content in sorted(overlay.items()):
            _add_bytes(tar, f"repo/{relative}", content, owner=RUNNER, mode=0o644)
        for name, content in sorted(job.tools.items()):
            _add_bytes(tar, f"{TOOLS}/{name}", content, owner=0, mode=0o444)


def left_out(path: Path) -> bool:
    """What is no part of the code under test: git's own folder, and a virtual environment, whose
    programs belong to the host."""
    return path.name == ".git" or (path / "pyvenv.cfg").is_file()


def _walk(top: Path) -> Iterator[Path]:
    """Every entry below `top` that is not left out, parents first."""
    with os.scandir(top) as entries:
        found = sorted(entries, key=lambda entry: entry.name)
    for entry in found:
        if left_out(Path(entry.path)):
            continue
        yield Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(Path(entry.path))


def _add_path(tar: tarfile.TarFile, path: Path, name: str) -> None:
    mode = path.lstat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode) or stat.S_ISLNK(mode)):
        return  # a socket or device has no business in a repository
    info = tar.gettarinfo(str(path), arcname=name)
    if info.islnk():  # a host hard link would point outside the archive
        info.type, info.linkname = tarfile.REGTYPE, ""
        info.size = path.stat().st_size
    info.uid = info.gid = RUNNER
    info.uname = info.gname = ""
    info.mode = 0o755 if info.isdir() or mode & 0o111 else 0o644
    if info.isreg():
        with path.open("rb") as content:
            tar.addfile(info, content)
    else:
        tar.addfile(info)


def _add_bytes(tar: tarfile.TarFile, name: str, content: bytes, *, owner: int, mode: int) -> None:
    info = tarfile.TarInfo(name)
    info.size, info.mode, info.uid, info.gid = len(content), mode, owner, owner
    tar.addfile(info, io.BytesIO(content))


def unpack(
    chunks: Iterable[bytes], wanted: Iterable[str], cap: int
) -> tuple[Mapping[str, bytes], bool]:
    """The wanted regular files of a directory's archive, by base name, and whether the cap was hit.

    Links, devices and anything not asked for are passed over; reading stops at `cap` bytes in all.
    """
    names, found = set(wanted), dict[str, bytes]()
    buffer, capped = _limited(chunks, cap)
    try:
        with tarfile.open(fileobj=buffer, mode="r:") as tar:
            for member in tar:
                name = member.name.rpartition("/")[2]
                if name in names and member.isreg() and member.name.count("/") == 1:
                    content = tar.extractfile(member)
                    found[name] = content.read() if content else b""
    except tarfile.TarError:
        capped = True
    return found, capped


def _limited(chunks: Iterable[bytes], cap: int) -> tuple[io.BytesIO, bool]:
    buffer = io.BytesIO()
    for chunk in chunks:
        if buffer.tell() + len(chunk) > cap:
            return io.BytesIO(), True
        buffer.write(chunk)
    buffer.seek(0)
    return buffer, False
