"""Own small bugs of many kinds: each fails first, is found by search, and is truly mended."""

from collections.abc import Callable

import pytest

from app.models.search import SearchProposer
from tests.models.probing import Bench, apply
from tests.models.seeded_bugs import BUGS, Bug

MOST = 120


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_the_slip_is_found_and_mended(bug: Bug, bench: Callable[[dict[str, str]], Bench]) -> None:
    ready = bench({"marks.py": bug.wrong, "tests/test_marks.py": bug.tests})
    assert ready.baseline.failing, "the slip must show in the tests"
    proposal = SearchProposer(MOST)(ready.situation())
    assert proposal.diff is not None, proposal.note
    apply(ready.folder, proposal.diff)
    assert not ready.runner(ready.folder).failing
    # Kept-back checks and nothing of the tests: this is the real mend, not one that fits.
    namespace: dict[str, object] = {"__name__": "marks"}
    exec(compile((ready.folder / "marks.py").read_text(), "marks.py", "exec"), namespace)  # noqa: S102
    exec(compile(bug.hidden, "hidden", "exec"), namespace)  # noqa: S102
    assert (ready.folder / "tests/test_marks.py").read_text() == bug.tests


def test_the_kept_back_checks_can_fail() -> None:
    """Control: without the mend each of them is red, or the seeded slip would go unseen."""
    unseen = []
    for bug in BUGS:
        namespace: dict[str, object] = {"__name__": "marks"}
        exec(compile(bug.wrong, "marks.py", "exec"), namespace)  # noqa: S102
        try:
            exec(compile(bug.hidden, "hidden", "exec"), namespace)  # noqa: S102
        except (AssertionError, AttributeError, ZeroDivisionError):
            continue
        unseen.append(bug.name)
    assert unseen == []


def test_what_no_small_repair_mends_is_given_up_with_the_count(
    bench: Callable[[dict[str, str]], Bench],
) -> None:
    source = "def roman(number):\n    return 'I' * number\n"
    test = (
        "\ndef test_roman():\n    assert roman(1994) == 'MCMXCIV'\n\n"
        "def test_one():\n    assert roman(1) == 'I'\n"
    )
    ready = bench({"marks.py": source, "tests/test_marks.py": test})
    before = (ready.folder / "marks.py").read_bytes()
    proposal = SearchProposer(MOST)(ready.situation())
    assert proposal.diff is None
    assert len(ready.probe.diffs) > 0
    assert f"Tried {len(ready.probe.diffs)} small repairs in 1 files" in proposal.note
    assert (ready.folder / "marks.py").read_bytes() == before


def test_the_same_situation_gives_the_same_answer_by_the_same_way(
    bench: Callable[[dict[str, str]], Bench],
) -> None:
    bug = next(bug for bug in BUGS if bug.name == "negated condition")
    ready = bench({"marks.py": bug.wrong, "tests/test_marks.py": bug.tests})
    ways = []
    for workers in (1, 2, 4):
        ready.probe.diffs.clear()
        proposal = SearchProposer(MOST, workers=workers)(ready.situation())
        ways.append((proposal.diff, proposal.note.partition(";")[0]))
    assert len(set(ways)) == 1
