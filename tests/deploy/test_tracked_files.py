"""Tracked files: any mirror can serve the lock, and no file names the machine it came from."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

PUBLIC_HOSTS = {"pypi.org", "deb.debian.org", "security.debian.org", "github.com"}
# Put together here, so that this file does not hold what it looks for.
MACHINE_PATHS = ("/wo" + r"rk/(?:main|shared|\.)", "/root" + r"/\.", "/t" + "mp/brief")
INDEX_HOSTS = ("files.python" + r"hosted\.org", "pypi" + r"\.org/simple")


def files(root: Path) -> list[Path]:
    """What git tracks, and what it would track if it were added now."""
    call = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        listed = subprocess.run(call, cwd=root, capture_output=True, check=True).stdout
    except (FileNotFoundError, subprocess.CalledProcessError) as error:
        pytest.skip(f"not a git checkout: {error}")
    paths = (root / name for name in listed.decode().split("\0") if name)
    return [path for path in paths if path.is_file() and not path.is_symlink()]


def own_hosts() -> Iterator[str]:
    """Index and mirror hosts that this machine's pip, uv and npm are told of."""
    texts = [value for name, value in os.environ.items() if name.startswith(("PIP_", "UV_", "NPM"))]
    homes = [Path.home() / ".config/pip/pip.conf", Path.home() / ".npmrc", Path("/etc/pip.conf")]
    for path in [*homes, Path("/etc/xdg/pip/pip.conf")]:
        if path.is_file():
            texts.append(path.read_text())
    for address in re.findall(r"https?://\S+", "\n".join(texts)):
        host = urlsplit(address).hostname
        if host and host not in PUBLIC_HOSTS and host != "localhost":
            yield host


def traces(text: str, hosts: set[str]) -> list[str]:
    """What in a text tells of one machine or one index."""
    patterns = [*MACHINE_PATHS, *INDEX_HOSTS, *map(re.escape, hosts)]
    return [found[0] for pattern in patterns for found in re.finditer(pattern, text)]


def test_no_file_names_an_index_or_a_machine(repo_root: Path) -> None:
    hosts = set(own_hosts())
    listed = files(repo_root)
    assert repo_root / "pyproject.toml" in listed
    found = {
        str(path.relative_to(repo_root)): told
        for path in listed
        if (told := traces(path.read_text(encoding="utf-8", errors="replace"), hosts))
    }
    assert found == {}


@pytest.mark.parametrize(
    "planted",
    [
        "see /wo" + "rk/shared/notes",
        "/root" + "/.cache/pip",
        "--index-url https://pypi" + ".org/simple",
        "https://mirror.example.org/x",
    ],
)
def test_the_search_finds_what_is_planted(planted: str) -> None:
    assert traces(f"a line\n{planted}\n", {"mirror.example.org"})


def test_every_locked_package_has_a_version_and_hashes_and_no_address(repo_root: Path) -> None:
    lock = (repo_root / "requirements.lock").read_text()
    assert "://" not in lock
    assert "--index" not in lock
    joined = [line for line in lock.replace("\\\n", " ").splitlines() if not line.startswith(" ")]
    packages = [line for line in joined if line and not line.startswith("#")]
    assert len(packages) > 50
    for package in packages:
        assert re.match(r"[\w.-]+(\[.+?\])?==\S+ ", package), package
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", package), package


def test_the_lock_answers_every_dependency_of_the_project(repo_root: Path) -> None:
    text = (repo_root / "pyproject.toml").read_text()
    asked = re.findall(r'^  "([A-Za-z0-9.-]+)(?:\[[^\]]*\])?[><=~!]', text, re.MULTILINE)
    assert len(asked) > 20
    locked = re.findall(
        r"^([\w.-]+)(?:\[.+?\])?==", (repo_root / "requirements.lock").read_text(), re.MULTILINE
    )
    assert {_normal(name) for name in asked} <= {_normal(name) for name in locked}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_the_licence_is_the_one_the_project_declares(repo_root: Path) -> None:
    assert 'license = "Apache-2.0"' in (repo_root / "pyproject.toml").read_text()
    text = (repo_root / "LICENSE").read_text()
    assert "Apache License" in text
    assert "Version 2.0, January 2004" in text
    assert "END OF TERMS AND CONDITIONS" in text
