"""Fixtures of the deploy tests: the real engine and the real image, or a skip that says why."""

from collections.abc import Iterator
from pathlib import Path

import docker
import pytest
from docker.errors import DockerException

from sandbox.images import ImageRef, ensure


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """The checkout these tests belong to."""
    return Path(__file__).resolve().parents[2]


@pytest.fixture
def engine() -> "Iterator[docker.DockerClient]":
    """A client of the engine that answers."""
    try:
        client = docker.from_env(timeout=120)
    except DockerException as error:
        pytest.skip(f"no Docker engine answers (make engine): {error}")
    yield client
    client.close()


@pytest.fixture
def image(engine: "docker.DockerClient") -> ImageRef:
    """The Python sandbox image, made first where it is missing."""
    return ensure(engine)
