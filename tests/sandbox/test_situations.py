"""The situations a runner gets into, each run for real, and what each must be called."""

from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.executor.docker import DockerExecutor
from sandbox.executor.model import MIB, Limits
from sandbox.results import Cause, Status, TestRun
from sandbox.suite import Suite
from sandbox.toolchain import detect
from tests.support.repositories import write

pytestmark = pytest.mark.docker

LIMITS = Limits(seconds=60)
PYTEST = "import pytest\n"
CASE = "import unittest\n\nclass T(unittest.TestCase):\n    def test_one(self):\n        {}\n"
DEEP = "import os, sys, time, logging, atexit\n"


def pytest_body(body: str) -> dict[str, str]:
    indented = "\n    ".join(body.splitlines())
    return {"tests/test_x.py": f"{PYTEST}{DEEP}\ndef test_one():\n    {indented}\n"}


def unittest_body(body: str) -> dict[str, str]:
    indented = "\n        ".join(body.splitlines())
    return {"tests/test_x.py": DEEP + CASE.format(indented)}


FORKED = """pid = os.fork()
if pid == 0:
    b = bytearray(400 << 20)
    os._exit(0)
os.waitpid(pid, 0)"""
BODIES = {
    "all pass": ("assert 1 == 1", Status.PASS, None),
    "one fails": ("assert 1 == 2", Status.FAIL, None),
    "error in a passing suite": ("logging.error('error: 1 failed')", Status.PASS, None),
    "passed in a failing one": ("print('1 passed'); assert False", Status.FAIL, None),
    "exit 0 in the middle": ("os._exit(0)", Status.UNUSABLE, Cause.INCOMPLETE),
    "exit 3 after a word": ("print('passed'); os._exit(3)", Status.UNUSABLE, Cause.INCOMPLETE),
    "crash": ("os.kill(os.getpid(), 11)", Status.UNUSABLE, Cause.KILLED),
    "hang": ("time.sleep(600)", Status.UNUSABLE, Cause.TIMEOUT),
    "exit status overridden at exit": (
        "atexit.register(os._exit, 0)\nassert False", Status.FAIL, None,
    ),
    "memory": ("b = bytearray(900 << 20)", Status.UNUSABLE, Cause.OUT_OF_MEMORY),
    "memory in a child that hides it": (FORKED, Status.UNUSABLE, Cause.OUT_OF_MEMORY),
    "flood": (
        "while True: os.write(1, b'y' * 65536)", Status.UNUSABLE, Cause.OUTPUT_LIMIT,
    ),
    "disk": (
        "for i in range(400): open(f'/repo/{i}', 'wb').write(b'x' * (1 << 20))\ntime.sleep(20)",
        Status.UNUSABLE, Cause.DISK_LIMIT,
    ),
    "own report over ours": (
        "open('/report/junit.xml', 'w').write('<testsuite/>')\n"
        "os.symlink('/etc/passwd', '/report/extra')\nassert False", Status.FAIL, None,
    ),
}  # fmt: skip


def run(executor: DockerExecutor, image: str, tree: Path, limits: Limits = LIMITS) -> TestRun:
    return Suite(executor, image, detect(tree), limits).run(tree)


@pytest.mark.parametrize("runner", ["pytest", "unittest"])
@pytest.mark.parametrize("situation", BODIES)
def test_situation(
    executor: DockerExecutor, image: str, tmp_path: Path, runner: str, situation: str
) -> None:
    body, status, cause = BODIES[situation]
    files = pytest_body(body) if runner == "pytest" else unittest_body(body)
    limits = replace(LIMITS, memory=256 * MIB, disk=200 * MIB)
    if situation == "hang":
        limits = replace(limits, seconds=3)
    if (runner, situation) == ("pytest", "flood"):
        cause = Cause.OUT_OF_MEMORY  # pytest holds captured output in the container's own memory
    tree = write(tmp_path, files)
    assert detect(tree).runner.name == runner
    found = run(executor, image, tree, limits)
    assert (found.status, found.cause) == (status, cause), found


WHOLE = {
    "no tests": ({"tests/test_x.py": PYTEST}, Cause.NO_TESTS),
    "no test files": ({"calc.py": "x = 1\n"}, Cause.NO_TESTS),
    "import error": ({"tests/test_x.py": PYTEST + "import nowhere\n"}, Cause.COLLECTION),
    "syntax error": ({"tests/test_x.py": PYTEST + "def test_(:\n"}, Cause.COLLECTION),
    "exit 0 at import": (
        {"tests/test_x.py": PYTEST + "import os\nos._exit(0)\n"}, Cause.INCOMPLETE,
    ),
    "import error, unittest": (
        {"tests/test_x.py": "import unittest\nimport nowhere\n"}, Cause.COLLECTION,
    ),
    "no tests, unittest": ({"tests/test_x.py": "import unittest\n"}, Cause.NO_TESTS),
    "broken conftest": (
        {"tests/conftest.py": "raise OSError('no')\n", "tests/test_x.py": "def test_a(): pass\n"},
        Cause.COLLECTION,
    ),
}  # fmt: skip


@pytest.mark.parametrize(("files", "cause"), WHOLE.values(), ids=WHOLE.keys())
def test_whole_suite_gives_no_signal(
    executor: DockerExecutor, image: str, tmp_path: Path, files: dict[str, str], cause: Cause
) -> None:
    found = run(executor, image, write(tmp_path, files))
    assert (found.status, found.cause) == (Status.UNUSABLE, cause), found


def test_settings_that_hide_results_are_overridden(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    """`-x` of the repository would leave the second failure out of the comparison."""
    files = {
        "pytest.ini": "[pytest]\naddopts = -x --maxfail=1\n",
        "tests/test_x.py": "def test_a():\n    assert 0\n\ndef test_b():\n    assert 0\n",
    }
    found = run(executor, image, write(tmp_path, files))
    assert len(found.failing) == 2


ODD_IDS = """import pytest

@pytest.mark.parametrize("x", [1, 2, 3, 4], ids=["a b", "c::d", "e[f]", "g/h\\n"])
def test_p(x):
    assert x % 2

@pytest.mark.skip
def test_s():
    assert 0

@pytest.mark.xfail
def test_xf():
    assert 0

@pytest.mark.xfail
def test_xp():
    assert 1

@pytest.fixture
def broken():
    raise OSError("no")

def test_setup(broken):
    pass

@pytest.fixture
def late():
    yield
    raise OSError("late")

def test_teardown(late):
    pass
"""


def test_every_kind_of_result_has_its_own_name(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    found = run(executor, image, write(tmp_path, {"tests/test_x.py": ODD_IDS}))
    results = {case.id.partition("::")[2]: str(case.result) for case in found.cases}
    assert found.status is Status.FAIL, found
    assert results == {
        "test_p[a b]": "passed",
        "test_p[c::d]": "failed",
        "test_p[e[f]]": "passed",
        "test_p[g/h\\n]": "failed",
        "test_s": "skipped",
        "test_xf": "xfailed",
        "test_xp": "xpassed",
        "test_setup": "error",
        "test_teardown": "error",
    }


def test_the_ids_of_a_run_select_the_same_tests_again(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    tree = write(tmp_path, {"tests/test_x.py": ODD_IDS})
    suite = Suite(executor, image, detect(tree), LIMITS)
    red = sorted(suite.run(tree).failing)
    again = suite.run(tree, tests=red)
    assert sorted(again.ids) == red == sorted(again.failing)


def test_a_random_order_is_the_same_for_the_same_seed(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    body = "".join(f"def test_{n}():\n    pass\n\n" for n in range(12))
    tree = write(tmp_path, {"tests/test_x.py": body, "tests/test_y.py": body})
    suite = Suite(executor, image, detect(tree), LIMITS)

    def order(seed: int | None) -> list[str]:
        return [case.id for case in suite.run(tree, seed=seed).cases]

    plain, first, again = order(None), order(7), order(7)
    assert first == again != plain
    assert sorted(first) == sorted(plain)
