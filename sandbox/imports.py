"""Which folders of a Python tree are imported by source outside of test code."""

import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from sandbox.toolchain import sources

TEST_FOLDERS = frozenset({"test", "tests"})
IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+(?P<source>[\w.]+)[ \t]+import[ \t]+(?P<names>[^#\n]+)"
    r"|import[ \t]+(?P<plain>[^#\n]+))",
    re.MULTILINE,
)


def is_imported(root: Path, folder: tuple[str, ...]) -> bool:
    """Whether a source file that lies in no test folder imports `folder` or something in it.

    `folder` is the path's parts from `root`; `src` and `lib` are import roots.
    """
    dotted = ".".join(from_import_root(folder))
    return any(name == dotted or name.startswith(dotted + ".") for name in _imported(root))


def from_import_root(parts: tuple[str, ...]) -> tuple[str, ...]:
    """A path's parts without the folder in which imports begin."""
    return parts[1:] if parts[:1] in (("src",), ("lib",)) and len(parts) > 1 else parts


@lru_cache(maxsize=8)
def _imported(root: Path) -> frozenset[str]:
    return frozenset(name for path in _source(root) for name in _names(path, root))


def _source(root: Path) -> Iterator[Path]:
    for path in sources(root):
        folders = {part.lower() for part in path.relative_to(root).parts[:-1]}
        stem = path.stem.lower()
        is_test = stem.startswith("test_") or stem.endswith("_test") or stem == "conftest"
        if not folders & TEST_FOLDERS and not is_test:
            yield path


def _names(path: Path, root: Path) -> Iterator[str]:
    package = from_import_root(path.relative_to(root).parts[:-1])
    for found in IMPORT.finditer(path.read_text(errors="replace")):
        if found["plain"]:
            yield from (name.split(" as ")[0].strip() for name in found["plain"].split(","))
            continue
        source = _absolute(found["source"], package)
        yield source
        listed = found["names"].strip("() \t").split(",")
        yield from (f"{source}.{name.split(' as ')[0].strip()}" for name in listed)


def _absolute(source: str, package: tuple[str, ...]) -> str:
    """One leading dot is the file's own package, each further one its parent."""
    name = source.lstrip(".")
    dots = len(source) - len(name)
    if not dots:
        return name
    base = package[: len(package) - dots + 1]
    return ".".join((*base, name)) if name else ".".join(base)
