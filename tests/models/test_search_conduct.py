"""How the search behaves: budget, protected paths, lost tests, memory, untouched bytes."""

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from app.models.search import SearchProposer
from app.models.search.diff import unified
from sandbox.proposer import BudgetSpent, Task, Tried
from sandbox.results import Status, TestRun
from tests.models.probing import SAFE, Bench, apply

Make = Callable[[dict[str, str]], Bench]

TWO_SLIPS = {
    "shop/__init__.py": "from .cart import total\nfrom .stock import enough\n",
    "shop/cart.py": (
        "def total(prices, discount=0):\n    whole = sum(prices)\n    return whole + discount\n"
    ),
    "shop/stock.py": "def enough(have, wanted):\n    return have > wanted\n",
    "tests/test_shop.py": (
        "import shop\n\n"
        "def test_total():\n    assert shop.total([5, 6], 1) == 10\n\n"
        "def test_whole():\n    assert shop.total([5, 6]) == 11\n\n"
        "def test_enough():\n    assert shop.enough(2, 2)\n\n"
        "def test_not_enough():\n    assert not shop.enough(1, 2)\n"
    ),
}


def test_two_slips_are_mended_one_after_the_other(bench: Make) -> None:
    ready = bench(TWO_SLIPS)
    assert len(ready.baseline.failing) == 2
    proposer, targets = SearchProposer(40), tuple(sorted(ready.baseline.failing))
    first = proposer(ready.situation())
    assert first.diff is not None
    apply(ready.folder, first.diff)
    halfway = ready.runner(ready.folder)
    assert len(halfway.failing) == 1
    ready.tried = (Tried(first.diff, "kept", halfway),)
    second = proposer(replace(ready.situation(*targets), last=halfway))
    assert second.diff is not None
    apply(ready.folder, second.diff)
    assert not ready.runner(ready.folder).failing


def test_what_was_tried_is_not_tried_again(bench: Make) -> None:
    ready = bench(TWO_SLIPS)
    proposer = SearchProposer(60)
    first = proposer(ready.situation("tests/test_shop.py::test_enough"))
    assert first.diff is not None
    ready.tried = (Tried(first.diff, "reverted", ready.baseline),)
    before = [diff for diff in ready.probe.diffs if diff != first.diff]
    ready.probe.diffs.clear()
    again = proposer(ready.situation("tests/test_shop.py::test_enough"))
    assert again.diff != first.diff
    assert set(ready.probe.diffs).isdisjoint({*before, first.diff})


def test_a_mend_that_breaks_another_test_is_passed_over(bench: Make) -> None:
    # Another limit would do for the target as well, and break the test of the limit.
    files = {
        "rules.py": (
            "def limit(value):\n    return value < 10\n\n\n"
            "def fits(value):\n    return limit(value + 1)\n"
        ),
        "tests/test_rules.py": (
            "from rules import fits, limit\n\n"
            "def test_limit():\n    assert limit(9)\n    assert not limit(10)\n\n"
            "def test_edge():\n    assert fits(9)\n"
        ),
    }
    ready = bench(files)
    assert ready.baseline.failing == {"tests/test_rules.py::test_edge"}
    proposal = SearchProposer(60)(ready.situation())
    assert proposal.diff is not None
    # Control: among the probes is one that mends the target and loses a passing test.
    greedy = [diff for diff in tuple(ready.probe.diffs) if loses_a_test(ready, diff)]
    assert greedy
    assert proposal.diff not in greedy
    apply(ready.folder, proposal.diff)
    assert not ready.runner(ready.folder).failing


def loses_a_test(ready: Bench, diff: str) -> bool:
    """Whether the target passes with `diff` and another test no longer does."""
    run = ready.probe(diff)
    lost = ready.baseline.passing - run.passing
    return bool(lost) and ready.baseline.failing <= run.passing


def test_the_budget_ends_it_and_is_named(bench: Make) -> None:
    ready = bench(TWO_SLIPS)
    ready.probe.budget = 0
    with pytest.raises(BudgetSpent, match="candidate runs"):
        SearchProposer(60)(ready.situation())


def test_what_is_half_found_when_the_budget_ends_is_proposed(bench: Make) -> None:
    ready = bench(TWO_SLIPS)
    ready.probe.budget = 8
    proposal = SearchProposer(60, workers=1)(ready.situation())
    assert proposal.diff is not None
    assert "not probed for want of budget" in proposal.note
    apply(ready.folder, proposal.diff)
    assert len(ready.runner(ready.folder).failing) == 1


@pytest.mark.parametrize("most", [0, 3])
def test_the_limit_of_candidates_is_told(bench: Make, most: int) -> None:
    source = "def count(words):\n    return len(words) + 1 - 1\n"
    test = "from words import count\n\ndef test_count():\n    assert count('a a b') == {'a': 2}\n"
    ready = bench({"words.py": source, "tests/test_words.py": test})
    proposal = SearchProposer(most)(ready.situation())
    assert (proposal.diff, len(ready.probe.diffs)) == (None, most)
    assert f"Tried {most} small repairs" in proposal.note
    assert f"the limit of {most} is reached" in proposal.note


def test_a_refused_file_is_left_after_two_refusals(bench: Make) -> None:
    ready = bench(TWO_SLIPS)
    ready.probe.protected = ("shop/stock.py",)
    proposal = SearchProposer(80, workers=1)(ready.situation("tests/test_shop.py::test_enough"))
    assert proposal.diff is None
    refused = [diff for diff in ready.probe.diffs if "+++ b/shop/stock.py" in diff]
    assert len(refused) == 2


def test_no_candidate_touches_a_test(bench: Make) -> None:
    files = {
        **TWO_SLIPS,
        "tests/helpers.py": "def twice(x):\n    return x + 2\n",
        "conftest.py": "def three():\n    return 2 + 2\n",
    }
    files["tests/test_shop.py"] += (
        "\nfrom helpers import twice\n\ndef test_helper():\n    assert twice(3) == 6\n"
    )
    files["tests/conftest.py"] = "import sys, os\nsys.path.insert(0, os.path.dirname(__file__))\n"
    ready = bench(files)
    target = "tests/test_shop.py::test_helper"
    assert target in ready.baseline.failing
    SearchProposer(40)(ready.situation(target))
    touched = {line for diff in ready.probe.diffs for line in diff.splitlines() if "+++ " in line}
    assert all(line.startswith("+++ b/shop/") for line in touched)


def test_the_issue_says_where_when_the_test_does_not(bench: Make) -> None:
    files = {
        "tool.py": "import sys\n\ndef ratio(a, b):\n    return a * b\n\n"
        "if __name__ == '__main__':\n    print(ratio(8, 2))\n",
        "tests/test_tool.py": (
            "import subprocess, sys, pathlib\n\n"
            "def test_output():\n"
            "    tool = pathlib.Path(__file__).parents[1] / 'tool.py'\n"
            "    out = subprocess.run([sys.executable, tool], capture_output=True, text=True)\n"
            "    assert out.stdout == '4.0\\n'\n"
        ),
    }
    ready = bench(files)
    silent = SearchProposer(30)(ready.situation())
    assert silent.diff is None
    ready.task = Task("ratio is wrong", "`ratio` of 8 and 2 should be 4.0")
    told = SearchProposer(30)(ready.situation())
    assert told.diff is not None
    assert "+    return a / b" in told.diff


@pytest.mark.parametrize(
    "text",
    [
        "def f(x):\r\n    # naïve\r\n    return x  +  1 # keep\r\n",
        "\ufeffdef f(x):\n\treturn x  +  1",
        'def f(x):\n    s = "“ü”"; return x \\\n      +  1\n\n\n\f\n# end\n',
    ],
)
def test_nothing_but_the_span_changes(tmp_path: Path, text: str, bench: Make) -> None:
    test = "from odd import f\n\ndef test_f():\n    assert f(3) == 2\n"
    ready = bench({"odd.py": text, "tests/test_odd.py": test})
    proposal = SearchProposer(20)(ready.situation())
    assert proposal.diff is not None
    apply(ready.folder, proposal.diff)
    assert (ready.folder / "odd.py").read_bytes() == text.replace("+", "-").encode()


def test_a_run_that_gives_no_result_is_no_mend(bench: Make) -> None:
    ready = bench(TWO_SLIPS)
    target = "tests/test_shop.py::test_enough"
    good = SearchProposer(60)(ready.situation(target)).diff
    real = ready.probe

    def unsteady(diff: str, tests: Sequence[str] = ()) -> TestRun:
        run = real(diff, tests)
        return replace(run, status=Status.UNUSABLE) if diff == good else run

    proposal = SearchProposer(60)(replace(ready.situation(target), probe=unsteady))
    assert proposal.diff != good


def test_a_diff_without_final_newline_and_at_the_edges(tmp_path: Path) -> None:

    (tmp_path / "x").write_bytes(b"a\nb")
    diff = unified("x", b"a\nb", b"a\nc")
    subprocess.run(["git", "apply", "-"], input=diff.encode(), cwd=tmp_path, check=True, env=SAFE)
    assert (tmp_path / "x").read_bytes() == b"a\nc"
