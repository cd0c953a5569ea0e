"""What every test may use: the seed, the shared data, a Docker executor and its image."""

import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from sandbox.executor.docker import DockerExecutor
from sandbox.executor.model import SandboxError

ROOT = Path(__file__).parents[1]
SEED = int(os.environ.get("PATCHWRIGHT_SEED") or random.SystemRandom().randrange(1 << 31))


def pytest_report_header() -> str:
    """The seed stands at the top of the output, so that a sample can be drawn again."""
    return f"PATCHWRIGHT_SEED={SEED}"


def pytest_configure() -> None:
    """Workers of one run share the seed."""
    os.environ["PATCHWRIGHT_SEED"] = str(SEED)


@pytest.fixture
def chance(request: pytest.FixtureRequest) -> random.Random:
    """A source of chance of this test's own, the same for the same seed."""
    return random.Random(f"{SEED}:{request.node.nodeid}")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The inputs for tests that lie beside the checkout; a user's clone has no such folder."""
    found = ROOT.parent / "shared" / "data"
    if not found.is_dir():
        pytest.skip(f"no {found.name} folder beside the checkout")
    return found


@pytest.fixture(scope="session")
def executor() -> Iterator[DockerExecutor]:
    """The real engine."""
    try:
        made = DockerExecutor()
    except SandboxError as error:
        pytest.skip(f"no Docker engine: {error}")
    yield made
    made.close()


@pytest.fixture(scope="session")
def image(executor: DockerExecutor) -> str:
    """The Python sandbox image, made if it is missing."""
    return executor.image("python", lambda _: None).id
