"""Small repositories with a real bug, written by hand for tests."""

import difflib
from collections.abc import Mapping
from pathlib import Path

CALC = '''"""Sums."""


def add(a, b):
    return a - b


def mul(a, b):
    return a * b


def names():
    return ["add", "mul"]
'''
FIXED = CALC.replace("a - b", "a + b")
TESTS = """from calc import add, mul


def test_add():
    assert add(1, 2) == 3


def test_mul():
    assert mul(2, 3) == 6
"""
TARGET = "tests/test_calc.py::test_add"


def write(root: Path, files: Mapping[str, str]) -> Path:
    """Lay the files below `root` and return it."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return root


def calc(root: Path, **more: str) -> Path:
    """A package with one failing and one passing test; `more` adds or replaces files."""
    return write(root, {"calc.py": CALC, "tests/test_calc.py": TESTS, **more})


def diff_of(path: str, old: str | None, new: str | None) -> str:
    """A unified diff of one file; None is an absent side."""
    before = [] if old is None else old.splitlines(keepends=True)
    after = [] if new is None else new.splitlines(keepends=True)
    names = (
        "/dev/null" if old is None else f"a/{path}",
        "/dev/null" if new is None else f"b/{path}",
    )
    return "".join(difflib.unified_diff(before, after, *names))


FIX = diff_of("calc.py", CALC, FIXED)
