"""Tries candidates as probes, in order, and proposes the first that holds."""

from collections import Counter, deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice

from app.models.search.candidates import Candidate, different, ordered, read_index
from sandbox.proposer import BudgetSpent, ProbeRefused, Proposal, Situation
from sandbox.results import TestRun

_REFUSALS_A_FILE = 2


@dataclass(slots=True)
class _State:
    """What one run of the search remembers between attempts."""

    tried: set[tuple[int, str]] = field(default_factory=set)
    probes: int = 0
    files: set[str] = field(default_factory=set)
    refusals: Counter[str] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class _Hit:
    candidate: Candidate
    red: frozenset[str]


class SearchProposer:
    """Deterministic, without a model: small syntactic repairs, likeliest first.

    One instance serves one run and never tries a candidate twice on the same tree. At most
    `max_candidates` candidates are probed a run, `workers` at a time; the probe must allow calls
    from that many threads. What is proposed does not depend on which probe ends first.
    """

    def __init__(self, max_candidates: int = 200, workers: int = 2) -> None:
        self._most = max_candidates
        self._workers = max(workers, 1)
        self._state = _State()

    def __call__(self, situation: Situation) -> Proposal:
        """The first candidate that makes the targets pass and loses no passing test.

        Where none does, one that makes fewer targets fail; else nothing. Raises `BudgetSpent`
        when no probe is left and nothing useful was found.
        """
        search = _Search(self._state, situation, self._most)
        with ThreadPoolExecutor(self._workers, thread_name_prefix="search") as pool:
            return search.run(pool, self._workers)


class _Search:
    """One call: from the situation to a proposal."""

    def __init__(self, state: _State, situation: Situation, most: int) -> None:
        self._state = state
        self._situation = situation
        self._current = situation.last
        self._most = most
        self._targets = frozenset(situation.targets)
        self._red = self._targets - self._current.passing
        self._partial: list[_Hit] = []
        self._spent: BudgetSpent | None = None

    def run(self, pool: ThreadPoolExecutor, workers: int) -> Proposal:
        for hit in self._probed(pool, workers):
            if hit.red:
                self._partial.append(hit)
            elif (note := self._holds(hit)) is not None:
                return Proposal(hit.candidate.diff, note)
        for hit in sorted(self._partial, key=lambda hit: len(hit.red)):
            if (note := self._holds(hit)) is not None:
                return Proposal(hit.candidate.diff, note)
        if self._spent is not None:
            raise self._spent
        return Proposal(None, self._nothing())

    def _probed(self, pool: ThreadPoolExecutor, workers: int) -> Iterator[_Hit]:
        """Candidates after which fewer targets fail, in the order of the candidates.

        A fixed window is kept in flight, so that the number of probes is the same every time.
        """
        waiting: deque[tuple[Candidate, Future[TestRun]]] = deque()
        candidates = self._candidates()
        while self._spent is None:
            for candidate in islice(candidates, workers - len(waiting)):
                targets = self._situation.targets
                waiting.append(
                    (candidate, pool.submit(self._situation.probe, candidate.diff, targets))
                )
            if not waiting:
                return
            candidate, future = waiting.popleft()
            red = self._left_red(candidate, future)
            if red is not None and len(red) < len(self._red):
                yield _Hit(candidate, red)

    def _left_red(self, candidate: Candidate, future: "Future[TestRun]") -> frozenset[str] | None:
        """Targets that still fail with the candidate; None when it gave no result."""
        try:
            run = future.result()
        except ProbeRefused:
            self._state.refusals[candidate.source.path] += 1
            return None
        except BudgetSpent as spent:
            self._spent = spent
            return None
        return self._targets - run.passing if run.usable else None

    def _candidates(self) -> Iterator[Candidate]:
        """What is left to try on this tree, within the limit of the run."""
        state = self._state
        tree = sum(tried.fate == "kept" for tried in self._situation.tried)
        for candidate in different(self._ordered()):
            path = candidate.source.path
            known = (tree, candidate.digest)
            if known in state.tried or state.refusals[path] >= _REFUSALS_A_FILE:
                continue
            if state.probes >= self._most:
                return
            state.tried.add(known)
            state.probes += 1
            state.files.add(path)
            yield candidate

    def _ordered(self) -> list[Candidate]:
        index, editable = read_index(self._situation.workspace)
        cases = {
            case.id: case for run in (self._situation.last, self._current) for case in run.cases
        }
        failing = [cases[name] for name in self._situation.targets if name in cases]
        task = self._situation.task
        return ordered(index, editable, failing, f"{task.title}\n{task.body}")

    def _holds(self, hit: _Hit) -> str | None:
        """A note when the whole suite loses no passing test with the candidate, else None."""
        place, count = hit.candidate.describe(), self._state.probes
        try:
            whole = self._situation.probe(hit.candidate.diff)
        except BudgetSpent:
            return f"{place}; candidate {count}, the whole suite was not probed for want of budget"
        except ProbeRefused:
            return None
        lost = self._current.passing - whole.passing
        if not whole.usable or lost:
            return None
        return f"{place}; found among {count} candidates"

    def _nothing(self) -> str:
        count, files = self._state.probes, len(self._state.files)
        limit = f", the limit of {self._most} is reached" if count >= self._most else ""
        return (
            f"Tried {count} small repairs in {files} files{limit}; none made the target tests pass "
            "without breaking another."
        )
