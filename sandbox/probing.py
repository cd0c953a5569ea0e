"""Trial runs that a proposer may ask for: fresh container each, budgeted, proving nothing."""

import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

from sandbox.events import Event, Watch, unwatched
from sandbox.ledger import Ledger
from sandbox.patch import Applied, apply_answer
from sandbox.policy import Policy, Refused, refusal
from sandbox.proposer import BudgetSpent, ProbeRefused, Refusal
from sandbox.results import TestRun
from sandbox.suite import Suite
from sandbox.workspace import Workspace, copy_tree

TELL_EVERY = 10


class Prober:
    """The `probe` of a situation; may be called from several threads at once."""

    def __init__(
        self,
        workspace: Workspace,
        suite: Suite,
        policy: Policy,
        ledger: Ledger,
        cap: int,
        check: Callable[[], None],
        watch: Watch = unwatched,
    ) -> None:
        self._workspace, self._suite, self._policy = workspace, suite, policy
        self._ledger, self._cap, self._check = ledger, cap, check
        self._watch, self._lock = watch, threading.Lock()

    def __call__(self, diff: str, tests: Sequence[str] = ()) -> TestRun:
        """Run `tests`, or all, on a scratch copy with `diff`; see `sandbox.proposer.Probe`."""
        self._check()
        with tempfile.TemporaryDirectory(prefix="patchwright-probe-") as home:
            scratch = Path(home) / "tree"
            copy_tree(self._workspace.root, scratch)
            self._apply(scratch, diff)
            self._count()
            return self._suite.run(scratch, tests=tests)

    def _apply(self, scratch: Path, diff: str) -> None:
        applied = apply_answer(scratch, diff.encode("utf-8", "surrogateescape"))
        if not isinstance(applied, Applied):
            raise ProbeRefused(Refusal(str(applied.reason), applied.message))
        held = ((path, self._policy.protects(path)) for path in applied.paths)
        refused = tuple(Refused(path, kind) for path, kind in held if kind)
        if refused:
            raise ProbeRefused(refusal(refused))

    def _count(self) -> None:
        with self._lock:
            if self._ledger.candidate_runs >= self._cap:
                raise BudgetSpent("candidate runs")
            self._ledger.candidate_runs += 1
            count = self._ledger.candidate_runs
        if count % TELL_EVERY == 0:
            self._watch(Event("probe", f"{count} candidates tried"))
