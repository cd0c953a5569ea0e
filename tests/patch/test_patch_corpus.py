"""The gate on the shared corpus: nothing wrong, nothing dirty, no lie, the right words."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from tests.bench._cases import Verdict, judge, load_cases
from tests.bench._tools import ours


def test_corpus(shared_data: Path) -> None:
    cases = load_cases(shared_data / "diffs")
    assert cases, "the corpus folder is empty"
    apply: Counter[Verdict] = Counter()
    refuse: Counter[Verdict] = Counter()
    misses: list[str] = []
    for case in cases:
        verdict, claim = judge(case, ours)
        (apply if case.reason is None else refuse)[verdict] += 1
        if verdict is not Verdict.RIGHT:
            misses.append(f"{case.name}: {verdict} {claim.reason}")
        if case.control:
            assert verdict is Verdict.RIGHT, case.name
    assert apply[Verdict.RIGHT] >= 0.98 * apply.total(), misses
    assert refuse[Verdict.RIGHT] == refuse.total(), misses
    for verdict in (Verdict.WRONG, Verdict.DIRTY, Verdict.LIE):
        assert apply[verdict] + refuse[verdict] == 0, misses
