"""What the runner collected is a test under any name; a doctest is one wherever it stands."""

from pathlib import Path

import pytest

from sandbox.collected import Collected
from sandbox.policy import Policy
from sandbox.proposer import Refusal
from sandbox.results import CaseResult, Result
from sandbox.toolchain import load
from sandbox.workspace import Workspace
from tests.support.repositories import diff_of, write

SOURCE = '''"""Sums.

>>> add(1, 2)
3
"""


def add(a, b):
    """Add.

    >>> add(2, 2)
    4
    """
    return a - b
'''
CHECK = "from calc import add\n\ndef check_sums():\n    assert add(1, 2) == 3\n"
UNIT = (
    "import unittest\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.fail()\n"
)
PROSE = "Sums\n\n>>> 1 + 2\n3\n\nThe end.\n"
FILES = {"calc.py": SOURCE, "check_sums.py": CHECK, "testcalc.py": UNIT, "README.rst": PROSE}
COLLECTED = [
    ("calc.py::calc", "calc.py"),
    ("calc.py::calc.add", "calc.py"),
    ("check_sums.py::check_sums", "check_sums.py"),
    ("testcalc.T.test_a", "testcalc.py"),
    ("README.rst::README.rst", "README.rst"),
]
CASES = [CaseResult(name, Result.FAILED, file=file) for name, file in COLLECTED]


def workspace(tmp_path: Path, *, guarded: bool = True) -> Workspace:
    source = write(tmp_path / "source", FILES)
    cases = CASES if guarded else []
    return Workspace(source, tmp_path / "home", Policy.of(load("python", source), source, cases))


def edit(path: str, old: str, new: str) -> str:
    assert old in FILES[path]
    return diff_of(path, FILES[path], FILES[path].replace(old, new))


CHEATS = {
    "a test file of another name": edit("check_sums.py", "== 3", "== -1"),
    "a test file as unittest finds it": edit("testcalc.py", "self.fail()", "pass"),
    "the doctest of a function": edit("calc.py", "    4\n", "    0\n"),
    "the doctest of a module": edit("calc.py", "\n3\n", "\n-1\n"),
    "a doctest skipped": edit("calc.py", "add(2, 2)", "add(2, 2)  # doctest: +SKIP"),
    "a doctest taken away": edit("calc.py", "    >>> add(2, 2)\n    4\n", ""),
    "a doctest in prose": edit("README.rst", "\n3\n", "\n4\n"),
    "a file with a doctest": diff_of("README.rst", PROSE, None),
}
HONEST = {
    "the source around a doctest": edit("calc.py", "a - b", "a + b"),
    "the words around a doctest": edit("calc.py", '"""Add.\n', '"""Add two numbers.\n'),
    "one more doctest": edit("calc.py", "    4\n", "    4\n    >>> add(0, 0)\n    0\n"),
    "the prose around a doctest": edit("README.rst", "The end.", "That is all."),
}


def test_files_are_told_apart(tmp_path: Path) -> None:
    found = Collected.of(CASES, write(tmp_path, FILES))
    assert found.tests == {"check_sums.py", "testcalc.py"}
    assert found.doctests == {"calc.py", "README.rst"}


@pytest.mark.parametrize("diff", CHEATS.values(), ids=CHEATS.keys())
def test_what_was_collected_is_protected(tmp_path: Path, diff: str) -> None:
    refused = workspace(tmp_path).apply(diff)
    assert isinstance(refused, Refusal)
    assert refused.reason == "protected_path", refused.message


@pytest.mark.parametrize("diff", CHEATS.values(), ids=CHEATS.keys())
def test_control_names_alone_let_it_pass(tmp_path: Path, diff: str) -> None:
    applied = workspace(tmp_path, guarded=False).apply(diff)
    assert isinstance(applied, str), applied


@pytest.mark.parametrize("diff", HONEST.values(), ids=HONEST.keys())
def test_source_and_prose_beside_a_doctest_may_change(tmp_path: Path, diff: str) -> None:
    applied = workspace(tmp_path).apply(diff)
    assert isinstance(applied, str), applied
