"""The Python sandbox image, run: who the user is, what it can write, what works offline."""

import docker
import pytest

from sandbox.images import ImageRef, ensure

pytestmark = pytest.mark.docker

SUITE = """\
import unittest

def test_function():
    assert 1 + 1 == 2

class Case(unittest.TestCase):
    def test_method(self):
        self.assertEqual(1 + 1, 2)
"""

STALE_BYTECODE = """\
import importlib.util, pathlib, struct, sys
for root in sys.argv[1:]:
    for source in pathlib.Path(root).rglob("*.py"):
        cached = pathlib.Path(importlib.util.cache_from_source(str(source)))
        if not cached.exists():
            print("missing", source)
            continue
        flags, mtime, size = struct.unpack("<III", cached.read_bytes()[4:16])
        about = source.stat()
        if flags == 0 and (mtime, size) != (int(about.st_mtime), about.st_size):
            print("stale", source)
"""


def inside(
    engine: "docker.DockerClient",
    image: ImageRef,
    script: str,
    *arguments: str,
    runtime: str = "runc",
    user: str | None = None,
) -> str:
    """What a shell script says in a container without a network; an error if it fails."""
    container = engine.containers.create(
        image.id,
        ["sh", "-euc", script, "sh", *arguments],
        runtime=runtime,
        network_mode="none",
        **({"user": user} if user else {}),
    )
    try:
        container.start()
        status = container.wait(timeout=100)["StatusCode"]
        said = container.logs().decode()
        assert status == 0, said
        return str(said)
    finally:
        container.remove(force=True)


def test_it_is_there_at_once_the_second_time(
    engine: "docker.DockerClient", image: ImageRef
) -> None:
    told: list[str] = []
    assert ensure(engine, "python", told.append) == image
    assert told == []


def test_the_user_is_10001_and_owns_its_directories(
    engine: "docker.DockerClient", image: ImageRef
) -> None:
    said = inside(engine, image, "id -u; id -g; pwd; touch /repo/a /report/b; stat -c %U /repo")
    assert said.split() == ["10001", "10001", "/repo", "runner"]


def test_there_is_no_setuid_or_setgid_program(
    engine: "docker.DockerClient", image: ImageRef
) -> None:
    find = "find / -xdev -type f -perm /6000"
    assert inside(engine, image, find, user="0") == ""
    # The same search does find one that is there.
    planted = inside(engine, image, f"cp /bin/true /opt/t; chmod u+s /opt/t; {find}", user="0")
    assert planted.split() == ["/opt/t"]


def test_only_scratch_directories_can_be_written(
    engine: "docker.DockerClient", image: ImageRef
) -> None:
    find = "find / -xdev -type d -writable 2>/dev/null || true"
    writable = set(inside(engine, image, find).split())
    known = {"/repo", "/report", "/home/runner", "/tmp", "/var/tmp", "/run/lock"}  # noqa: S108
    assert {path for path in writable if not path.startswith(("/proc", "/dev", "/sys"))} == known
    files = "find / -xdev -type f -writable -not -path '/proc/*' -not -path '/sys/*' 2>/dev/null"
    assert set(inside(engine, image, f"{files} || true").split()) <= {
        "/home/runner/.bashrc",
        "/home/runner/.bash_logout",
        "/home/runner/.profile",
    }


@pytest.mark.parametrize("runtime", ["runc", "runsc"])
def test_pytest_unittest_and_git_work_offline(
    engine: "docker.DockerClient", image: ImageRef, runtime: str
) -> None:
    if runtime not in engine.info()["Runtimes"]:
        pytest.skip(f"the engine has no runtime {runtime}")
    script = """\
printf %s "$1" > test_it.py
git init -q . && git add -A && git -c user.name=n -c user.email=e@example.org commit -qm base
python -m pytest -q --junitxml=/report/junit.xml
grep -c '<testcase' /report/junit.xml
python3 -m unittest -v test_it 2>&1
"""
    said = inside(engine, image, script, SUITE, runtime=runtime)
    assert "2 passed" in said
    assert "Ran 1 test" in said


def test_a_failing_suite_fails(engine: "docker.DockerClient", image: ImageRef) -> None:
    script = 'printf %s "$1" > test_it.py; python -m pytest -q || echo "status $?"'
    said = inside(engine, image, script, SUITE.replace("== 2", "== 3"))
    assert "status 1" in said


def test_every_module_is_compiled_and_current(
    engine: "docker.DockerClient", image: ImageRef
) -> None:
    script = 'python3 -c "$1" /usr/lib/python3 /usr/lib/python3.[0-9]*'
    assert inside(engine, image, script, STALE_BYTECODE) == ""
    # The same search does find one that has changed since.
    change = "for file in /usr/lib/python3.*/this.py; do echo >> $file; done"
    said = inside(engine, image, f"{change}; {script}", STALE_BYTECODE, user="0")
    assert [line.split()[0] for line in said.splitlines()] == ["stale"]


def test_no_mirror_or_proxy_of_the_building_host_is_left(
    engine: "docker.DockerClient", image: ImageRef
) -> None:
    said = inside(engine, image, "cat /etc/apt/apt.conf.d/*; ls /etc/apt; env")
    assert "Acquire::" not in said
    assert "sources.list" not in said
    assert "proxy" not in said.lower()
