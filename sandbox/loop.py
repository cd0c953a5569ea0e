"""Propose, apply, run, keep or revert, until the targets are green or it is honest to stop."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from time import monotonic

from sandbox.events import Event, Watch, unwatched
from sandbox.ledger import Ledger
from sandbox.outcome import Outcome
from sandbox.patch import RefusalReason
from sandbox.policy import Policy
from sandbox.probing import Prober
from sandbox.proposer import (
    BudgetSpent,
    Proposal,
    Proposer,
    ProposerFailed,
    Refusal,
    Situation,
    Task,
    Tried,
)
from sandbox.results import TestRun
from sandbox.suite import Suite
from sandbox.workspace import Workspace

TRIAL_SECONDS, TRIAL_FACTOR = 10.0, 5.0
# What the diff engine says of an answer that another wording of the same change would cure.
UNAPPLIABLE = frozenset(map(str, RefusalReason))


@dataclass(frozen=True, slots=True)
class Bounds:
    """Caps of one loop: counts, and wall time in seconds."""

    attempts: int = 6
    patience: int = 2
    seconds: float = 1800.0
    candidate_runs: int = 400


@dataclass(frozen=True, slots=True)
class End:
    """How a loop ended. `outcome` is None when all targets are green: ready to be proved."""

    outcome: Outcome | None
    reason: str
    sentence: str


GREEN = End(None, "green", "All targets pass.")


@dataclass(slots=True)
class Loop:
    """One loop over one workspace. The parts that propose are not known here."""

    workspace: Workspace
    suite: Suite
    policy: Policy
    proposer: Proposer
    task: Task
    targets: frozenset[str]
    baseline: TestRun
    bounds: Bounds
    ledger: Ledger
    scratch: Path
    watch: Watch = unwatched
    tried: list[Tried] = field(default_factory=list)
    last: TestRun = field(init=False)
    _stuck: int = 0
    _previous: str = ""
    _refusal: Refusal | None = None
    _seen: set[str] = field(default_factory=set)
    _deadline: float = 0.0

    def __post_init__(self) -> None:
        self.last = self.baseline
        self._previous = self.baseline.signature
        self._seen = {self.workspace.current}

    def run(self) -> End:
        """Work until one of the ends is reached. Raises `KeyRejected`, `Cancelled`, `SandboxError`
        and leaves the workspace at the last kept state."""
        self._deadline = monotonic() + self.bounds.seconds
        probe = Prober(
            self.workspace,
            self._trial_suite(),
            self.policy,
            self.ledger,
            self.bounds.candidate_runs,
            self._check,
            self.watch,
        )
        try:
            for number in range(1, self.bounds.attempts + 1):
                end = self._attempt(number, probe)
                if end:
                    return end
        except BudgetSpent as spent:
            return self._out_of(spent.cap)
        return self._out_of("attempts")

    def _trial_suite(self) -> Suite:
        """A trial that takes many times as long as the baseline hangs: it is not waited for."""
        limits = self.suite.limits
        patience = TRIAL_SECONDS + TRIAL_FACTOR * self.baseline.seconds
        return replace(self.suite, limits=replace(limits, seconds=min(limits.seconds, patience)))

    def _check(self) -> None:
        if monotonic() > self._deadline:
            raise BudgetSpent("wall time")

    def _attempt(self, number: int, probe: Prober) -> End | None:
        self._check()
        self.ledger.attempts = number
        proposal = self._ask(number, probe)
        if proposal is None:
            return self._after_no_change(number)
        if proposal.diff is None:
            self.ledger.attempts -= 1
            return self._gave_up(proposal.note)
        if self._handle(number, proposal, again=True):
            return self._once_more(number, probe)
        if not self.targets & self.last.failing:
            return GREEN
        return self._after_no_change(number)

    def _once_more(self, number: int, probe: Prober) -> End | None:
        """An answer that could not be applied is asked for again at once: no attempt of its own."""
        self.ledger.retries += 1
        proposal = self._ask(number, probe)
        if proposal is None:
            return self._after_no_change(number)
        if proposal.diff is None:
            return self._gave_up(proposal.note)
        self._handle(number, proposal, again=False)
        if not self.targets & self.last.failing:
            return GREEN
        return self._after_no_change(number)

    def _ask(self, number: int, probe: Prober) -> Proposal | None:
        """The proposer's answer, None when it broke: that is one failed attempt."""
        self._tell(number, "asking for a change")
        with self.ledger.timing("propose"):
            try:
                proposal = self.proposer(self._situation(number, probe))
            except ProposerFailed as error:
                self._refuse("", Refusal("proposer_failed", str(error)))
                self._tell(number, f"the proposer failed: {error}")
                return None
        self.ledger.usage += proposal.usage
        return proposal

    def _situation(self, number: int, probe: Prober) -> Situation:
        return Situation(
            task=self.task,
            attempt=number,
            targets=tuple(sorted(self.targets)),
            baseline=self.baseline,
            last=self.last,
            workspace=self.workspace.export(self.scratch),
            probe=probe,
            refusal=self._refusal,
            tried=tuple(self.tried),
        )

    def _handle(self, number: int, proposal: Proposal, *, again: bool) -> bool:
        """Apply and judge an answer. True when it cannot be applied and may come again."""
        diff = proposal.diff or ""
        applied = self.workspace.apply(diff, finish_reason=proposal.finish_reason)
        if isinstance(applied, Refusal):
            self._refuse(diff, applied)
            self._tell(number, f"refused: {_first_line(applied.message)}")
            if again and applied.reason in UNAPPLIABLE:
                self._stuck -= 1
                return True
        elif applied in self._seen:
            self.workspace.restore(self.workspace.current)
            self._refuse(diff, Refusal("tried_before", "This very change was tried before."))
            self._tell(number, "refused: this very change was tried before")
        else:
            self._seen.add(applied)
            self._judge(number, diff, applied)
        return False

    def _judge(self, number: int, diff: str, tree: str) -> None:
        """Run the applied tree; keep it only if it is better in every respect."""
        self.ledger.applied += 1
        self.ledger.placed(self.workspace.hunks)
        self._tell(number, "applied, running the tests")
        with self.ledger.timing("attempts"):
            self.ledger.test_runs += 1
            run = self.suite.run(self.workspace.root)
        self._count_patience(run)
        self._refusal = None
        if self._better(run):
            self.workspace.keep(tree)
            self.last = run
            self.ledger.kept += 1
        else:
            self.workspace.restore(self.workspace.current)
            self.ledger.reverted += 1
        fate = "kept" if run is self.last else "reverted"
        self.tried.append(Tried(diff, fate, run=run, hunks=self.workspace.hunks))
        self._tell(number, f"{fate}: {run.summary()}")

    def _better(self, run: TestRun) -> bool:
        fewer = len(run.failing & self.targets) < len(self.last.failing & self.targets)
        vanished = self.targets - run.ids
        return run.usable and fewer and not vanished and not self.last.passing - run.passing

    def _count_patience(self, run: TestRun) -> None:
        """A failure that stays the same, or an edit that leaves no result, is no progress."""
        known = {self.last.signature, self._previous}
        unchanged = not run.usable or run.signature in known
        self._stuck = self._stuck + 1 if unchanged else 0
        if run.usable:
            self._previous = run.signature

    def _refuse(self, diff: str, refusal: Refusal) -> None:
        self.ledger.refuse(refusal.reason)
        self._stuck += 1
        self._refusal = refusal
        self.tried.append(Tried(diff, "refused", refusal=refusal))

    def _after_no_change(self, number: int) -> End | None:
        if self._stuck < self.bounds.patience:
            return None
        refusals = [tried.refusal.reason for tried in self.tried if tried.refusal]
        if refusals and len(refusals) == len(self.tried):
            reason = refusals[-1]
            return End(Outcome.NO_PROGRESS, reason, f"{number} attempts, each refused ({reason}).")
        count = len(self.targets & self.last.failing)
        noun = "test" if count == 1 else "tests"
        sentence = f"{self._stuck} attempts in a row left the same {count} target {noun} failing."
        return End(Outcome.NO_PROGRESS, "same_failure", sentence)

    def _gave_up(self, note: str) -> End:
        refusals = {tried.refusal.reason for tried in self.tried if tried.refusal}
        if refusals == {"protected_path"} and not self.ledger.applied:
            return End(
                Outcome.GAVE_UP, "only_protected", "The only change found was to protected files."
            )
        return End(Outcome.GAVE_UP, "nothing_left", note or "The proposer had nothing left to try.")

    def _out_of(self, cap: str) -> End:
        now, then = (len(self.targets & run.failing) for run in (self.last, self.baseline))
        moved = f" {then} failing targets became {now}." if now < then else ""
        return End(Outcome.BUDGET, cap, f"The limit of {cap} was reached.{moved}")

    def _tell(self, number: int, text: str) -> None:
        self.watch(Event("attempt", text, {"attempt": number, "ledger": self.ledger.to_json()}))


def _first_line(message: str) -> str:
    return (message.strip().splitlines() or [""])[0]
