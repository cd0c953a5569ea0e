"""The `command:` protocol with real processes; each guard with its control."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest

from app.models.command import CommandProposer, CommandUnusable
from app.models.process import allowed
from sandbox.proposer import Proposal, ProposerFailed, Refusal, Situation, Usage
from tests.models.probing import plain_situation

Write = Callable[[str], str]


@pytest.fixture
def situation(tmp_path: Path) -> Situation:
    refusal = Refusal("protected_path", "tests are protected", ("tests/test_calc.py",))
    return plain_situation(tmp_path, refusal=refusal)


@pytest.fixture
def program(tmp_path: Path) -> Write:
    """Writes a Python program and gives the command line that runs it."""

    def write(body: str) -> str:
        file = tmp_path / "a program.py"
        file.write_text(f"import json, os, subprocess, sys, time\n{body}\n")
        return f"{shlex.quote(sys.executable)} {shlex.quote(str(file))}"

    return write


def ask(command: str, situation: Situation, timeout: float = 30, cap: int = 10_000) -> Proposal:
    """One attempt."""
    return CommandProposer(command, timeout, cap)(situation)


def test_the_request_is_that_of_version_1(
    tmp_path: Path, program: Write, situation: Situation
) -> None:
    copy = tmp_path / "request.json"
    command = program(f"open({str(copy)!r}, 'w').write(sys.stdin.read())")
    assert ask(command, situation).diff is None
    assert json.loads(copy.read_text()) == {
        "version": 1,
        "role": "patch",
        "task": {"title": "Sums are wrong", "body": "add(1, 2) gives -1"},
        "plan": 1,
        "attempt": 1,
        "targets": ["tests/test_calc.py::test_add"],
        "last": {
            "status": "fail",
            "cause": None,
            "failing": ["tests/test_calc.py::test_add"],
            "output_tail": "1 failed",
            "refusal": {
                "reason": "protected_path",
                "message": "tests are protected",
                "paths": ["tests/test_calc.py"],
            },
        },
        "workspace": str(tmp_path),
    }


def test_a_raw_diff_is_handed_on_byte_for_byte(program: Write, situation: Situation) -> None:
    command = program(r"sys.stdout.buffer.write(b'--- a/x\r\n+++ b/x\n+\xff\n')")
    diff = ask(command, situation).diff
    assert diff is not None
    assert diff.encode("utf-8", "surrogateescape") == b"--- a/x\r\n+++ b/x\n+\xff\n"


def test_the_command_is_split_and_no_shell_reads_it(situation: Situation) -> None:
    echo = f"{shlex.quote(sys.executable)} -c 'import sys; print(sys.argv[1:])'"
    assert ask(f"{echo} 'a b' '$(id)' ';' ls", situation).diff == "['a b', '$(id)', ';', 'ls']\n"


ANSWERS = [
    ({"version": 1, "kind": "diff", "text": "d"}, Proposal("d")),
    (
        {"version": 1, "kind": "diff", "text": "d", "usage": {"model_calls": 2, "tokens_out": 9}},
        Proposal("d", "", Usage(2, 0, 9, None)),
    ),
    ({"version": 1, "kind": "give_up", "text": "no idea"}, Proposal(None, "no idea")),
    ({"version": 1, "kind": "give_up"}, Proposal(None, "The command gave up.")),
    ({"version": 1, "kind": "diff", "text": " "}, Proposal(None, "The command gave up.")),
]


@pytest.mark.parametrize(("answer", "proposal"), ANSWERS)
def test_json_answers(
    program: Write, situation: Situation, answer: dict[str, object], proposal: Proposal
) -> None:
    assert ask(program(f"print(json.dumps({answer!r}))"), situation) == proposal


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ({"version": 2, "kind": "diff", "text": "d"}, "`version`"),
        ({"kind": "diff", "text": "d"}, "`version`"),
        ({"version": 1, "kind": "patch"}, "`kind`"),
        ({"version": 1, "kind": "plan", "text": "p"}, "answered with a plan"),
    ],
)
def test_json_of_another_form_is_a_failed_attempt(
    program: Write, situation: Situation, answer: dict[str, object], words: str
) -> None:
    with pytest.raises(ProposerFailed, match=words):
        ask(program(f"print(json.dumps({answer!r}))"), situation)


def test_an_empty_answer_gives_up(program: Write, situation: Situation) -> None:
    assert ask(program("print()"), situation) == Proposal(None, "The command gave an empty answer.")


def test_who_does_not_read_the_request_blocks_nobody(program: Write, tmp_path: Path) -> None:
    long = plain_situation(tmp_path, message="", refusal=Refusal("x", "y" * 2_000_000))
    assert ask(program("print('d')"), long).diff == "d\n"


def test_exit_status_and_last_words_are_told(program: Write, situation: Situation) -> None:
    with pytest.raises(ProposerFailed, match=r"exit status 3.*last words: no key"):
        ask(program("sys.stderr.write('first\\nno key\\n')\nsys.exit(3)"), situation)
    with pytest.raises(ProposerFailed, match="killed by signal 9"):
        ask(program("os.kill(os.getpid(), 9)"), situation)


def test_a_command_that_is_not_there(situation: Situation) -> None:
    with pytest.raises(ProposerFailed, match="cannot be started: No such file"):
        ask("/nonexistent/fixer", situation)


@pytest.mark.parametrize("command", ["", "  ", "fix 'open"])
def test_no_command_line(command: str) -> None:
    with pytest.raises(CommandUnusable):
        CommandProposer(command)


def test_too_much_output_ends_it_early(program: Write, situation: Situation) -> None:
    began = monotonic()
    with pytest.raises(ProposerFailed, match="more than 10000 bytes"):
        ask(program("while True: print('x' * 1000, flush=True)"), situation)
    assert monotonic() - began < 20
    # Control: within the cap the same program is a normal answer.
    assert len(ask(program("print('x' * 9000)"), situation).diff or "") == 9001


SECRETS = {"PATCHWRIGHT_GEMINI_API_KEY": "hidden-1", "GITHUB_TOKEN": "hidden-2", "LC_TIME": "C"}
SHOW = "print(json.dumps(dict(os.environ)))\nprint('end')"


def test_no_secret_of_ours_is_inherited(
    program: Write, situation: Situation, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in SECRETS.items():
        monkeypatch.setenv(name, value)
    shown = ask(program(SHOW), situation).diff or ""
    assert "hidden" not in shown
    assert '"LC_TIME": "C"' in shown
    assert '"PATH"' in shown
    # Control: with the whole environment the same program sees them.
    open_to_all = CommandProposer(program(SHOW), 30, 100_000, lambda: os.environ)(situation)
    assert "hidden-1" in (open_to_all.diff or "")


def test_the_allow_list_is_by_name() -> None:
    given = {"PATH": "p", "LC_ALL": "l", "HOME": "h", "AWS_SECRET": "s", "PYTHONPATH": "y"}
    assert allowed(given) == {"PATH": "p", "LC_ALL": "l", "HOME": "h"}


def with_a_child(tmp_path: Path, seconds: float) -> tuple[str, Path, Path]:
    """A program that waits for its child; the child marks its start, and its life later on."""
    started, alive = tmp_path / "started", tmp_path / "alive"
    child = (
        f"import pathlib, time; pathlib.Path({str(started)!r}).touch(); time.sleep({seconds}); "
        f"pathlib.Path({str(alive)!r}).touch()"
    )
    return f"subprocess.run([sys.executable, '-c', {child!r}])", started, alive


def test_the_deadline_kills_the_children_too(
    tmp_path: Path, program: Write, situation: Situation
) -> None:
    body, started, alive = with_a_child(tmp_path, 3)
    began = monotonic()
    with pytest.raises(ProposerFailed, match=r"did not end within 2 seconds"):
        ask(program(body), situation, timeout=2)
    assert monotonic() - began < 20
    assert started.exists()
    sleep(3)
    assert not alive.exists()


def test_control_a_child_left_alone_would_have_lived(tmp_path: Path, program: Write) -> None:
    """The same program, killed without its group: the child goes on and leaves its mark."""
    body, _, alive = with_a_child(tmp_path, 3)
    with pytest.raises(subprocess.TimeoutExpired):
        subprocess.run(shlex.split(program(body)), timeout=2, check=False)
    for _ in range(100):
        if alive.exists():
            return
        sleep(0.1)
    pytest.fail("the child did not live")


def test_a_child_that_holds_the_output_open_does_not_hold_us(
    program: Write, situation: Situation
) -> None:
    body = "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(20)'])\nprint('d')"
    began = monotonic()
    assert ask(program(body), situation).diff == "d\n"
    assert monotonic() - began < 15
