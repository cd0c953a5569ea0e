"""Added lines that look like gaming: never a refusal, always shown to a person."""

import re
from collections.abc import Iterable, Iterator

from unidiff.patch import PatchSet

AT_MOST = 5
SHOWN = 160


def suspicious(diff: str, patterns: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """One warning for each added line that matches; `patterns` are (why, regular expression)."""
    compiled = [(why, re.compile(pattern)) for why, pattern in patterns]
    found = list(_matches(diff, compiled))
    more = [f"and {len(found) - AT_MOST} more such lines"] if len(found) > AT_MOST else []
    return (*found[:AT_MOST], *more)


def _matches(diff: str, patterns: list[tuple[str, re.Pattern[str]]]) -> Iterator[str]:
    for path, number, line in _added(diff):
        for why, pattern in patterns:
            if pattern.search(line):
                yield f"{path}:{number} {why}: `{line.strip()[:SHOWN]}`"
                break


def _added(diff: str) -> Iterator[tuple[str, int, str]]:
    # Only a newline ends a line of git's: `splitlines` also breaks at a form feed inside of one.
    lines = (line + "\n" for line in diff.split("\n")[:-1])
    for changed in PatchSet(lines):
        for hunk in changed:
            for line in hunk:
                if line.is_added:
                    yield changed.path, line.target_line_no or 0, line.value
