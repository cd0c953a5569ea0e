"""Splits a hunk at lines that stand for left-out context, so that each part finds its place."""

from __future__ import annotations

from dataclasses import replace

from sandbox.patch.content import elided
from sandbox.patch.elision import is_elision
from sandbox.patch.hunk import Hunk, Line
from sandbox.patch.syntax import Numbers


def has_elisions(hunk: Hunk) -> bool:
    """Whether a context line of the hunk stands for lines that were left out."""
    return any(line.op == " " and is_elision(line.text) for line in hunk.lines)


def split(hunk: Hunk) -> list[Hunk]:
    """The parts of a hunk between its elisions that change something.

    A part of context alone names the block of the part behind it. Raises RefusalError `elided`
    where an elision touches removed lines: which lines are meant to go cannot be known.
    """
    parts: list[list[Line]] = [[]]
    for at, line in enumerate(hunk.lines):
        if line.op == " " and is_elision(line.text):
            if "-" in _around(hunk.lines, at):
                raise elided(line.text, "leaves out lines beside removed ones with")
            parts.append([])
        else:
            parts[-1].append(line)
    found: list[Hunk] = []
    heading = hunk.heading
    for index, lines in enumerate(parts):
        if any(line.op != " " for line in lines):
            numbers = hunk.numbers if index == 0 else Numbers()
            part = replace(hunk, lines=lines, numbers=numbers, heading=heading, missing=(0, 0))
            part.repairs = [*hunk.repairs, "elided"]
            found.append(part)
            heading = b""
        elif lines:
            heading = lines[0].text.strip() or heading
    return found


def _around(lines: list[Line], at: int) -> set[str]:
    return {lines[near].op for near in (at - 1, at + 1) if 0 <= near < len(lines)}
