"""Which files of a checkout are Python source and which are tests."""

import os
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

_SKIPPED = frozenset(
    {".git", ".hg", ".tox", ".nox", ".venv", "venv", "env", "node_modules", "build", "dist"}
    | {"site-packages", "__pycache__"}
)
_TEST_NAMES = ("test_*.py", "*_test.py", "tests.py", "test.py", "conftest.py")
_TEST_FOLDERS = frozenset({"test", "tests", "testing"})
_NOT_SOURCE = frozenset({"setup.py", "noxfile.py", "conf.py", "fabfile.py", "tasks.py"})
_NOT_SOURCE_FOLDERS = frozenset({"docs", "doc", "examples", "example", "benchmarks", "scripts"})
_MOST = 4000


@dataclass(frozen=True, slots=True)
class Listing:
    """Relative paths with slashes, sorted. `source` may be edited, `tests` are only read."""

    source: tuple[str, ...]
    tests: tuple[str, ...]


def listing(root: Path) -> Listing:
    """All Python files under `root`, split; links are not followed."""
    source: list[str] = []
    tests: list[str] = []
    for path in _python_files(root):
        if is_test(path):
            tests.append(path)
        elif not _aside(path):
            source.append(path)
    return Listing(tuple(sorted(source)[:_MOST]), tuple(sorted(tests)[:_MOST]))


def is_test(path: str) -> bool:
    """Whether the name of the file or of a folder above it says that it holds tests."""
    *folders, name = path.split("/")
    return bool(_TEST_FOLDERS & set(folders)) or any(
        fnmatch(name, pattern) for pattern in _TEST_NAMES
    )


def _aside(path: str) -> bool:
    *folders, name = path.split("/")
    return bool(folders and folders[0] in _NOT_SOURCE_FOLDERS) or (
        name in _NOT_SOURCE and len(folders) <= 1
    )


def _python_files(root: Path) -> list[str]:
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if f not in _SKIPPED and not f.endswith(".egg-info"))
        base = Path(folder).relative_to(root)
        found += [
            (base / name).as_posix()
            for name in names
            if name.endswith(".py") and not Path(folder, name).is_symlink()
        ]
    return found
