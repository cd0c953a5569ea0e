"""The search's own diffs hold for every file, also one in an old encoding."""

from pathlib import Path

import pytest

from app.models.search.diff import unified
from sandbox.patch import Applied, apply_answer

FILES = [
    b"# caf\xe9\ndef add(a, b):\n    return a - b  # \xe9\n",
    b"x = 1\n\n\ndef add(a, b):\n    return a - b",
    b"def add(a, b):\r\n    return a - b\r\n",
]


@pytest.mark.parametrize("old", FILES)
def test_the_diff_makes_exactly_the_edited_bytes(tmp_path: Path, old: bytes) -> None:
    new = old.replace(b"a - b", b"a + b")
    (tmp_path / "calc.py").write_bytes(old)
    diff = unified("calc.py", old, new)
    applied = apply_answer(tmp_path, diff.encode("utf-8", "surrogateescape"))
    assert isinstance(applied, Applied)
    assert (tmp_path / "calc.py").read_bytes() == new
