"""Four stand-ins for a model, each with real runs, and the end that each must come to."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox.executor.docker import DockerExecutor
from sandbox.executor.model import Limits
from sandbox.ground import Ground, Orders, Worked
from sandbox.outcome import Outcome
from sandbox.proposer import (
    BudgetSpent,
    KeyRejected,
    Proposal,
    Proposer,
    ProposerFailed,
    Refusal,
    Situation,
    Task,
)
from sandbox.session import Session
from tests.support.repositories import CALC, FIX, FIXED, TESTS, calc, diff_of

pytestmark = pytest.mark.docker

USELESS = diff_of("calc.py", CALC, CALC.replace("a * b", "b * a"))
BREAKING = diff_of("calc.py", CALC, CALC.replace("return a - b", "return a -"))
CHEATING = diff_of("tests/test_calc.py", TESTS, TESTS.replace("== 3", "== -1"))


def repeating(diff: str | None) -> Proposer:
    """Says the same for ever."""
    return lambda _: Proposal(diff)


def in_turn(*diffs: str | None) -> Proposer:
    """Says one after the other, then nothing."""
    left: Iterator[str | None] = iter(diffs)
    return lambda _: Proposal(next(left, None))


Work = Callable[..., Worked]


@pytest.fixture
def work(executor: DockerExecutor, image: str, tmp_path: Path) -> Work:
    source = calc(tmp_path / "source")
    session = Session(source, executor, Limits(seconds=60))
    orders: list[Orders] = []

    def do(proposer: Proposer, attempts: int = 6, candidate_runs: int = 400) -> Worked:
        task = Task("add is wrong")
        orders.append(Orders(task, attempts=attempts, candidate_runs=candidate_runs))
        ground: Ground = session.baseline(session.environment(), orders[-1])
        worked = session.work(ground, orders[-1], proposer)
        assert (source / "calc.py").read_text() == CALC
        return worked

    return do


def test_repeating_ends_as_no_progress(work: Work) -> None:
    worked = work(repeating(USELESS), attempts=50)
    assert (worked.outcome, worked.diff) == (Outcome.NO_PROGRESS, "")
    assert worked.ledger.test_runs <= 3
    assert worked.ledger.attempts == 2
    assert (worked.ledger.applied, worked.ledger.reverted) == (1, 1)


def test_cheating_ends_as_no_progress_without_a_run(work: Work) -> None:
    worked = work(repeating(CHEATING), attempts=50)
    assert (worked.outcome, worked.reason) == (Outcome.NO_PROGRESS, "protected_path")
    assert worked.ledger.test_runs == 1
    assert (worked.ledger.applied, worked.ledger.refused) == (0, 2)
    assert worked.tried[0].refusal is not None
    assert worked.tried[0].refusal.paths == ("tests/test_calc.py",)


def test_control_without_the_guard_the_cheat_is_green(
    work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.policy.Policy.protects", lambda *_: None)
    worked = work(repeating(CHEATING))
    assert (worked.outcome, worked.reason) == (None, "green")
    assert "== -1" in worked.diff


def test_breaking_is_rolled_back(work: Work) -> None:
    worked = work(repeating(BREAKING), attempts=50)
    assert (worked.outcome, worked.diff) == (Outcome.NO_PROGRESS, "")
    assert worked.ledger.test_runs <= 3
    assert worked.final.passing == {"tests/test_calc.py::test_mul"}


def test_silent_gives_up_after_the_baseline(work: Work) -> None:
    worked = work(repeating(None))
    assert worked.outcome is Outcome.GAVE_UP
    assert (worked.ledger.test_runs, worked.ledger.attempts) == (1, 0)


def test_a_fix_after_a_useless_edit_is_found(work: Work) -> None:
    worked = work(in_turn(USELESS, FIX))
    assert (worked.outcome, worked.reason) == (None, "green")
    assert (worked.ledger.kept, worked.ledger.reverted) == (1, 1)
    assert "+    return a + b" in worked.diff
    assert "b * a" not in worked.diff


def test_an_edit_that_loses_a_passing_test_is_reverted(work: Work) -> None:
    lossy = diff_of("calc.py", CALC, FIXED.replace("a * b", "0"))
    worked = work(in_turn(lossy))
    assert (worked.outcome, worked.diff) == (Outcome.GAVE_UP, "")
    assert worked.ledger.reverted == 1


def test_moving_but_out_of_attempts_is_budget(work: Work) -> None:
    wrong = [CALC.replace("a - b", f"a + b + {n}").replace("a * b", f"a * b * {n}") for n in (0, 2)]
    answers = [diff_of("calc.py", CALC, text) for text in wrong]
    worked = work(in_turn(*answers), attempts=1)
    assert (worked.outcome, worked.reason) == (Outcome.BUDGET, "attempts")


def test_only_protected_edits_then_silence_says_so(work: Work) -> None:
    worked = work(in_turn(CHEATING))
    assert (worked.outcome, worked.reason) == (Outcome.GAVE_UP, "only_protected")


def failing(error: Exception) -> Proposer:
    def propose(_: Situation) -> Proposal:
        raise error

    return propose


def test_a_broken_proposer_costs_attempts_but_no_runs(work: Work) -> None:
    worked = work(failing(ProposerFailed("exit status 3")))
    assert (worked.outcome, worked.reason) == (Outcome.NO_PROGRESS, "proposer_failed")
    assert (worked.ledger.test_runs, worked.ledger.attempts) == (1, 2)


def test_a_spent_budget_of_the_proposer_is_named(work: Work) -> None:
    worked = work(failing(BudgetSpent("model quota")))
    assert (worked.outcome, worked.reason) == (Outcome.BUDGET, "model quota")


def test_a_rejected_key_is_no_outcome(work: Work) -> None:
    with pytest.raises(KeyRejected):
        work(failing(KeyRejected("the key was rejected")))


def test_probes_change_nothing_and_are_counted(work: Work) -> None:
    seen: list[bool] = []

    def propose(situation: Situation) -> Proposal:
        run = situation.probe(FIX, list(situation.targets))
        seen.append(not run.failing and run.usable)
        seen.append((situation.workspace / "calc.py").read_text() == CALC)
        return Proposal(None)

    worked = work(propose)
    assert seen == [True, True]
    assert (worked.ledger.candidate_runs, worked.ledger.test_runs) == (1, 1)


def test_probes_have_a_cap(work: Work) -> None:
    def propose(situation: Situation) -> Proposal:
        while True:
            situation.probe(USELESS)

    worked = work(propose, candidate_runs=2)
    assert (worked.outcome, worked.reason) == (Outcome.BUDGET, "candidate runs")
    assert worked.ledger.candidate_runs == 2


def test_a_proposer_that_scribbles_in_its_copy_changes_nothing(work: Work) -> None:
    def propose(situation: Situation) -> Proposal:
        (situation.workspace / "calc.py").write_text(FIXED)
        return Proposal(None)

    worked = work(propose)
    assert worked.diff == ""


def test_a_trial_that_hangs_is_not_waited_for(work: Work, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search meets endless loops all the time; each would else cost the whole run's limit."""
    monkeypatch.setattr("sandbox.loop.TRIAL_SECONDS", 1.0)
    monkeypatch.setattr("sandbox.loop.TRIAL_FACTOR", 1.0)
    hanging = diff_of("calc.py", CALC, CALC.replace("return a - b", "while True: pass"))
    seen: list[tuple[str | None, float]] = []

    def propose(situation: Situation) -> Proposal:
        run = situation.probe(hanging)
        seen.append((run.cause, run.seconds))
        return Proposal(None)

    work(propose)
    assert seen[0][0] == "timeout"
    assert seen[0][1] < 50, "the run's own limit is 60 s"


UNAPPLIABLE = diff_of("calc.py", CALC.replace("return a - b", "return minus(a, b)"), FIXED)


def test_an_answer_that_does_not_apply_gets_one_retry_that_is_no_attempt(work: Work) -> None:
    seen: list[tuple[int, str | None]] = []

    def propose(situation: Situation) -> Proposal:
        refusal = situation.refusal
        seen.append((situation.attempt, refusal.reason if refusal else None))
        return Proposal(UNAPPLIABLE if len(seen) == 1 else FIX)

    worked = work(propose, attempts=1)
    assert (worked.outcome, worked.reason) == (None, "green")
    assert seen == [(1, None), (1, "no_match")]
    assert (worked.ledger.attempts, worked.ledger.retries, worked.ledger.refused) == (1, 1, 1)
    assert worked.ledger.refusals == {"no_match": 1}
    assert "return a - b" in (worked.tried[0].refusal or Refusal("", "")).message


def test_a_stuck_unappliable_answer_costs_four_calls(work: Work) -> None:
    calls: list[int] = []

    def propose(situation: Situation) -> Proposal:
        calls.append(situation.attempt)
        return Proposal(UNAPPLIABLE)

    worked = work(propose, attempts=50)
    assert (worked.outcome, worked.reason) == (Outcome.NO_PROGRESS, "no_match")
    assert calls == [1, 1, 2, 2]
    assert worked.ledger.test_runs == 1


def test_a_refused_protected_path_is_no_retry(work: Work) -> None:
    worked = work(in_turn(CHEATING, FIX))
    assert (worked.ledger.attempts, worked.ledger.retries) == (2, 0)


def test_how_each_hunk_found_its_place_is_kept(work: Work) -> None:
    shifted = FIX.replace("@@ -2,7 +2,7 @@", "@@ -2,99 +2,7 @@")
    assert shifted != FIX
    worked = work(in_turn(shifted))
    assert worked.outcome is None
    assert sum(worked.ledger.rungs.values()) == len(worked.tried[0].hunks) == 1
    assert worked.ledger.repairs
    assert Worked.from_json(worked.to_json()).tried[0].hunks == worked.tried[0].hunks
