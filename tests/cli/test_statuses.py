"""Exit statuses and the one JSON object, as a calling script sees them."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from app.cli.console import answer as answer_of_the_cli
from app.cli.fix import read_issue
from sandbox.executor.docker import DockerExecutor
from sandbox.executor.owner import OWNER
from sandbox.proposer import Task
from tests.support.repositories import CALC, FIX, FIXED, TARGET, TESTS, calc, diff_of


def call(*words: str | Path, stdin: str = "", **env: str) -> tuple[int, str, str]:
    """Exit status, stdout and stderr of one command line."""
    ended = subprocess.run(
        [sys.executable, "-m", "app.cli", *map(str, words)],
        input=stdin,
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        timeout=300,
        check=False,
    )
    return ended.returncode, ended.stdout, ended.stderr


def answer(*words: str | Path, **more: str) -> tuple[int, dict[str, Any]]:
    """Exit status and the JSON object; anything beside it on stdout is an error."""
    status, out, err = call(*words, "--json", **more)
    assert out.count("\n") == 1, (out, err)
    return status, json.loads(out)


def replies(folder: Path, *diffs: str) -> str:
    """A `replay:` proposer with these diffs."""
    path = folder / "replies.jsonl"
    path.write_text("".join(json.dumps({"kind": "diff", "text": d}) + "\n" for d in diffs))
    return f"replay:{path}"


@pytest.mark.docker
def test_fixed_is_0_and_leaves_the_folder_alone(tmp_path: Path) -> None:
    source = calc(tmp_path / "source")
    status, said = answer("fix", source, "--proposer", replies(tmp_path, FIX))
    assert (status, said["state"], said["outcome"]) == (0, "done", "fixed")
    assert {"state", "outcome", "reason", "ledger", "diff", "targets", "proof"} <= set(said)
    assert said["targets"] == [TARGET]
    assert said["proof"]["verdict"] == "proved"
    assert (source / "calc.py").read_text() == CALC
    assert (Path(said["written_to"]) / "calc.py").read_text() == FIXED


@pytest.mark.docker
def test_in_place_writes_only_what_is_proved(tmp_path: Path) -> None:
    source = calc(tmp_path / "source")
    useless = diff_of("calc.py", CALC, CALC.replace("a * b", "b * a"))
    proposer = replies(tmp_path, useless, useless)
    status, said = answer("fix", source, "--in-place", "--proposer", proposer)
    assert (status, said["outcome"]) == (10, "no_progress")
    assert (source / "calc.py").read_text() == CALC
    status, _ = answer("fix", source, "--in-place", "--proposer", replies(tmp_path, FIX))
    assert status == 0
    assert (source / "calc.py").read_text() == FIXED


@pytest.mark.docker
@pytest.mark.parametrize(
    ("files", "proposer", "status", "outcome", "reason"),
    [
        ({}, "replay", 12, "gave_up", "nothing_left"),
        ({"calc.py": FIXED}, "replay", 12, "gave_up", "not_reproduced"),
        ({"tests/test_calc.py": "import nowhere\n"}, "replay", 13, "unrunnable", "collection"),
        ({"tests/test_calc.py": "x = 1\n"}, "replay", 13, "unrunnable", "no_tests"),
    ],
)
def test_each_end_has_its_status(
    tmp_path: Path, files: dict[str, str], proposer: str, status: int, outcome: str, reason: str
) -> None:
    source = calc(tmp_path / "source", **files)
    found, said = answer("fix", source, "--proposer", replies(tmp_path))
    assert (found, said["outcome"], said["reason"]) == (status, outcome, reason), said
    assert (said["ledger"]["test_runs"], said["ledger"]["attempts"]) == (1, 0)


@pytest.mark.docker
def test_an_empty_folder_is_unrunnable(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    status, said = answer("fix", tmp_path / "empty", "--proposer", replies(tmp_path))
    assert (status, said["outcome"], said["reason"]) == (13, "unrunnable", "no_tests")
    assert said["ledger"]["test_runs"] == 0


def commanded(folder: Path, script: str) -> str:
    """A `command:` proposer that runs these lines of Python, in which `FIX` is the right diff."""
    path = folder / "propose.py"
    path.write_text(f"FIX = {FIX!r}\n{script}")
    return f"command:{sys.executable} {path}"


@pytest.mark.docker
def test_in_place_leaves_a_folder_that_changed_meanwhile(tmp_path: Path) -> None:
    """What was proved is the change on the folder as it was, and a person's edit is not lost."""
    source = calc(tmp_path / "source")
    edited = CALC.replace("a * b", "a * b * 1")
    edit = f"open({str(source / 'calc.py')!r}, 'w').write({edited!r})\nprint(FIX)\n"
    words = ("fix", source, "--in-place", "--proposer", commanded(tmp_path, edit))
    status, said = answer(*words)
    assert (status, said["state"]) == (14, "refused")
    assert (source / "calc.py").read_text() == edited
    copy = Path(said["error"].split(" is in ")[1].rstrip("."))
    assert (copy / "calc.py").read_text() == FIXED


@pytest.mark.docker
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_person_stops_it_and_nothing_is_left(
    tmp_path: Path, executor: DockerExecutor, number: signal.Signals
) -> None:
    """In the middle of the proof, when two containers run in threads of their own."""
    slow = TESTS.replace("    assert add", "    import time; time.sleep(5)\n    assert add")
    source = calc(tmp_path / "source", **{"tests/test_calc.py": slow})
    words = [sys.executable, "-m", "app.cli", "verify", str(source), "--diff", "-", "--json"]
    pipe = subprocess.PIPE
    called = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert called.stdin is not None
    called.stdin.write(FIX)
    called.stdin.close()

    def running() -> int:
        labelled = executor.api.containers(all=True, filters={"label": OWNER})
        return sum(f":{called.pid}:" in found["Labels"][OWNER] for found in labelled)

    deadline = time.monotonic() + 60
    while running() < 2:
        assert time.monotonic() < deadline, "the proof did not begin"
        time.sleep(0.1)
    called.send_signal(number)
    assert called.stdout is not None
    assert called.stderr is not None
    said, err = called.stdout.read(), called.stderr.read()
    assert called.wait(60) == 130, err
    assert json.loads(said)["state"] == "cancelled"
    assert running() == 0
    called.stdout.close()
    called.stderr.close()


@pytest.mark.docker
def test_a_source_that_is_no_utf_8_is_shown_byte_for_byte(tmp_path: Path) -> None:
    source = calc(tmp_path / "source")
    head = b"# -*- coding: latin-1 -*-\n# caf\xe9\n"
    (source / "calc.py").write_bytes(head + CALC.encode())
    diff = "--- a/calc.py\n+++ b/calc.py\n@@ -6,2 +6,2 @@\n def add(a, b):\n"
    diff += "-    return a - b\n+    return a + b\n"
    words = ["fix", str(source), "--in-place", "--proposer", replies(tmp_path, diff)]
    command = [sys.executable, "-m", "app.cli", *words]
    ended = subprocess.run(command, capture_output=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr
    assert b"+    return a + b" in ended.stdout
    assert (source / "calc.py").read_bytes() == head + FIXED.encode()


def test_half_a_character_does_not_break_the_answer(
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    answer_of_the_cli({}, ["caf\udce9", "half \ud800"], as_json=False)
    assert capfdbinary.readouterr().out == b"caf\\udce9\nhalf \\ud800\n"
    answer_of_the_cli({}, ["caf\udce9"], as_json=False)
    assert capfdbinary.readouterr().out == b"caf\xe9\n"


@pytest.mark.docker
def test_the_ledger_is_told_to_people(tmp_path: Path) -> None:
    source = calc(tmp_path / "source")
    cheat = diff_of("tests/test_calc.py", TESTS, TESTS.replace("== 3", "== -1"))
    _, out, _ = call("fix", source, "--proposer", replies(tmp_path, cheat, cheat))
    assert "outcome: no_progress (protected_path)" in out
    assert "attempts 2, edits: 0 applied (0 kept, 0 reverted), 2 refused" in out
    assert "baseline fail 1 passed, 1 failed" in out


@pytest.mark.docker
def test_verify_statuses(tmp_path: Path) -> None:
    source = calc(tmp_path / "source")
    status, said = answer("verify", source, "--diff", "-", stdin=FIX)
    assert (status, said["verdict"]) == (0, "proved")
    assert {"verdict", "reasons", "targets", "runs", "isolation"} <= set(said)
    useless = diff_of("calc.py", CALC, CALC.replace("a * b", "b * a"))
    assert answer("verify", source, "--diff", "-", stdin=useless)[0] == 1


@pytest.mark.docker
def test_verify_without_something_to_prove(tmp_path: Path) -> None:
    green = calc(tmp_path / "green", **{"calc.py": FIXED})
    status, said = answer("verify", green, "--diff", "-", stdin=FIX)
    assert (status, said["reasons"][0].split(":")[0]) == (1, "no_target")
    red = calc(tmp_path / "red")
    passing = "tests/test_calc.py::test_mul"
    status, said = answer("verify", red, "--diff", "-", "--target", passing, stdin=FIX)
    assert (status, said["reasons"][0].split(":")[0]) == (1, "target_green_at_base")
    broken = calc(tmp_path / "broken", **{"tests/test_calc.py": "import nowhere\n"})
    status, said = answer("verify", broken, "--diff", "-", stdin=FIX)
    assert (status, said["verdict"]) == (13, "not proved")


def test_apply_needs_neither_docker_nor_settings(tmp_path: Path) -> None:
    source = calc(tmp_path / "source")
    nowhere = {"DOCKER_HOST": "unix:///nonexistent"}
    status, said = answer("apply", source, "--diff", "-", "--dry-run", stdin=FIX, **nowhere)
    assert (status, said["outcome"]) == (0, "applied")
    assert (source / "calc.py").read_text() == CALC
    status, said = answer("apply", source, "--diff", "-", stdin=FIX, **nowhere)
    assert status == 0
    assert (source / "calc.py").read_text() == FIXED
    wrong = diff_of("calc.py", "no\nsuch\nline\n", "x\n")
    status, said = answer("apply", source, "--diff", "-", stdin=wrong, **nowhere)
    assert (status, said["outcome"], said["reason"]) == (1, "refused", "no_match")
    assert (source / "calc.py").read_text() == FIXED


USAGE = [
    ("fix", "/no/such/folder"),
    ("fix",),
    ("verify", "."),
    ("fix", ".", "--max-attempts", "0"),
    ("fix", ".", "--timeout", "0"),
    ("nothing",),
]


@pytest.mark.parametrize("words", USAGE)
def test_wrong_usage_is_2_and_says_what(words: tuple[str, ...]) -> None:
    status, out, err = call(*words)
    assert (status, out) == (2, "")
    assert "Traceback" not in err
    assert err.strip()


REFUSED = [
    (("--proposer", "oracle"), "oracle"),
    (("--proposer", "replay:/no/such/file"), "/no/such/file"),
    (("--proposer", "gemini"), "PATCHWRIGHT_GEMINI_API_KEY"),
    (("--issue", "/no/such/issue"), "/no/such/issue"),
]


@pytest.mark.parametrize(("words", "names"), REFUSED)
def test_what_cannot_be_done_is_refused_in_one_sentence(
    tmp_path: Path, words: tuple[str, ...], names: str
) -> None:
    source = calc(tmp_path / "source")
    status, said = answer("fix", source, *words)
    assert (status, said["state"]) == (14, "refused")
    assert names in said["error"]


def test_no_engine_is_told_with_what_to_do(tmp_path: Path) -> None:
    source = calc(tmp_path / "source")
    proposer = replies(tmp_path, FIX)
    gone = {"DOCKER_HOST": "unix:///nonexistent"}
    status, said = answer("fix", source, "--proposer", proposer, **gone)
    assert status == 70
    assert "make engine" in said["error"]
    status, said = answer("doctor", **gone)
    assert status == 1
    assert "make engine" in said["mend"][0]


@pytest.mark.docker
def test_doctor_says_what_is_proved(image: str) -> None:
    status, said = answer("doctor")
    assert status == 0, said
    assert {"runtimes", "engine", "images", "credentials"} <= set(said)
    proved = {runtime["name"]: runtime["proved"] for runtime in said["runtimes"]}
    assert proved["runc"]
    assert said["images"][0]["present"]


@pytest.mark.docker
def test_runsc_is_used_when_asked_for(tmp_path: Path) -> None:
    status, said = answer("doctor")
    gvisor = {runtime["name"]: runtime["proved"] for runtime in said["runtimes"]}
    source = calc(tmp_path / "source")
    words = ("verify", source, "--diff", "-", "--runtime", "runsc")
    status, said = answer(*words, stdin=FIX)
    if gvisor["runsc"]:
        assert (status, said["isolation"]["runtime"]) == (0, "runsc")
    else:
        assert (status, said["state"]) == (70, "failed")


def test_an_issue_is_a_title_and_a_body(tmp_path: Path) -> None:
    (tmp_path / "issue.md").write_text("# add is wrong\n\nIt subtracts.\n")
    assert read_issue(str(tmp_path / "issue.md")) == Task("add is wrong", "It subtracts.")
