"""Which tests a fix must turn green, fixed before the first edit."""

import re

from sandbox.ground import NoTarget, Orders
from sandbox.results import TestRun


def choose(baseline: TestRun, orders: Orders) -> tuple[str, ...]:
    """The targets by the first rule that gives any.

    Named ones; failing tests that the issue points at by id, path, name or error text; else all
    failing tests. Raises `NoTarget` when none fails, or a named one is unknown or passes.
    """
    if orders.targets:
        return _named(baseline, orders.targets)
    if not baseline.failing:
        raise NoTarget(
            "not_reproduced",
            "The whole suite passes, so nothing shows the problem. "
            "A test that fails, or the exact input, would let me start.",
        )
    text = f"{orders.task.title}\n{orders.task.body}"
    return tuple(sorted(_pointed_at(baseline, text) or baseline.failing))


def _named(baseline: TestRun, names: tuple[str, ...]) -> tuple[str, ...]:
    unknown = sorted(set(names) - baseline.ids)
    if unknown:
        raise NoTarget("unknown_target", f"The suite has no test {unknown[0]}.")
    green = sorted(set(names) - baseline.failing)
    if green:
        raise NoTarget("target_green_at_base", f"{green[0]} does not fail without a change.")
    return tuple(sorted(set(names)))


def _pointed_at(baseline: TestRun, text: str) -> frozenset[str]:
    """Failing tests that the text names most exactly: by id, else by name, else by path."""
    words = set(re.findall(r"[\w./-]+", text))
    failing = [case for case in baseline.cases if case.id in baseline.failing]
    by_id = frozenset(case.id for case in failing if case.id in text)
    by_name = frozenset(case.id for case in failing if _function(case.id) in words)
    by_path = frozenset(case.id for case in failing if case.file and case.file in words)
    return by_id or by_name or by_path


def _function(test_id: str) -> str:
    """The test's bare name; ids stay opaque, this only looks for a word that people write."""
    found = re.search(r"(test\w*)(\[.*)?$", test_id, re.DOTALL)
    return found.group(1) if found else test_id
