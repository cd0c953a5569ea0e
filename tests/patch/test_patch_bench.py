"""The bench's judge: a tool that writes wrongly, half, nothing or outside is told apart."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench import patches
from tests.bench._cases import Case, Claim, Tool, Verdict, judge, load_cases
from tests.bench._tools import git_apply, ours

DIFF = "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+three\n"


def make_case(folder: Path, *, reason: str | None = None) -> Case:
    """A case on disk: `two` becomes `three`, or must be refused."""
    (folder / "case" / "before").mkdir(parents=True)
    (folder / "case" / "before" / "a.txt").write_text("one\ntwo\n")
    (folder / "case" / "diff.patch").write_text(DIFF)
    if reason is None:
        (folder / "case" / "after").mkdir()
        (folder / "case" / "after" / "a.txt").write_text("one\nthree\n")
    else:
        (folder / "case" / "expect_refused.txt").write_text(reason + "\n")
    (folder / "case" / "meta.json").write_text(json.dumps({"group": "control"}))
    return load_cases(folder)[0]


def writes(text: str, path: str = "a.txt", success: bool = True) -> Tool:
    """A tool that writes one file and claims what it is told to."""

    def run(root: Path, diff: bytes) -> Claim:
        (root / path).write_text(text)
        return Claim(success)

    return run


@pytest.mark.parametrize(
    ("tool", "verdict"),
    [
        (writes("one\nthree\n"), Verdict.RIGHT),
        (writes("one\nthree\n", success=False), Verdict.DIRTY),
        (writes("one\nfour\n"), Verdict.WRONG),
        (writes("one\ntwo\n"), Verdict.LIE),
        (writes("one\ntwo\n", success=False), Verdict.REFUSED),
        (writes("one\nthree\n", path="../away.txt"), Verdict.WRONG),
        (writes("x\n", path="more.txt"), Verdict.WRONG),
        (git_apply(), Verdict.RIGHT),
        (ours, Verdict.RIGHT),
    ],
)
def test_judge_on_a_case_to_apply(tool: Tool, verdict: Verdict, tmp_path: Path) -> None:
    assert judge(make_case(tmp_path), tool)[0] is verdict


@pytest.mark.parametrize(
    ("tool", "verdict"),
    [
        (writes("one\ntwo\n", success=False), Verdict.RIGHT),
        (writes("one\nthree\n"), Verdict.WRONG),
        (writes("one\nthree\n", success=False), Verdict.DIRTY),
        (writes("one\ntwo\n"), Verdict.LIE),
        (lambda root, diff: Claim(False, "conflict"), Verdict.WRONG_REASON),
    ],
)
def test_judge_on_a_case_to_refuse(tool: Tool, verdict: Verdict, tmp_path: Path) -> None:
    assert judge(make_case(tmp_path, reason="no_match"), tool)[0] is verdict


def test_modes_and_links_are_judged(tmp_path: Path) -> None:
    case = make_case(tmp_path)
    case.meta["after_modes"] = {"a.txt": "100755"}
    case.meta["before_symlinks"] = {"link": "a.txt"}
    assert judge(case, ours)[0] is Verdict.WRONG, "the file was not made executable"

    def drops_link(root: Path, diff: bytes) -> Claim:
        (root / "a.txt").write_text("one\nthree\n")
        (root / "a.txt").chmod(0o755)
        (root / "link").unlink()
        return Claim(True)

    assert judge(case, drops_link)[0] is Verdict.WRONG


def test_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make_case(tmp_path)
    assert patches.main([str(tmp_path), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["cases"] == 1
    assert report["tools"]["patchwright"]["apply"] == {"right": 1}
    assert report["tools"]["git apply"]["controls"] == {"right": 1}
    assert patches.main([str(tmp_path), "--tool", "patchwright"]) == 0
    assert "patchwright" in capsys.readouterr().out
