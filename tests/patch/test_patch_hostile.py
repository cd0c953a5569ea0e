"""Answers and files made to be slow or deep: each ends soon and in a result."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from sandbox.patch import Applied, Refused, apply_answer

NAMES = "--- a/f.txt\n+++ b/f.txt\n"
LIMIT_S = 20.0

SAME = "same line\n" * 30_000
GROUPS = "".join(f" keep {at}\n-gone {at}\n+new {at}\n" for at in range(3_000))

HOSTILE = {
    "one_line_thirty_thousand_times": (SAME, NAMES + "@@ x @@\n same line\n-same line\n+other\n"),
    "very_many_groups": ("keep 1\n" * 5_000, NAMES + "@@\n" + GROUPS),
    "like_lines_many_ways": (
        "alpha beta gamma\ndelta epsilon zeta\n" * 400,
        NAMES
        + "@@\n"
        + " alpha beta gamma\n-delta epsilon zeta\n+x\n" * 40
        + " nothing like it at all\n",
    ),
    "blanks": ("a\n", NAMES + "@@\n-" + " " * 200_000 + "\n+x\n"),
    "dots": ("a\n", NAMES + "@@\n-" + "." * 200_000 + "\n+" + "... " * 50_000 + "\n"),
    "long_name": ("a\n", "--- a/" + "x" * 100_000 + "\n+++ b/" + "y/" * 50_000 + "\n@@\n-a\n+b\n"),
    "blank_name": (
        "a\n",
        "--- a/f" + " " * 100_000 + "(\n+++ b/f" + " " * 100_000 + "\n@@\n-a\n+b",
    ),
    "deep_json": ("a\n", "[" * 100_000 + '"\\n@@ -1 +1 @@"'),
    "open_fences": ("a\n", "```\n" * 50_000),
    "hunk_headers": ("a\n", NAMES + "@@ -1 +1 @@\n" * 50_000),
    "file_headers": ("a\n", NAMES * 20_000),
    "big_search_block": (
        SAME,
        "f.txt\n<<<<<<< SEARCH\n" + SAME + "=======\n" + SAME + "more\n>>>>>>> REPLACE\n",
    ),
    "huge_numbers": ("a\n", NAMES + "@@ -" + "9" * 5_000 + ",1 +1,1 @@\n-a\n+b\n"),
    "notice": ("a\n", NAMES + "@@\n-a\n+b\n[" + "truncated " * 20_000 + "\n"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_answer_ends_soon(name: str, tmp_path: Path) -> None:
    content, answer = HOSTILE[name]
    (tmp_path / "f.txt").write_text(content)
    start = time.process_time()
    result = apply_answer(tmp_path, answer)
    assert time.process_time() - start < LIMIT_S
    assert isinstance(result, (Applied, Refused))
    if isinstance(result, Refused):
        assert (tmp_path / "f.txt").read_text() == content


def test_answer_beyond_the_size_limit(tmp_path: Path) -> None:
    result = apply_answer(tmp_path, b"x" * (32 * 1024 * 1024 + 1))
    assert isinstance(result, Refused)
    assert result.reason == "unsupported"
