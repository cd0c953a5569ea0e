"""Stacked defects on real source files: nearly all right, none wrong, the seed printed."""

from __future__ import annotations

import os
import random
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.patch import Applied, Refused, apply_answer
from tests.bench._defects import KINDS, spoil
from tests.bench._drafts import Draft, random_draft
from tests.patch.own_cases import CART, CART_NEW, STACK, STACK_NEW, TIMER, TIMER_NEW

LONG = os.environ.get("PATCHWRIGHT_LONG") == "1"
STACKED = 4_000 if LONG else 500
BROKEN = 1_500 if LONG else 150


def run(root: Path, draft: Draft, text: str) -> tuple[Applied | Refused, str]:
    """Applies an answer to the draft's tree; the result and the file after it."""
    path = root / draft.path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(draft.before.encode())
    result = apply_answer(root, text)
    return result, path.read_bytes().decode()


def without_blank(text: str) -> list[str]:
    """The lines that say something: an insert may land on either side of a lost blank line."""
    return [line for line in text.splitlines() if line.strip()]


def test_stacked_defects(chance: random.Random, tmp_path: Path) -> None:
    found: Counter[str] = Counter()
    notes: list[str] = []
    for number in range(STACKED):
        draft = random_draft(chance)
        text = spoil(draft, chance, chance.randint(2, 4))
        result, after = run(tmp_path / str(number), draft, text)
        if isinstance(result, Refused):
            found["refused"] += 1
            assert after == draft.before
            notes.append(f"{number} {draft.path} refused {result.reason} {draft.defects}")
        elif after == draft.after:
            found["right"] += 1
        else:
            side = without_blank(after) == without_blank(draft.after)
            found["blank side" if side else "wrong"] += 1
            notes.append(f"{number} {draft.path} {'side' if side else 'WRONG'} {draft.defects}")
    sys.stdout.write("\n".join([str(dict(found)), *notes, ""]))
    assert found["wrong"] == 0, notes
    assert found["right"] >= 0.97 * STACKED, notes


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_defect_alone(kind: object, chance: random.Random, tmp_path: Path) -> None:
    """Each defect on five real edits: none wrong, and right unless the place is in doubt."""
    right = tried = 0
    for number in range(40):
        draft = random_draft(chance)
        text = one_defect(kind, draft, chance)
        if text is None:
            continue
        tried += 1
        result, after = run(tmp_path / str(number), draft, text)
        if isinstance(result, Applied):
            assert without_blank(after) == without_blank(draft.after), (draft.defects, text)
            right += 1
        if tried == 5:
            break
    assert tried, "the defect could not be put into any draft"
    assert right >= tried - 2


def one_defect(kind: object, draft: Draft, chance: random.Random) -> str | None:
    """The answer with this defect alone, or None if the draft does not lend itself to it."""
    assert kind in KINDS
    found = next(other for other in KINDS if other is kind)
    if found.spoil is not None and not found.spoil(draft, chance):
        return None
    text = draft.text()
    return found.wrap(text, draft, chance) if found.wrap else text


def invent_context(draft: Draft, chance: random.Random) -> bool:
    """A context line that no file has."""
    return _replace(draft, chance, " ", lambda text: "    invented_call(self.nothing, 17)")


def alter_removed(draft: Draft, chance: random.Random) -> bool:
    """A removed line that is nearly a line of the file."""
    return _replace(draft, chance, "-", lambda text: text.rstrip() + chance.choice("x1_)"))


def _replace(draft: Draft, chance: random.Random, op: str, change: Callable[[str], str]) -> bool:
    spots = [
        (hunk, at)
        for hunk in draft.hunks
        for at, (sign, text) in enumerate(hunk.lines)
        if sign == op and text.strip()
    ]
    if not spots:
        return False
    hunk, at = chance.choice(spots)
    hunk.lines[at] = (op, change(hunk.lines[at][1]))
    return True


@pytest.mark.parametrize("defect", [invent_context, alter_removed], ids=lambda it: it.__name__)
def test_hallucinated_lines_never_go_wrong(
    defect: Callable[[Draft, random.Random], bool], chance: random.Random, tmp_path: Path
) -> None:
    refused = 0
    for number in range(BROKEN):
        draft = random_draft(chance)
        if not defect(draft, chance):
            continue
        text = spoil(draft, chance, chance.randint(0, 2))
        if "asymmetric" in draft.defects or "one_context" in draft.defects:
            continue  # these may take the invented line out again
        result, after = run(tmp_path / str(number), draft, text)
        refused += isinstance(result, Refused)
        if isinstance(result, Applied):
            assert without_blank(after) == without_blank(draft.after), text
    assert refused > BROKEN / 3


def test_answers_that_break_off_are_refused(chance: random.Random, tmp_path: Path) -> None:
    """Cut inside a line: whatever was lost, nothing may be applied by half."""
    for number in range(BROKEN):
        draft = random_draft(chance)
        text = draft.text()
        last_change = max(text.rfind("\n+"), text.rfind("\n-"))
        at = chance.randrange(40, last_change)
        if text[at - 1] == "\n" or _at_hunk_end(text, at):
            continue
        result, after = run(tmp_path / str(number), draft, text[:at])
        assert isinstance(result, Refused), text[:at]
        assert after == draft.before


def _at_hunk_end(text: str, at: int) -> bool:
    """Whether the next thing after the cut is a new hunk: then nothing shows that one is lost."""
    return text[at:].lstrip("\n").startswith("@@") or text[at : at + 3] == "\n@@"


def test_sign_lost_on_added_lines_is_refused(chance: random.Random, tmp_path: Path) -> None:
    for number in range(BROKEN):
        draft = random_draft(chance)
        spots = [
            (hunk, at)
            for hunk in draft.hunks
            for at, (op, text) in enumerate(hunk.lines)
            if op == "+" and text.strip() and text not in draft.before.splitlines()
        ]
        if not spots:
            continue
        hunk, at = chance.choice(spots)
        hunk.counts = (hunk.count("+"), hunk.count("-"))
        hunk.lines[at] = (" ", hunk.lines[at][1])
        result, after = run(tmp_path / str(number), draft, draft.text())
        assert isinstance(result, Refused), draft.text()
        assert after == draft.before


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("shop/cart.py", CART, CART_NEW),
        ("stack/stack.go", STACK, STACK_NEW),
        ("src/timer.js", TIMER, TIMER_NEW),
    ],
)
def test_defects_in_other_languages(
    path: str, before: str, after: str, chance: random.Random, tmp_path: Path
) -> None:
    from tests.bench._drafts import make_draft

    tried = right = 0
    for number in range(60):
        draft = make_draft(path, before, after)
        text = spoil(draft, chance, chance.randint(1, 3))
        result, content = run(tmp_path / str(number), draft, text)
        tried += 1
        if isinstance(result, Applied):
            assert without_blank(content) == without_blank(after), (draft.defects, text)
            right += 1
    assert right >= 0.9 * tried
