"""Frames out of the text that a test runner prints for a failing test."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

_SHORT = re.compile(r"^(?P<path>[^\s:][^:\n]*\.py):(?P<line>\d+): ?", re.MULTILINE)
_NATIVE = re.compile(r'^\s*File "(?P<path>[^"\n]+)", line (?P<line>\d+)', re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Frame:
    """A place in a file of the repository, path relative to its root, line 1-based."""

    path: str
    line: int


def frames(text: str, files: Collection[str]) -> list[Frame]:
    """The frames that lie in `files`, outermost first, in the forms of pytest and of Python."""
    found = sorted(
        (match.start(), match["path"], int(match["line"]))
        for pattern in (_SHORT, _NATIVE)
        for match in pattern.finditer(text)
    )
    return list(_inside(found, files))


def _inside(found: list[tuple[int, str, int]], files: Collection[str]) -> Iterator[Frame]:
    for _, written, line in found:
        path = _known(written.replace("\\", "/"), files)
        if path is not None:
            yield Frame(path, line)


def _known(written: str, files: Collection[str]) -> str | None:
    """The longest file name that `written` ends with: roots differ inside a container."""
    parts = [part for part in written.split("/") if part not in ("", ".", "..")]
    for first in range(len(parts)):
        path = "/".join(parts[first:])
        if path in files:
            return path
    return None
