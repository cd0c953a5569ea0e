"""Every kind of spoilt diff, on written cases: right to the byte, or refused with its word."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sandbox.patch import Applied, Refused, apply_answer
from tests.bench._cases import snapshot
from tests.patch.own_cases import ALL, Own, Tree


def lay_out(root: Path, tree: Tree) -> None:
    """Writes a tree of texts and bytes."""
    for path, content in tree.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        data = content.encode() if isinstance(content, str) else content
        (root / path).write_bytes(data)


def contents(root: Path) -> dict[str, bytes]:
    """The bytes of every file of a tree."""
    return {path: entry[1] for path, entry in snapshot(root).items()}


def test_names_are_unique_and_there_are_enough_cases() -> None:
    names = Counter(case.name for case in ALL)
    assert not [name for name, count in names.items() if count > 1]
    assert len(names) >= 60


@pytest.mark.parametrize("case", ALL, ids=lambda case: case.name)
def test_written_case(case: Own, tmp_path: Path) -> None:
    lay_out(tmp_path, case.before)
    before = snapshot(tmp_path)
    dry = apply_answer(tmp_path, case.answer, dry_run=True)
    assert snapshot(tmp_path) == before, "a dry run wrote something"
    result = apply_answer(tmp_path, case.answer)
    assert dry == result
    if case.word is not None:
        assert isinstance(result, Refused), result
        assert result.reason == case.word, result.message
        assert snapshot(tmp_path) == before
        return
    assert isinstance(result, Applied), f"{result.reason}: {result.message}"
    expected = {
        path: content.encode() if isinstance(content, str) else content
        for path, content in (case.after or {}).items()
    }
    assert contents(tmp_path) == expected
    assert (result.outcome == "already_applied") == (case.before == case.after)
    if case.rung is not None:
        assert case.rung in {hunk.rung for hunk in result.hunks}
    repairs = {word for hunk in result.hunks for word in hunk.repairs}
    assert set(case.repairs) <= repairs
