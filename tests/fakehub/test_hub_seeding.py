"""The Python face: seeding, looking, starting and stopping."""

import socket
import subprocess
import sys
import threading
import urllib.request
from pathlib import Path

import pytest

from app.fakehub import FakeHub
from tests.fakehub.conftest import World

HOME = ("ada", "demo")


def test_what_is_missing_or_doubled_is_told(world: World) -> None:
    hub = world.hub
    with pytest.raises(LookupError, match="call create_user first"):
        hub.create_issue(*HOME, "t", "b", author="nobody")
    with pytest.raises(LookupError, match="call create_repository first"):
        hub.branches("ada", "nowhere")
    with pytest.raises(ValueError, match="exists already"):
        hub.create_repository(*HOME, None)
    with pytest.raises(LookupError, match="no issue #9"):
        hub.label_issue(*HOME, 9, "x", actor="ada")
    with pytest.raises(LookupError, match="has no file"):
        hub.file(*HOME, "main", "nope.txt")


def test_the_first_commit_leaves_out_what_is_ignored(world: World, tmp_path: Path) -> None:
    folder = tmp_path / "with-ignored"
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "config").write_text("not a repository")
    (folder / ".gitignore").write_text("*.pyc\n")
    (folder / "a.pyc").write_text("x")
    script = folder / "run.sh"
    script.write_text("#!/bin/sh\n")
    script.chmod(0o755)
    (folder / "link").symlink_to("run.sh")
    world.hub.create_repository("ada", "modes", folder, default_branch="trunk")
    listed = world.bot().git.get_tree("ada", "modes", "trunk").parsed_data.tree
    assert {one.path: one.mode for one in listed} == {
        ".gitignore": "100644",
        "run.sh": "100755",
        "link": "120000",
    }


def test_numbers_are_shared_and_unique_under_load(world: World) -> None:
    def open_some() -> None:
        for _ in range(20):
            world.hub.create_issue(*HOME, "t", "b", author="ada")

    threads = [threading.Thread(target=open_some) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    numbers = [world.hub.create_issue(*HOME, "last", "b", author="ada")]
    assert numbers == [102]


def test_a_taken_port_is_told_and_a_free_one_released(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        hub = FakeHub(tmp_path, port=port)
        with pytest.raises(OSError, match="in use"):
            hub.start()
    for _ in range(2):
        with FakeHub(tmp_path / "data", port=port) as again:
            assert again.url == f"http://127.0.0.1:{port}"


def test_by_hand(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "app.fakehub", "--port", "0", "--data", str(tmp_path)]
    root = Path(__file__).resolve().parents[2]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=root) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(url, timeout=20) as answer:
            assert b"This repository is empty" in answer.read()
        process.terminate()
        assert process.wait(timeout=20) == 0
