"""A runner for the session, and benches made from files."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.models.probing import Bench, Runner


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    running = Runner()
    yield running
    running.close()


@pytest.fixture
def bench(tmp_path: Path, runner: Runner) -> Callable[[dict[str, str]], Bench]:
    """Makes a bench from files (path → text)."""

    def make(files: dict[str, str]) -> Bench:
        folder = tmp_path / "project"
        for path, text in files.items():
            file = folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text.encode())
        return Bench(folder, runner)

    return make
