"""Defects of the lines of a hunk: white space, operators, context, order."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace

from tests.bench._defect_kind import Defect, lines
from tests.bench._drafts import Draft, DraftHunk, Line

# --- white space


def bare_blank(op: str, text: str) -> Line:
    return ("", "") if op == " " and not text.strip() else (op, text)


def shift(change: Callable[[str], str]) -> Defect:
    return lines(lambda op, text: (op, change(text) if text.strip() else text))


def dedent(draft: Draft, chance: random.Random) -> bool:
    done = False
    for hunk in draft.hunks:
        solid = [text for op, text in hunk.lines if op and text.strip()]
        size = min((len(text) - len(text.lstrip()) for text in solid), default=0)
        size -= size % 4
        hunk.lines = [(op, text[size:] if text.strip() else text) for op, text in hunk.lines]
        done = done or size > 0
    return done


def indent(draft: Draft, chance: random.Random) -> bool:
    for hunk in draft.hunks:
        if all(op == "+" for op, text in hunk.lines if text.strip()):
            return False
    return shift(lambda text: "    " + text)(draft, chance)


def scaled(unit: str) -> Callable[[str], str]:
    def change(text: str) -> str:
        size = len(text) - len(text.lstrip())
        return unit * (size // 4) + " " * (size % 4) + text.lstrip()

    return change


def halved(draft: Draft, chance: random.Random) -> bool:
    return regular(draft) and shift(scaled("  "))(draft, chance)


def tabbed(draft: Draft, chance: random.Random) -> bool:
    return regular(draft) and shift(scaled("\t"))(draft, chance)


def regular(draft: Draft) -> bool:
    """Whether all indentation is in steps of four, so that a new unit loses nothing."""
    texts = [text for hunk in draft.hunks for _, text in hunk.lines if text.strip()]
    for hunk in draft.hunks:
        # Without one indented old line nothing could tell the unit of the hunk.
        if not any(op != "+" and text.startswith("    ") for op, text in hunk.lines):
            return False
    return all((len(text) - len(text.lstrip())) % 4 == 0 and "\t" not in text for text in texts)


def padded(op: str, text: str) -> Line:
    return (op, text.ljust(90)) if op in (" ", "-") else (op, text)


def nbsp(text: str) -> str:
    size = len(text) - len(text.lstrip())
    return " \u00a0" * (size // 2) + " " * (size % 2) + text.lstrip()


def dropped(op: str, text: str) -> Line:
    return ("", text) if op == " " else (op, text)


def dropped_defect(draft: Draft, chance: random.Random) -> bool:
    if any(text[:1] in ("+", "-", "\\", "@") for h in draft.hunks for op, text in h.lines):
        return False
    return lines(dropped)(draft, chance)


def doubled(op: str, text: str) -> Line:
    return (op, " " + text) if op == " " and text.strip() else (op, text)


def spaced(op: str, text: str) -> Line:
    return (op, " " + text) if text.strip() else (op, text)


def numbered(draft: Draft, chance: random.Random) -> bool:
    for hunk in draft.hunks:
        number, rows = hunk.old_start, []
        for op, text in hunk.lines:
            rows.append((op, f" {number:4d} | {text}".rstrip()))
            number += op != "-"
        hunk.lines = rows
    return True


# --- context


def outer(hunk: DraftHunk) -> list[int]:
    """Context lines that are no direct neighbours of a change."""
    lines = hunk.lines
    return [
        at
        for at, (op, text) in enumerate(lines)
        if op in (" ", "")
        and text.strip()
        and all(lines[near][0] in (" ", "") for near in (at - 1, at + 1) if 0 <= near < len(lines))
    ]


def skip_line(draft: Draft, chance: random.Random) -> bool:
    done = False
    for hunk in draft.hunks:
        spots = [at for at in outer(hunk) if 0 < at < len(hunk.lines) - 1]
        if spots:
            hunk.counts = hunk.counts or (hunk.count("+"), hunk.count("-"))
            del hunk.lines[chance.choice(spots)]
            done = True
    return done


def drop_blank(draft: Draft, chance: random.Random) -> bool:
    done = False
    for hunk in draft.hunks:
        spots = [
            at
            for at, (op, text) in enumerate(hunk.lines)
            if op in (" ", "") and not text.strip() and 0 < at < len(hunk.lines) - 1
        ]
        if spots:
            hunk.counts = hunk.counts or (hunk.count("+"), hunk.count("-"))
            del hunk.lines[chance.choice(spots)]
            done = True
    return done


def stale(draft: Draft, chance: random.Random) -> bool:
    done = False
    for hunk in draft.hunks:
        spots = [at for at in outer(hunk) if len(hunk.lines[at][1].strip()) > 12]
        if spots:
            at = chance.choice(spots)
            op, text = hunk.lines[at]
            hunk.lines[at] = (op, re.sub(r"(\w+)", r"\1Old", text, count=1))
            done = True
    return done


def one_context(draft: Draft, chance: random.Random) -> bool:
    for hunk in draft.hunks:
        changed = [at for at, (op, _) in enumerate(hunk.lines) if op in ("+", "-")]
        if not changed:
            return False
        first, last = max(changed[0] - 1, 0), changed[-1] + 2
        gone = sum(op != "+" for op, _ in hunk.lines[:first])
        hunk.lines = hunk.lines[first:last]
        hunk.old_start += gone
        hunk.new_start += gone
    return True


def asymmetric(draft: Draft, chance: random.Random) -> bool:
    for hunk in draft.hunks:
        if all(op == " " for op, _ in hunk.lines):
            return False
        while hunk.lines[-1][0] == " ":
            hunk.lines.pop()
    return all(hunk.count("+") for hunk in draft.hunks)


# --- structure


def twice(draft: Draft, chance: random.Random) -> bool:
    hunk = chance.choice(draft.hunks)
    draft.hunks.insert(draft.hunks.index(hunk) + 1, replace(hunk, lines=list(hunk.lines)))
    return True


def reversed_hunks(draft: Draft, chance: random.Random) -> bool:
    draft.hunks.reverse()
    return len(draft.hunks) > 1


def plus_first(draft: Draft, chance: random.Random) -> bool:
    before = draft.text()
    for hunk in draft.hunks:
        rows: list[Line] = []
        run: list[Line] = []
        for line in [*hunk.lines, (" ", "")]:
            if line[0] in ("+", "-"):
                run.append(line)
                continue
            rows += sorted(run, key=lambda item: item[0] == "-")
            rows.append(line)
            run = []
        hunk.lines = rows[:-1]
    return draft.text() != before


def minus_plus(draft: Draft, chance: random.Random) -> bool:
    """A context line beside a change told as removed and added again."""
    for hunk in draft.hunks:
        rows: list[Line] = []
        for op, text in hunk.lines:
            rows += (
                [("-", text), ("+", text)] if op == " " and chance.random() < 0.3 else [(op, text)]
            )
        hunk.lines = rows
    return True


def noop_hunk(draft: Draft, chance: random.Random) -> bool:
    lines = draft.before.splitlines()
    at = chance.randrange(len(lines) - 5)
    rows = [(" ", text) for text in lines[at : at + 4]]
    draft.hunks.insert(0, DraftHunk(at + 1, at + 1, rows))
    return any(text.strip() for _, text in rows)
