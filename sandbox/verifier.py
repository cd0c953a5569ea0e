"""The proof, which alone opens a pull request: base, fixed, control and negative control."""

import secrets
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.canary import plant
from sandbox.events import Event, Watch, unwatched
from sandbox.outcome import Verdict
from sandbox.proof import IN_WORDS, Counts, Kind, Row
from sandbox.results import Cause, TestRun
from sandbox.suite import Suite

TARGET_REPEATS, SUITE_REPEATS = 5, 2


class NotProved(Exception):
    """A rule of the proof does not hold; the message starts with the reason's word."""


class BaseUnusable(Exception):
    """The base gives no result to hold the change against."""


@dataclass(slots=True)
class Verifier:
    """One proof over two plain trees: `base` and `fixed`, which is base and the diff.

    `baseline` is a whole run of the base that counts if the image is the same. `seconds` is the
    time budget: repeats shrink for slow suites, never below one each.
    """

    suite: Suite
    base: Path
    fixed: Path
    baseline: TestRun
    targets: tuple[str, ...]
    seconds: float = 1800.0
    parallel: int = 2
    watch: Watch = unwatched
    rows: list[Row] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unstable: frozenset[str] = frozenset()
    fixed_run: TestRun | None = None
    _base_runs: list[TestRun] = field(default_factory=list)
    _shrunk: bool = False
    _suite_runs: int = SUITE_REPEATS

    def prove(self) -> tuple[Verdict, tuple[str, ...]]:
        """The verdict and, when not proved, the reasons.

        Raises `BaseUnusable` when the base gives no result, `SandboxError` when the engine fails.
        """
        try:
            self._check_targets()
            self._interleave(self._repeats())
            self._whole_suite()
            self._control()
            self._shuffled()
            self._negative()
        except NotProved as broken:
            return Verdict.NOT_PROVED, (str(broken),)
        if self._shrunk:
            self.warnings.append(
                "fewer repeats than usual: the suite is slow for the proof's time budget"
            )
        return (Verdict.NEEDS_REVIEW if self.warnings else Verdict.PROVED), ()

    def counts(self) -> tuple[Counts, Counts]:
        """The suite in numbers, without and with the change."""
        fixed = Counts.of(self.fixed_run) if self.fixed_run else Counts()
        return Counts.of(self.baseline), fixed

    def _check_targets(self) -> None:
        if not self.baseline.usable:
            raise BaseUnusable(self.baseline.summary())
        if not self.targets:
            raise NotProved("no_target: no failing test was named or found")
        unknown = set(self.targets) - self.baseline.ids
        if unknown:
            raise NotProved(f"unknown_target: the base has no test {_names(unknown)}")
        green = set(self.targets) - self.baseline.failing
        if green:
            raise NotProved(f"target_green_at_base: {_names(green)} does not fail without the diff")

    def _repeats(self) -> int:
        """How often the targets are run, within the time budget; the suite's share goes along."""
        suite = max(self.baseline.seconds, 0.5)
        targets, whole = TARGET_REPEATS, SUITE_REPEATS
        # In the worst case a run of the targets takes as long as the whole suite.
        while (2 * targets + 2 * whole + 3) * suite > self.seconds and targets > 1:
            targets, whole = targets - 1, 1
        self._shrunk = (targets, whole) != (TARGET_REPEATS, SUITE_REPEATS)
        self._suite_runs = whole
        return targets

    def _interleave(self, repeats: int) -> None:
        """Base and fixed in turn on the targets alone; the first contradiction ends it."""
        self._base_runs = [self.baseline]
        for _ in range(repeats):
            base, fixed = self._both(self.targets)
            self._note(Kind.BASE, "targets", base, base.usable and self._all_red(base))
            self._note(Kind.FIXED, "targets", fixed, fixed.usable and self._all_green(fixed))
            self._judge_targets(base, fixed)
        agrees = self._all_red(self.baseline)
        self._note(Kind.BASE, "suite", self.baseline, agrees)

    def _judge_targets(self, base: TestRun, fixed: TestRun) -> None:
        if not base.usable:
            raise BaseUnusable(base.summary())
        if not self._all_red(base):
            raise NotProved("target_unstable: without the diff a target does not always fail")
        self._require_usable(fixed, "with the diff the targets")
        if not self._all_green(fixed):
            left = set(self.targets) - fixed.passing
            raise NotProved(f"target_red: {_names(left)} does not pass with the diff")

    def _whole_suite(self) -> None:
        for number in range(self._suite_runs):
            fixed = self._run(self.fixed)
            self.fixed_run = fixed
            self._require_usable(fixed, "with the diff the suite")
            lost = self._lost(fixed)
            self._note(Kind.FIXED, "suite", fixed, self._all_green(fixed) and not lost)
            if not self._all_green(fixed):
                left = set(self.targets) - fixed.passing
                raise NotProved(f"target_red: {_names(left)} does not pass in the whole suite")
            if lost:
                self._recheck(lost)
            if number and len(self._base_runs) < self._suite_runs:
                self._base_again()

    def _base_again(self) -> None:
        base = self._run(self.base)
        if not base.usable:
            raise BaseUnusable(base.summary())
        self._base_runs.append(base)
        self._note(Kind.BASE, "suite", base, self._all_red(base))
        if not self._all_red(base):
            raise NotProved("target_unstable: without the diff a target does not always fail")
        self.unstable |= self.baseline.passing ^ base.passing

    def _lost(self, fixed: TestRun) -> frozenset[str]:
        """PASS_TO_PASS that no longer pass: failing, vanished or newly skipped."""
        return self.baseline.passing - fixed.passing - self.unstable

    def _recheck(self, lost: frozenset[str]) -> None:
        """A lost test is the diff's fault unless the base loses it, too, when run again."""
        for _ in range(2):
            again = self._run(self.base)
            if not again.usable:
                raise BaseUnusable(again.summary())
            self._note(Kind.BASE, "suite", again, self._all_red(again))
            self.unstable |= lost - again.passing
        broken = lost - self.unstable
        if broken:
            raise NotProved(f"test_lost: {_names(broken)} passed before and does not with the diff")

    def _control(self) -> None:
        """Fixed with canaries: the run must report the known red and exactly the canaries."""
        runner = self.suite.toolchain.runner
        canaries = plant(runner, self.fixed, self.baseline, self.targets)
        if not canaries.ids:
            self.warnings.append("channel not controlled: no canary could be planted")
            return
        run = self._run(self.fixed, overlay=canaries.overlay)
        self._require_usable(run, "the control with canaries")
        extra = run.failing - canaries.ids - self._known_red() - self.unstable
        expected = canaries.ids
        if not expected <= run.failing:
            expected &= self._collected_on_base(canaries.overlay)
        reported = bool(expected) and expected <= run.failing
        self._note(Kind.CONTROL, "suite", run, reported and not extra)
        if not expected:
            self.warnings.append("channel not controlled: the suite collects no canary")
        elif not reported:
            raise NotProved("canary_silenced: a test that must fail was not reported as failed")
        if extra or self._lost(run):
            lost = extra | self._lost(run)
            raise NotProved(f"control_differs: {_names(lost)} changed in the run with canaries")

    def _collected_on_base(self, overlay: Mapping[str, bytes]) -> frozenset[str]:
        """The tests of `overlay` that the runner finds without the diff: beside a doctest, say,
        it need not look for any."""
        run = self._run(self.base, overlay=overlay)
        if not run.usable and run.cause is not Cause.COLLECTION:
            raise BaseUnusable(run.summary())
        return frozenset[str]() if run.cause is Cause.COLLECTION else run.ids

    def _known_red(self) -> frozenset[str]:
        fixed = self.fixed_run.failing if self.fixed_run else frozenset[str]()
        return (self.baseline.failing | fixed) - frozenset(self.targets)

    def _shuffled(self) -> None:
        seed = secrets.randbelow(1 << 31)
        run = self._run(self.fixed, seed=seed)
        self._note(Kind.SHUFFLED, f"suite, order {seed}", run, self._all_green(run))
        self._require_usable(run, f"the run in random order {seed}")
        if not self._all_green(run):
            left = set(self.targets) - run.passing
            raise NotProved(f"order_dependent: {_names(left)} fails in random order {seed}")

    def _negative(self) -> None:
        run = self._run(self.base, tests=self.targets)
        self._note(Kind.NEGATIVE, "targets", run, run.usable and self._all_red(run))
        if not run.usable:
            raise BaseUnusable(run.summary())
        if not self._all_red(run):
            raise NotProved("negative_control: at the end the targets do not fail without the diff")

    def _both(self, tests: tuple[str, ...]) -> tuple[TestRun, TestRun]:
        if self.parallel < 2:
            return self._run(self.base, tests=tests), self._run(self.fixed, tests=tests)
        with ThreadPoolExecutor(2) as pool:
            base = pool.submit(self._run, self.base, tests=tests)
            fixed = pool.submit(self._run, self.fixed, tests=tests)
            return base.result(), fixed.result()

    def _run(
        self,
        tree: Path,
        *,
        tests: tuple[str, ...] = (),
        seed: int | None = None,
        overlay: Mapping[str, bytes] | None = None,
    ) -> TestRun:
        return self.suite.run(tree, tests=tests, seed=seed, overlay=overlay)

    def _all_red(self, run: TestRun) -> bool:
        return set(self.targets) <= run.failing

    def _all_green(self, run: TestRun) -> bool:
        return set(self.targets) <= run.passing

    def _require_usable(self, run: TestRun, what: str) -> None:
        if not run.usable:
            raise NotProved(f"unusable: {what} gave no result ({run.summary()})")

    def _note(self, kind: Kind, tests: str, run: TestRun, agrees: bool) -> None:
        row = Row(kind, tests, run.summary(), agrees, run.seconds, tuple(sorted(run.failing))[:50])
        self.rows.append(row)
        text = f"{IN_WORDS[kind]}, {tests}: {run.summary()}"
        self.watch(Event("proof", text, {"kind": str(kind), "tests": tests, "agrees": agrees}))


def _names(ids: set[str] | frozenset[str]) -> str:
    shown = sorted(ids)
    more = f" and {len(shown) - 3} more" if len(shown) > 3 else ""
    return ", ".join(shown[:3]) + more
