"""Times the engine: fifty files at once, one large diff, and the growth with a file's length."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from unidiff.patch import PatchSet

from sandbox.patch import Applied, apply_answer

FILES, LINES = 50, 2_000
MANY_LIMIT_S = 0.200
LARGE_BYTES = 1_000_000
LARGE_LIMIT_S = 1.0
CURVE = (1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000)


def text_of(lines: int, mark: str) -> list[str]:
    """A file whose lines repeat in part, as code does."""
    return [
        f"    return value_{at % 7}"
        if at % 5 == 0
        else f"    {mark}_{at} = compute({at % 97}, {at})"
        for at in range(lines)
    ]


def edit(lines: list[str], every: int) -> tuple[list[str], list[tuple[int, str]]]:
    """The edited lines and what was changed: index and new text."""
    changed = [(at, lines[at] + "  # changed") for at in range(every // 2, len(lines), every)]
    after = list(lines)
    for at, text in changed:
        after[at] = text
    return after, changed


def diff_of(path: str, lines: list[str], changed: list[tuple[int, str]], shift: int = 0) -> str:
    """A unified diff with three lines of context and hunk headers off by `shift`."""
    rows = [f"--- a/{path}", f"+++ b/{path}"]
    for at, text in changed:
        low, high = max(at - 3, 0), min(at + 4, len(lines))
        rows.append(f"@@ -{low + 1 + shift},{high - low} +{low + 1 + shift},{high - low} @@")
        rows += [" " + line for line in lines[low:at]]
        rows += ["-" + lines[at], "+" + text]
        rows += [" " + line for line in lines[at + 1 : high]]
    return "\n".join(rows) + "\n"


def timed(files: dict[str, list[str]], answer: str) -> float:
    """Seconds of processor time, git's included, to apply an answer to a fresh tree and write it.

    Processor time and not the clock, so that other work of the machine does not count.
    """
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        for path, lines in files.items():
            (root / path).write_text("\n".join(lines) + "\n")
        start = _spent()
        result = apply_answer(root, answer)
        seconds = _spent() - start
    if not isinstance(result, Applied):
        raise SystemExit(f"not applied: {result.message}")
    return seconds


def _spent() -> float:
    times = os.times()
    return time.process_time() + times.children_user + times.children_system


def best(files: dict[str, list[str]], answer: str, rounds: int = 5) -> float:
    """The best of some rounds."""
    return min(timed(files, answer) for _ in range(rounds))


def many_files(rounds: int = 5) -> float:
    """Fifty files of 2,000 lines with one hunk each, line numbers wrong."""
    files = {f"m{n}.py": text_of(LINES, f"name{n}") for n in range(FILES)}
    parts = []
    for path, lines in files.items():
        changed = edit(lines, LINES)[1]
        parts.append(diff_of(path, lines, changed, shift=7))
    return best(files, "".join(parts), rounds)


def large_answer() -> tuple[list[str], str]:
    """One file and a diff of about a megabyte for it."""
    size = 40_000
    lines = text_of(size, "name")
    answer = ""
    while len(answer) < LARGE_BYTES:
        size += 4_000
        lines = text_of(size, "name")
        answer = diff_of("large.py", lines, edit(lines, 16)[1])
    return lines, answer


def large_diff(rounds: int = 3) -> tuple[float, int]:
    """The large diff applied; seconds and bytes."""
    lines, answer = large_answer()
    return best({"large.py": lines}, answer, rounds), len(answer)


def yardstick(rounds: int = 3) -> float:
    """Seconds that unidiff takes only to parse the large diff: how fast this machine is now."""
    rows = large_answer()[1].splitlines(keepends=True)
    found = []
    for _ in range(rounds):
        start = time.process_time()
        PatchSet(rows)
        found.append(time.process_time() - start)
    return min(found)


def curve(rounds: int = 5) -> list[tuple[int, float]]:
    """Seconds for one hunk in files of growing length, off by seven lines."""
    found = []
    for size in CURVE:
        lines = text_of(size, "name")
        answer = diff_of("one.py", lines, edit(lines, size)[1], shift=7)
        found.append((size, best({"one.py": lines}, answer, rounds)))
    return found


def main() -> int:
    """Prints the figures; exit status 1 if one misses its limit."""
    many, (large, size), points = many_files(), large_diff(), curve()
    rows = [
        f"{FILES} files x {LINES} lines: {many * 1000:.0f} ms (limit {MANY_LIMIT_S * 1000:.0f})",
        f"{size / 1e6:.2f} MB single-file diff: {large:.2f} s (limit {LARGE_LIMIT_S:.0f})",
        "one hunk, by length of the file:",
        *(f"  {lines:6d} lines {seconds * 1000:7.1f} ms" for lines, seconds in points),
    ]
    sys.stdout.write("\n".join(rows) + "\n")
    return 0 if many < MANY_LIMIT_S and large < LARGE_LIMIT_S else 1


if __name__ == "__main__":
    sys.exit(main())
