"""Real test runs as probes, without a container: a copy, `git apply`, pytest, the JUnit report."""

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from junitparser import Error, Failure, JUnitXml, Skipped, TestCase

from sandbox.proposer import BudgetSpent, ProbeRefused, Refusal, Situation, Task, Tried
from sandbox.results import CaseResult, Cause, Result, Status, TestRun

SERVER = Path(__file__).with_name("forking_pytest.py")
SAFE = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1", "HOME": "/nonexistent"}


class Runner:
    """Runs pytest in a folder; one run at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        environment = {**SAFE, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        self._process = subprocess.Popen(
            [sys.executable, str(SERVER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def __call__(self, folder: Path, tests: Sequence[str] = ()) -> TestRun:
        report = folder.parent / f"{folder.name}.xml"
        options = ["--tb=short", "--color=no", "-p", "no:cacheprovider", "-o"]
        options += ["junit_family=xunit1", f"--junitxml={report}", f"--rootdir={folder}"]
        status = self._run(folder, [*options, *tests])
        if not report.exists():
            return TestRun(Status.UNUSABLE, Cause.NO_REPORT, exit_status=status)
        cases = tuple(read(case) for suite in JUnitXml.fromfile(str(report)) for case in suite)
        if status not in (0, 1):
            return TestRun(Status.UNUSABLE, exit_status=status, cases=cases)
        return TestRun(Status.FAIL if status else Status.PASS, exit_status=status, cases=cases)

    def _run(self, folder: Path, arguments: list[str]) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._lock:
            self._process.stdin.write(json.dumps([str(folder), arguments]) + "\n")
            self._process.stdin.flush()
            return int(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait(10)
        self._process.stdout.close()


def read(case: TestCase) -> CaseResult:
    """One element of the report with its native id."""
    file = case._elem.get("file")
    module = file.removesuffix(".py").replace("/", ".")
    inside = case.classname.removeprefix(module).strip(".")
    identity = "::".join([file, *([inside.replace(".", "::")] if inside else []), case.name])
    kinds = {Failure: Result.FAILED, Error: Result.ERROR, Skipped: Result.SKIPPED}
    for result in case.result:
        return CaseResult(identity, kinds[type(result)], case.time, (result.text or "")[-4000:])
    return CaseResult(identity, Result.PASSED, case.time)


@dataclass
class Probe:
    """A trial run on a copy; counts, keeps the diffs, and may be given a budget."""

    runner: Runner
    workspace: Path
    budget: int = 10_000
    diffs: list[str] = field(default_factory=list)
    protected: tuple[str, ...] = ()
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __call__(self, diff: str, tests: Sequence[str] = ()) -> TestRun:
        with self._lock:
            if len(self.diffs) >= self.budget:
                raise BudgetSpent("candidate runs")
            self.diffs.append(diff)
        if any(f"+++ b/{path}\n" in diff for path in self.protected):
            raise ProbeRefused(Refusal("protected", "This path is protected.", self.protected))
        with TemporaryDirectory() as room:
            copy = Path(room, "copy")
            shutil.copytree(self.workspace, copy)
            apply(copy, diff)
            return self.runner(copy, tests)


def apply(folder: Path, diff: str) -> None:
    """Strictly: git places nothing by guess here."""
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    subprocess.run(command, input=diff.encode(), cwd=folder, check=True, env=SAFE)


@dataclass
class Bench:
    """A folder with its baseline, as the loop would hand it to a proposer."""

    folder: Path
    runner: Runner
    task: Task = field(default_factory=lambda: Task("It does not work"))
    tried: tuple[Tried, ...] = ()
    probe: Probe = field(init=False)

    def __post_init__(self) -> None:
        self.baseline = self.runner(self.folder)
        self.probe = Probe(self.runner, self.folder)

    def situation(self, *targets: str) -> Situation:
        """All failing tests are targets unless some are named."""
        named = targets or tuple(sorted(self.baseline.failing))
        return Situation(
            task=self.task,
            attempt=len(self.tried) + 1,
            targets=named,
            baseline=self.baseline,
            last=self.baseline,
            workspace=self.folder,
            probe=self.probe,
            tried=self.tried,
        )


def never(diff: str, tests: Sequence[str] = ()) -> TestRun:
    """A probe for proposers that must not ask for one."""
    raise AssertionError(f"a probe was asked for: {diff}, {tests}")


def plain_situation(
    workspace: Path,
    *,
    task: Task | None = None,
    message: str = "",
    refusal: Refusal | None = None,
    tried: tuple[Tried, ...] = (),
    plan: int = 1,
) -> Situation:
    """One failing test, `tests/test_calc.py::test_add`, with `message` as its traceback."""
    case = CaseResult("tests/test_calc.py::test_add", Result.FAILED, 0.1, message)
    run = TestRun(Status.FAIL, exit_status=1, cases=(case,), output_tail="1 failed")
    return Situation(
        task=task or Task("Sums are wrong", "add(1, 2) gives -1"),
        attempt=len(tried) + 1,
        targets=(case.id,),
        baseline=run,
        last=run,
        workspace=workspace,
        probe=never,
        plan=plan,
        refusal=refusal,
        tried=tried,
    )
