"""Stories as a run would leave them, made of the sandbox's own results."""

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from app.report.story import Story
from sandbox.executor.model import Isolation
from sandbox.ground import Environment, Ground, Worked
from sandbox.ledger import Ledger
from sandbox.outcome import Outcome, Verdict
from sandbox.proof import Counts, Kind, Proof, Row
from sandbox.proposer import Refusal, Tried, Usage
from sandbox.results import CaseResult, Result, Status, TestRun

TARGETS = ("tests/test_rrule.py::test_until_utc", "tests/test_rrule.py::test_until_naive")
DIFF = """\
diff --git a/dateutil/rrule.py b/dateutil/rrule.py
index 1111111..2222222 100644
--- a/dateutil/rrule.py
+++ b/dateutil/rrule.py
@@ -1,3 +1,4 @@
 import datetime
-until = until
+until = aware(until)
+# once, at parse time
 done = True
"""
ISOLATION = Isolation(
    "docker",
    "runsc",
    True,
    "Docker with gVisor, no network, no capabilities, unprivileged user",
)
ENVIRONMENT = Environment(
    "python", "pytest", "patchwright/python:3.11-1", "sha256:" + "ab" * 32, ISOLATION
)


def suite(failing: tuple[str, ...], passed: int = 412, skipped: int = 3) -> TestRun:
    cases = [CaseResult(f"tests/test_{n}.py::test", Result.PASSED) for n in range(passed)]
    cases += [CaseResult(f"tests/skip_{n}.py::test", Result.SKIPPED) for n in range(skipped)]
    cases += [CaseResult(name, Result.FAILED, message="AssertionError") for name in failing]
    status = Status.FAIL if failing else Status.PASS
    return TestRun(status, exit_status=1 if failing else 0, cases=tuple(cases), seconds=3.0)


def proof_of(verdict: Verdict = Verdict.PROVED, **changed: Any) -> Proof:  # noqa: ANN401 - any field of it
    base, fixed = "412 passed, 2 failed, 3 skipped", "414 passed, 0 failed, 3 skipped"
    rows = [
        *[Row(Kind.BASE, "targets", "0 passed, 2 failed", True, 0.8, TARGETS)] * 5,
        *[Row(Kind.FIXED, "targets", "2 passed, 0 failed", True, 0.8)] * 5,
        Row(Kind.BASE, "suite", base, True, 3.1, TARGETS),
        Row(Kind.FIXED, "suite", fixed, True, 3.2),
        Row(Kind.CONTROL, "suite", "414 passed, 2 failed, 3 skipped", True, 3.2, ("a::canary",)),
        Row(Kind.SHUFFLED, "suite, order 7", fixed, True, 3.3),
        Row(Kind.NEGATIVE, "targets", "0 passed, 2 failed", True, 0.8, TARGETS),
    ]
    proof = Proof(
        verdict,
        (),
        (),
        tuple(rows),
        DIFF,
        TARGETS,
        (),
        ISOLATION,
        ENVIRONMENT.image,
        ENVIRONMENT.image_id,
        ("python3", "-I", "/opt/patchwright/launch.py", "pytest"),
        Counts(412, 2, 3),
        Counts(414, 0, 3),
        (),
        15,
    )
    return replace(proof, **changed)


def ground_of(failing: tuple[str, ...] = TARGETS, known_red: tuple[str, ...] = ()) -> Ground:
    return Ground(ENVIRONMENT, suite(failing + known_red), failing, known_red)


def worked_of(outcome: Outcome | None = None, **changed: Any) -> Worked:  # noqa: ANN401 - likewise
    ledger = Ledger(3, 2, 1, 1, 1, 34, 6, Usage(2, 30_000, 1_400, 0.04), {"attempts": 21.0})
    tried = (
        Tried("", "refused", refusal=Refusal("protected_path", "It edits a test.", ("t/a.py",))),
        Tried(DIFF, "reverted", run=suite(TARGETS)),
        Tried(DIFF, "kept", run=suite(())),
    )
    worked = Worked(outcome, "green", "All targets pass.", DIFF, ledger, suite(()), tried)
    return replace(worked, **changed)


@pytest.fixture
def made() -> SimpleNamespace:
    """Builders of what the sandbox hands over."""
    return SimpleNamespace(
        proof=proof_of, ground=ground_of, worked=worked_of, suite=suite, targets=TARGETS
    )


@pytest.fixture
def story() -> Callable[..., Story]:
    """A run on issue 97 of ada/dates as far as the arguments say."""

    def build(**known: Any) -> Story:  # noqa: ANN401 - likewise
        whole: dict[str, Any] = {
            "run_id": "5f2b",
            "owner": "ada",
            "repo": "dates",
            "issue": 97,
            "title": "UNTIL loses its last day",
            "asked_by": "ada",
            "label": "patchwright",
            "base_sha": "3f2c9e1" + "0" * 33,
            "seconds": 372.0,
        }
        return Story(**{**whole, **known})

    return build
