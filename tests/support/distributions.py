"""Source distributions of the configured package index: fetched, checked and laid, never built."""

import hashlib
import os
import ssl
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path, PurePosixPath

import httpx

PROJECT = """[project]
name = "probe"
version = "0"
requires-python = ">=3.11"
dependencies = ["{name}=={version}"]
"""
SECONDS = 120.0


class IndexUnreachable(Exception):
    """The index does not answer, or does not have the distribution."""


@dataclass(frozen=True, slots=True)
class Release:
    """One release on the index; `sha256` is that of its source distribution, in hexadecimal."""

    name: str
    version: str
    sha256: str

    @property
    def file(self) -> str:
        """The name under which it is kept."""
        return f"{self.name}-{self.version}.tar.gz"


def unpacked(release: Release, cache: Path, into: Path) -> Path:
    """The release's files below `into`, which is made; the archive is kept in `cache`.

    Nothing of the distribution is run. Raises `IndexUnreachable`.
    """
    kept = cache / release.file
    if not kept.is_file() or not _is(release, kept.read_bytes()):
        _keep(kept, _fetched(release))
    for path, content in _files(kept.read_bytes()):
        target = into / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return into


def _is(release: Release, archive: bytes) -> bool:
    return hashlib.sha256(archive).hexdigest() == release.sha256


def _keep(target: Path, archive: bytes) -> None:
    """Whole or not at all: several test processes may fetch the same archive."""
    with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as draft:
        draft.write(archive)
    Path(draft.name).replace(target)


def _fetched(release: Release) -> bytes:
    environment = _environment()
    certificates = environment.get("SSL_CERT_FILE")
    context = ssl.create_default_context(cafile=certificates) if certificates else True
    address = _address(release, environment)
    try:
        answer = httpx.get(address, follow_redirects=True, timeout=SECONDS, verify=context)
        answer.raise_for_status()
    except httpx.HTTPError as error:
        raise IndexUnreachable(f"{release.file}: {error}") from error
    assert _is(release, answer.content), f"{release.file} is not the one these tests know"
    return answer.content


def _address(release: Release, environment: dict[str, str]) -> str:
    """Where the index has the archive: uv resolves it and writes it down, pip would build it."""
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder)
        (project / "pyproject.toml").write_text(
            PROJECT.format(name=release.name, version=release.version), encoding="utf-8"
        )
        command = [sys.executable, "-m", "uv", "lock", "--quiet", "--no-build", "--no-progress"]
        ran = subprocess.run(
            [*command, "--python", sys.executable],
            cwd=project,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=SECONDS,
        )
        if ran.returncode != 0:
            raise IndexUnreachable(f"{release.file}: {ran.stderr.strip()[-400:]}")
        locked = tomllib.loads((project / "uv.lock").read_text(encoding="utf-8"))
    found = [one for one in locked["package"] if one["name"] == release.name]
    return str(found[0]["sdist"]["url"])


def _environment() -> dict[str, str]:
    """The index and certificates that pip is set to, in uv's words; uv's own settings win."""
    known = {"UV_DEFAULT_INDEX": "index-url", "SSL_CERT_FILE": "cert"}
    words = {name: _set_in_pip(option) for name, option in known.items()}
    return {name: value for name, value in words.items() if value} | dict(os.environ)


def _set_in_pip(option: str) -> str:
    variable = os.environ.get(f"PIP_{option.upper().replace('-', '_')}", "")
    if variable:
        return variable
    command = [sys.executable, "-m", "pip", "config", "get", f"global.{option}"]
    asked = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    return asked.stdout.strip() if asked.returncode == 0 else ""


def _files(archive: bytes) -> Iterator[tuple[PurePosixPath, bytes]]:
    """Regular files without the archive's top folder, compiled ones left out."""
    with tarfile.open(fileobj=BytesIO(archive), mode="r:gz") as opened:
        for member in opened:
            path = PurePosixPath(*PurePosixPath(member.name).parts[1:])
            content = opened.extractfile(member) if member.isfile() else None
            if content is None or path.suffix == ".pyc":
                continue
            assert not path.is_absolute(), member.name
            assert ".." not in path.parts, member.name
            yield path, content.read()
