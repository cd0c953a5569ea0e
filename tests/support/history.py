"""A release with the tests of the next one, and the change that the next one made to its source."""

import os
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.support.distributions import Release, unpacked


@dataclass(frozen=True, slots=True)
class Facts:
    """Two releases in a row and where their parts are; the counts are plain runners' own.

    `failing` tests of `after` fail with the source of `before`, `passing` others pass; no test
    fails with the source of `after`.
    """

    before: Release
    after: Release
    source: str
    tests: str
    failing: tuple[str, ...]
    passing: int
    skipped: int = 0


Files = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a package's history; diffs apply to `repository`, a plain tree.

    `source_diff` is what the next release made of the source. `with_tests_diff` takes the tests
    back to the earlier release as well. `source` and `tests` are the files that each would leave,
    by path.
    """

    name: str
    repository: Path
    source_diff: str
    with_tests_diff: str
    source: Files
    tests: Files
    old_tests: Files

    @property
    def changed_source(self) -> list[str]:
        """The source files that the next release changed."""
        return sorted(path for path, content in self.source.items() if not self.has(path, content))

    @property
    def changed_tests(self) -> list[str]:
        """The test files that the next release changed, among those that both have."""
        return sorted(p for p in self.old_tests if self.tests.get(p, b"") != self.old_tests[p])

    def has(self, path: str, content: bytes) -> bool:
        """Whether the repository has this file as it is said to be."""
        there = self.repository / path
        return there.is_file() and there.read_bytes() == content


def laid(facts: Facts, cache: Path, home: Path) -> Step:
    """Both releases fetched and put together below `home`. Raises `IndexUnreachable`."""
    before = unpacked(facts.before, cache, home / "before")
    after = unpacked(facts.after, cache, home / "after")
    old, new = _parts(before, facts), _parts(after, facts)
    repository = shutil.copytree(before, home / "repository")
    _replace(repository, facts.tests, new.tests)
    return Step(
        facts.before.name,
        repository,
        source_diff=_diff(repository, home / "source", new.source),
        with_tests_diff=_diff(repository, home / "tests", {**new.source, **old.tests}),
        source=new.source,
        tests=new.tests,
        old_tests=old.tests,
    )


@dataclass(frozen=True, slots=True)
class _Parts:
    source: Files
    tests: Files


def _parts(root: Path, facts: Facts) -> _Parts:
    tests = _below(root, facts.tests)
    source = _below(root, facts.source)
    assert tests, facts
    assert source, facts
    return _Parts({path: source[path] for path in source.keys() - tests.keys()}, tests)


def _below(root: Path, part: str) -> dict[str, bytes]:
    whole = root / part
    files = [whole] if whole.is_file() else [one for one in whole.rglob("*") if one.is_file()]
    return {one.relative_to(root).as_posix(): one.read_bytes() for one in sorted(files)}


def _replace(root: Path, part: str, files: Files) -> None:
    shutil.rmtree(root / part)
    _write(root, files)


def _write(root: Path, files: Files) -> None:
    for path, content in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(content)


def _diff(repository: Path, home: Path, files: Files) -> str:
    """What makes these files of the repository as given, as git says it."""
    shutil.copytree(repository, home / "a")
    _write(shutil.copytree(repository, home / "b"), files)
    command = ["git", "-c", "core.quotepath=off", "diff", "--no-index", "--no-prefix", "a", "b"]
    plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    ran = subprocess.run(
        command, cwd=home, env=dict(os.environ) | plain, capture_output=True, check=False
    )
    assert ran.returncode == 1, ran.stderr
    return ran.stdout.decode("utf-8")
