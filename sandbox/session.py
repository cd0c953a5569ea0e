"""One fix from a plain tree to a proof: environment, baseline, loop, proof, each callable alone."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sandbox.events import Event, Watch, unwatched
from sandbox.executor.model import Executor, Isolation, Limits, NotIsolated, never
from sandbox.ground import Environment, Ground, NoTarget, Orders, Unrunnable, Worked
from sandbox.ledger import Ledger
from sandbox.lint import suspicious
from sandbox.loop import Bounds, Loop
from sandbox.outcome import Phase, Verdict
from sandbox.policy import Policy
from sandbox.proof import Proof
from sandbox.proposer import Proposer, Refusal
from sandbox.results import Cause, TestRun
from sandbox.suite import Suite
from sandbox.targets import choose
from sandbox.toolchain import NoToolchain, Toolchain, detect
from sandbox.verifier import BaseUnusable, Verifier
from sandbox.workspace import Workspace

__all__ = ["Environment", "Ground", "NoTarget", "Orders", "Session", "Unrunnable", "Worked"]

MEND = {
    Cause.TIMEOUT: "The tests do not end in time",
    Cause.OUT_OF_MEMORY: "The tests need more memory than a run may have",
    Cause.COLLECTION: "The tests cannot be collected",
    Cause.NO_TESTS: "There are no tests",
    Cause.NO_REPORT: "The test process ended without a report",
    Cause.INCOMPLETE: "The test process ended in the middle of the run",
    Cause.KILLED: "The test process was killed",
    Cause.DISAGREEMENT: "The test report and the exit status disagree",
    Cause.OUTPUT_LIMIT: "The tests write more output than a run may",
    Cause.DISK_LIMIT: "The tests write more to disk than a run may",
    Cause.BAD_REPORT: "The test report cannot be read",
    Cause.ENGINE: "The container engine failed",
}


class Session:
    """Works on copies of `base`, a plain tree that it never changes.

    `limits.seconds` bounds one run. Every method raises `SandboxError` when the engine fails and
    `Cancelled` when `stopped` says so.
    """

    def __init__(
        self,
        base: Path,
        executor: Executor,
        limits: Limits,
        *,
        run_id: str = "",
        watch: Watch = unwatched,
        stopped: Callable[[], bool] = never,
    ) -> None:
        self._base, self._executor, self._limits = base, executor, limits
        self._run_id, self._watch, self._stopped = run_id, watch, stopped

    def environment(self) -> Environment:
        """Toolchain, image and proved isolation. Raises `Unrunnable` without a toolchain."""
        toolchain = self._toolchain()
        image = self._executor.image(toolchain.image, self._progress)
        isolation = self._executor.probe(image.tag, self._limits)
        if not isolation.proved:
            raise NotIsolated(_not_proved(self._limits.runtime, isolation))
        self._watch(Event("environment", f"{toolchain.runner.name} in {isolation.detail}"))
        return Environment(toolchain.name, toolchain.runner.name, image.tag, image.id, isolation)

    def _toolchain(self) -> Toolchain:
        try:
            return detect(self._base)
        except NoToolchain as error:
            empty = "empty" in str(error)
            cause = str(Cause.NO_TESTS) if empty else "unknown_toolchain"
            raise Unrunnable(Phase.ENVIRONMENT, cause, f"No tests can run: {error}.") from error

    def _progress(self, phrase: str) -> None:
        self._watch(Event("environment", phrase))

    def _suite(self, environment: Environment) -> Suite:
        return Suite(
            self._executor,
            environment.image_id,
            self._toolchain(),
            self._limits,
            run_id=self._run_id,
            stopped=self._stopped,
        )

    def _policy(self, ground: Ground) -> Policy:
        return Policy.of(self._toolchain(), self._base, ground.baseline.cases)

    def baseline(self, environment: Environment, orders: Orders) -> Ground:
        """The suite as it is, and the targets. Raises `Unrunnable` or `NoTarget`."""
        self._watch(Event("baseline", "running the tests as they are"))
        run = self._suite(environment).run(self._base)
        if not run.usable:
            raise _unrunnable(run)
        self._watch(Event("baseline", run.summary(), {"failing": sorted(run.failing)[:20]}))
        targets = choose(run, orders)
        known_red = tuple(sorted(run.failing - set(targets)))
        return Ground(environment, run, targets, known_red)

    def work(self, ground: Ground, orders: Orders, proposer: Proposer) -> Worked:
        """The loop. Raises `KeyRejected`."""
        ledger = Ledger(test_runs=1)
        ledger.seconds["baseline"] = ground.baseline.seconds
        suite, policy = self._suite(ground.environment), self._policy(ground)
        with _scratch("patchwright-") as home:
            workspace = Workspace(self._base, home, policy)
            loop = Loop(
                workspace=workspace,
                suite=suite,
                policy=policy,
                proposer=proposer,
                task=orders.task,
                targets=frozenset(ground.targets),
                baseline=ground.baseline,
                bounds=_bounds(orders),
                ledger=ledger,
                scratch=home / "view",
                watch=self._watch,
            )
            end = loop.run()
            return Worked(
                end.outcome,
                end.reason,
                end.sentence,
                workspace.diff(),
                ledger,
                loop.last,
                tuple(loop.tried),
            )

    def prove(self, ground: Ground, diff: str, orders: Orders) -> Proof:
        """The proof of `diff` on the base tree."""
        suite, policy = self._suite(ground.environment), self._policy(ground)
        with _scratch("patchwright-proof-") as home:
            workspace = Workspace(self._base, home, policy)
            pristine = workspace.export(home / "base")
            applied = workspace.apply(diff)
            proof = _blank(ground, diff, suite)
            if isinstance(applied, Refusal):
                reason = f"{applied.reason}: {', '.join(applied.paths)} {applied.message}"
                return replace(proof, reasons=(reason,))
            workspace.keep(applied)
            verifier = Verifier(
                suite,
                pristine,
                workspace.root,
                ground.baseline,
                ground.targets,
                seconds=orders.proof_seconds,
                watch=self._watch,
            )
            diff = workspace.diff()
            verifier.warnings += suspicious(diff, suite.toolchain.lint)
            return _filled(replace(proof, diff=diff), verifier)


def _filled(proof: Proof, verifier: Verifier) -> Proof:
    try:
        verdict, reasons = verifier.prove()
        unusable = ""
    except BaseUnusable as error:
        verdict, reasons, unusable = Verdict.NOT_PROVED, ("base_unusable",), str(error)
    base, fixed = verifier.counts()
    return replace(
        proof,
        verdict=verdict,
        reasons=reasons,
        warnings=tuple(verifier.warnings),
        rows=tuple(verifier.rows),
        base=base,
        fixed=fixed,
        unstable=tuple(sorted(verifier.unstable)),
        test_runs=verifier.suite.runs,
        base_unusable=unusable,
    )


def _blank(ground: Ground, diff: str, suite: Suite) -> Proof:
    environment = ground.environment
    return Proof(
        verdict=Verdict.NOT_PROVED,
        reasons=(),
        warnings=(),
        rows=(),
        diff=diff,
        targets=ground.targets,
        known_red=ground.known_red,
        isolation=environment.isolation,
        image=environment.image,
        image_id=environment.image_id,
        command=suite.toolchain.runner.argv(),
    )


def _bounds(orders: Orders) -> Bounds:
    return Bounds(orders.attempts, orders.patience, orders.seconds, orders.candidate_runs)


def _unrunnable(run: TestRun) -> Unrunnable:
    cause = run.cause or Cause.ENGINE
    sentence = f"{MEND[cause]}: {run.detail}." if run.detail else f"{MEND[cause]}."
    return Unrunnable(Phase.BASELINE, str(cause), sentence, run.output_tail)


def _not_proved(runtime: str, isolation: Isolation) -> str:
    return (
        f"The isolation asked for ({runtime}) is not there: {isolation.detail}. "
        f"`patchwright doctor` says what each runtime proves."
    )


@contextmanager
def _scratch(prefix: str) -> Iterator[Path]:
    home = Path(tempfile.mkdtemp(prefix=prefix))
    try:
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)
