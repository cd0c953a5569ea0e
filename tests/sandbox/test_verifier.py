"""The proof: what an honest fix shows, and what each cheat in the source runs into."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from sandbox.executor.docker import DockerExecutor
from sandbox.executor.model import Limits
from sandbox.ground import NoTarget, Orders
from sandbox.outcome import Verdict
from sandbox.proof import Kind, Proof
from sandbox.proposer import Task
from sandbox.results import Cause, Status, TestRun
from sandbox.session import Session
from sandbox.suite import Suite
from sandbox.toolchain import detect
from sandbox.verifier import Verifier
from tests.support.repositories import CALC, FIX, FIXED, TARGET, TESTS, calc, diff_of, write

pytestmark = pytest.mark.docker

Prove = Callable[..., Proof]
LIMITS = Limits(seconds=60)


@pytest.fixture
def prove(executor: DockerExecutor, image: str, tmp_path: Path) -> Prove:
    def do(diff: str, targets: tuple[str, ...] = (), seconds: float = 600, **files: str) -> Proof:
        source = calc(tmp_path / "source", **files)
        session = Session(source, executor, LIMITS)
        orders = Orders(Task("t"), targets=targets, proof_seconds=seconds)
        ground = session.baseline(session.environment(), orders)
        return session.prove(ground, diff, orders)

    return do


def test_an_honest_fix_is_proved_with_all_its_runs(prove: Prove) -> None:
    proof = prove(FIX)
    assert (proof.verdict, proof.reasons, proof.warnings) == (Verdict.PROVED, (), ())
    assert proof.targets == (TARGET,)
    assert proof.held(Kind.BASE) == proof.held(Kind.FIXED) == (5, 5)
    assert proof.held(Kind.BASE, "suite") == proof.held(Kind.FIXED, "suite") == (2, 2)
    assert proof.held(Kind.CONTROL, "suite") == proof.held(Kind.NEGATIVE) == (1, 1)
    assert (proof.base.passed, proof.base.failed) == (1, 1)
    assert (proof.fixed.passed, proof.fixed.failed) == (2, 0)
    assert proof.isolation.proved
    assert proof.test_runs == 16
    assert Proof.from_json(proof.to_json()) == proof


def test_a_slow_suite_gets_fewer_repeats_and_says_so(prove: Prove) -> None:
    proof = prove(FIX, seconds=5)
    assert proof.verdict is Verdict.NEEDS_REVIEW
    assert "fewer repeats" in proof.warnings[0]
    assert proof.held(Kind.BASE)[0] >= 1
    assert proof.held(Kind.FIXED)[0] >= 1


EXIT_AT_IMPORT = CALC.replace("\n\ndef add", "\nimport os\nos._exit(0)\n\n\ndef add")
SKIP = CALC.replace("return a - b", "import pytest\n    pytest.skip('x')")
NOT_FIXES = {
    "changes nothing that matters": (
        diff_of("calc.py", CALC, CALC.replace("a * b", "b * a")), "target_red",
    ),
    "loses another test": (
        diff_of("calc.py", CALC, FIXED.replace("a * b", "0")), "test_lost",
    ),
    "edits the test": (
        diff_of("tests/test_calc.py", TESTS, TESTS.replace("== 3", "== -1")), "protected_path",
    ),
    "does not apply": (diff_of("calc.py", "no\nsuch\nlines\n", "x\n"), "no_match"),
    "is no diff": ("I fixed it.", "no_diff"),
    "exits in the function": (
        diff_of("calc.py", CALC, CALC.replace("return a - b", "import os\n    os._exit(0)")),
        "unusable",
    ),
    "exits at import": (
        diff_of("calc.py", CALC, EXIT_AT_IMPORT), "unusable",
    ),
    "skips from the library": (
        diff_of("calc.py", CALC, SKIP), "target_red",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("diff", "reason"), NOT_FIXES.values(), ids=NOT_FIXES.keys())
def test_what_is_no_fix_is_not_proved(prove: Prove, diff: str, reason: str) -> None:
    proof = prove(diff)
    assert proof.verdict is Verdict.NOT_PROVED
    assert proof.reasons[0].startswith(reason), proof.reasons


PATCH_REPORTS = CALC.replace(
    "def add",
    """def _hide():
    import sys
    reports = sys.modules.get("_pytest.reports")
    if reports is None:
        return
    make = reports.TestReport.from_item_and_call.__func__

    def forged(cls, item, call):
        call.excinfo = None
        return make(cls, item, call)

    reports.TestReport.from_item_and_call = classmethod(forged)


_hide()


def add""",
)


def test_a_diff_that_silences_the_runner_is_betrayed_by_the_canary(prove: Prove) -> None:
    """In the fixed tree every test is reported as passed, the canary too."""
    proof = prove(diff_of("calc.py", CALC, PATCH_REPORTS))
    assert proof.verdict is Verdict.NOT_PROVED
    assert proof.reasons[0].startswith("canary_silenced"), proof.reasons


def test_control_without_the_canary_the_silencer_is_proved(
    prove: Prove, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Verifier, "_control", lambda _: None)
    proof = prove(diff_of("calc.py", CALC, PATCH_REPORTS))
    assert (proof.verdict, proof.reasons) == (Verdict.NEEDS_REVIEW, ())
    assert "looks for the test runner" in proof.warnings[0]


def test_control_a_naive_runner_takes_the_silencer_for_a_fix(
    executor: DockerExecutor, image: str, tmp_path: Path
) -> None:
    tree = calc(tmp_path, **{"calc.py": PATCH_REPORTS})
    run = Suite(executor, image, detect(tree), LIMITS).run(tree)
    assert run.exit_status == 0


LUCKY = CALC.replace("return a - b", "import random\n    return random.choice([a + b, a - b])")


def test_a_lucky_fix_is_not_proved(prove: Prove) -> None:
    """Green in half of the runs: five in a row, twice in the suite and once shuffled are rare."""
    proof = prove(diff_of("calc.py", CALC, LUCKY))
    assert proof.verdict is Verdict.NOT_PROVED


def test_known_red_may_stay_red(prove: Prove) -> None:
    more = TESTS + "\n\ndef test_other_bug():\n    assert mul(2, 2) == 5\n"
    proof = prove(FIX, targets=(TARGET,), **{"tests/test_calc.py": more})
    assert proof.verdict is Verdict.PROVED, proof.reasons
    assert proof.known_red == ("tests/test_calc.py::test_other_bug",)


def test_a_green_target_is_no_target(prove: Prove) -> None:
    with pytest.raises(NoTarget) as refused:
        prove(FIX, targets=("tests/test_calc.py::test_mul",))
    assert refused.value.reason == "target_green_at_base"


def test_a_green_suite_has_no_target(prove: Prove) -> None:
    with pytest.raises(NoTarget) as refused:
        prove(FIX, **{"calc.py": FIXED})
    assert refused.value.reason == "not_reproduced"


UNITTEST = """import unittest
from calc import add, mul


class Calc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_mul(self):
        self.assertEqual(mul(2, 3), 6)
"""


@pytest.mark.parametrize("package", [True, False])
def test_unittest_is_proved_the_same_way(
    executor: DockerExecutor, image: str, tmp_path: Path, package: bool
) -> None:
    source = write(tmp_path / "s", {"calc.py": CALC, "tests/test_calc.py": UNITTEST})
    if package:
        (source / "tests/__init__.py").write_text("")
    session = Session(source, executor, LIMITS)
    orders = Orders(Task("t"))
    ground = session.baseline(session.environment(), orders)
    assert ground.environment.runner == "unittest"
    proof = session.prove(ground, FIX, orders)
    assert (proof.verdict, proof.warnings) == (Verdict.PROVED, ()), proof.reasons
    assert proof.held(Kind.CONTROL, "suite") == (1, 1)


def test_a_suite_that_collects_no_canary_needs_review(prove: Prove) -> None:
    """The pattern takes only this very file, so no canary can be planted beside the target."""
    settings = "[pytest]\npython_files = test_calc.py\n"
    proof = prove(FIX, **{"pytest.ini": settings})
    assert proof.verdict is Verdict.NEEDS_REVIEW
    assert proof.warnings == ("channel not controlled: the suite collects no canary",)


DOCTEST = '''def add(a, b):
    """Add.

    >>> add(1, 2)
    3
    """
    return a - b


def mul(a, b):
    return a * b
'''


def test_a_fix_of_a_test_and_a_doctest_is_proved(prove: Prove) -> None:
    """No canary is collected beside the doctest; the one beside the test has to be enough."""
    settings = {"pytest.ini": "[pytest]\naddopts = --doctest-modules\n"}
    fix = diff_of("calc.py", DOCTEST, DOCTEST.replace("a - b", "a + b"))
    proof = prove(fix, **{**settings, "calc.py": DOCTEST})
    assert (proof.verdict, proof.reasons) == (Verdict.PROVED, ())
    assert proof.targets == ("calc.py::calc.add", TARGET)


def test_a_doctest_is_not_edited_into_passing(prove: Prove) -> None:
    settings = {"pytest.ini": "[pytest]\naddopts = --doctest-modules\n"}
    cheat = diff_of("calc.py", DOCTEST, DOCTEST.replace("    3\n", "    -1\n"))
    proof = prove(cheat, **{**settings, "calc.py": DOCTEST, "tests/test_calc.py": "x = 1\n"})
    assert proof.verdict is Verdict.NOT_PROVED
    assert proof.reasons[0].startswith("protected_path"), proof.reasons


def test_a_base_that_gives_no_result_excuses_no_lost_test(
    prove: Prove, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The base is run again for a lost test; when that run is killed, nothing is unstable."""
    real = Suite.run

    def run(
        self: Suite,
        tree: Path,
        *,
        tests: Sequence[str] = (),
        seed: int | None = None,
        overlay: Mapping[str, bytes] | None = None,
    ) -> TestRun:
        found = real(self, tree, tests=tests, seed=seed, overlay=overlay)
        killed = tree.name == "base" and not tests
        return TestRun(Status.UNUSABLE, Cause.OUT_OF_MEMORY) if killed else found

    lossy = diff_of("calc.py", CALC, FIXED.replace("a * b", "0"))
    monkeypatch.setattr(Suite, "run", run)
    proof = prove(lossy)
    assert proof.verdict is Verdict.NOT_PROVED
    assert proof.reasons == ("base_unusable",)
