"""Suites that are odd but real: each gives the result that its own runner gives."""

from pathlib import Path

import pytest

from sandbox.executor.docker import DockerExecutor
from sandbox.executor.model import Limits
from sandbox.results import Cause, Status, TestRun
from sandbox.suite import Suite
from sandbox.toolchain import detect
from tests.support.repositories import write

pytestmark = pytest.mark.docker

PASSING = "import unittest\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        pass\n"
BOTH_FAIL = """import pytest

@pytest.fixture
def late():
    yield
    raise OSError("late")

def test_a(late):
    assert 0
"""
SET_UP = """import unittest

class T(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise OSError

    def test_a(self):
        pass

class U(unittest.TestCase):
    def test_b(self):
        pass
"""
MODULE = "import unittest\n\ndef setUpModule():\n    raise OSError\n\n" + PASSING
TEAR_DOWN = PASSING + "    @classmethod\n    def tearDownClass(cls):\n        raise OSError\n"
CLOSES = PASSING.replace("pass", "import sys; sys.stdout.close()")
SKIPS = PASSING.replace("    def", "    @unittest.skipIf(True, None)\n    def")
IN_PACKAGE = {
    "setup.py": "", "src/p/__init__.py": "", "src/p/tests/__init__.py": "",
    "src/p/tests/test_x.py": PASSING,
}  # fmt: skip
SUITES = {
    # name: files, what each test ends with
    "call and tear-down fail": ({"test_x.py": BOTH_FAIL}, {"test_x.py::test_a": "error"}),
    "failed first, by settings": (
        {"pytest.ini": "[pytest]\naddopts = --ff --lf\n", "test_x.py": "def test_a(): pass\n"},
        {"test_x.py::test_a": "passed"},
    ),
    "strict settings with a cache": (
        {
            "pytest.ini": "[pytest]\naddopts = --strict-config\ncache_dir = .c\n",
            "test_x.py": "def test_a(cache): pass\n",
        },
        {"test_x.py::test_a": "passed"},
    ),
    "a class's set-up fails": (
        {"test_x.py": SET_UP}, {"test_x.T.test_a": "error", "test_x.U.test_b": "passed"},
    ),
    "a module's set-up fails": ({"test_x.py": MODULE}, {"test_x.T.test_a": "error"}),
    "a class's tear-down fails": ({"test_x.py": TEAR_DOWN}, {"test_x.T.test_a": "error"}),
    "stdout is closed": ({"test_x.py": CLOSES}, {"test_x.T.test_a": "passed"}),
    "skipped without a reason": ({"test_x.py": SKIPS}, {"test_x.T.test_a": "skipped"}),
    "tests in a package below src": (IN_PACKAGE, {"p.tests.test_x.T.test_a": "passed"}),
}  # fmt: skip


def run(executor: DockerExecutor, image: str, tree: Path) -> TestRun:
    return Suite(executor, image, detect(tree), Limits(seconds=60)).run(tree)


@pytest.mark.parametrize("name", SUITES)
def test_an_odd_suite_has_its_results(
    executor: DockerExecutor, image: str, tmp_path: Path, name: str
) -> None:
    files, results = SUITES[name]
    found = run(executor, image, write(tmp_path, files))
    assert found.usable, found
    assert {case.id: str(case.result) for case in found.cases} == results


def test_two_test_files_of_one_name_are_named(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    tree = write(tmp_path, {"tests/a/test_x.py": PASSING, "tests/b/test_x.py": PASSING})
    found = run(executor, image, tree)
    assert found.cause is Cause.COLLECTION
    assert "tests/b cannot be collected" in found.detail


def test_a_plugin_that_is_not_there_is_named(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    files = {"pytest.ini": "[pytest]\naddopts = --cov=calc\n", "test_x.py": "def test_a(): pass\n"}
    found = run(executor, image, write(tmp_path, files))
    assert found.cause is Cause.COLLECTION
    assert "--cov=calc" in found.detail


def test_hundreds_of_failures_that_talk_are_a_result(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    body = "import pytest\n\n@pytest.mark.parametrize('n', range(400))\ndef test_a(n):\n"
    body += "    text = 'y' * 2000\n    print(text)\n    assert text == n, text\n"
    found = run(executor, image, write(tmp_path, {"test_x.py": body}))
    assert (found.status, len(found.failing)) == (Status.FAIL, 400), found.detail


@pytest.mark.parametrize("runner", ["pytest", "unittest"])
def test_ids_longer_than_an_argument_may_be_select_their_tests(
    executor: DockerExecutor, image: str, tmp_path: Path, runner: str
) -> None:
    """The kernel takes 128 KiB for one argument; a parameter's text or a class's name is longer."""
    body = "import pytest\n\n@pytest.mark.parametrize('t', ['x' * 150_000, 'y'])\n"
    body += "def test_a(t):\n    assert t == 'y'\n"
    if runner == "unittest":
        body = PASSING.replace("pass", "self.fail()") + "\nT.__qualname__ = 'T' * 150_000\n"
    tree = write(tmp_path, {"test_x.py": body, "test_y.py": body.replace("fail()", "id()")})
    suite = Suite(executor, image, detect(tree), Limits(seconds=60))
    red = sorted(suite.run(tree).failing)
    again = suite.run(tree, tests=red[:1])
    assert len(red[0]) > 128 << 10
    assert set(again.ids) == set(again.failing) == {red[0]}
