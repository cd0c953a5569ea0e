"""Defects of hunk headers and file headers."""

from __future__ import annotations

import random

from tests.bench._defect_kind import Defect, each
from tests.bench._drafts import Draft, DraftHunk

# --- hunk headers


def keep_counts(hunk: DraftHunk) -> tuple[int, int]:
    return hunk.counts or (hunk.count("+"), hunk.count("-"))


def wrong_counts(hunk: DraftHunk, chance: random.Random) -> None:
    old, new = keep_counts(hunk)
    hunk.counts = max(1, old + chance.randint(-3, 3)), max(1, new + chance.randint(-3, 3))


def swapped(hunk: DraftHunk, chance: random.Random) -> None:
    old, new = keep_counts(hunk)
    hunk.counts = new, old


def off(hunk: DraftHunk, chance: random.Random) -> None:
    shift = chance.choice((-17, -5, -2, 1, 3, 8, 40))
    hunk.old_start = max(1, hunk.old_start + shift)
    hunk.new_start = max(1, hunk.new_start + shift)


def beyond(hunk: DraftHunk, chance: random.Random) -> None:
    hunk.old_start += 9000
    hunk.new_start += 9000


def header(text: str) -> Defect:
    def change(hunk: DraftHunk, chance: random.Random) -> None:
        hunk.header = text.format(
            old=hunk.old_start, new=hunk.new_start, a=hunk.count("+"), b=hunk.count("-")
        )

    return each(change)


def heading_only(draft: Draft, chance: random.Random) -> bool:
    if not all(hunk.heading for hunk in draft.hunks):
        return False
    for hunk in draft.hunks:
        hunk.header = f"@@ {hunk.heading}"
    return True


def no_header(draft: Draft, chance: random.Random) -> bool:
    if len(draft.hunks) > 1 or not draft.names:
        return False
    draft.hunks[0].header = ""
    return True


# --- file headers


def no_git_line(draft: Draft, chance: random.Random) -> bool:
    draft.git = []
    return True


def named(old: str, new: str, keep_git: bool = False) -> Defect:
    def spoil(draft: Draft, chance: random.Random) -> bool:
        draft.git = draft.git if keep_git else []
        name = {
            "path": draft.path,
            "base": draft.path.rsplit("/", 1)[-1],
            "back": draft.path.replace("/", "\\"),
        }
        draft.names = [line.format(**name) for line in (old, new) if line]
        return True

    return spoil


def git_only(draft: Draft, chance: random.Random) -> bool:
    if not draft.git or any(hunk.header == "" for hunk in draft.hunks):
        return False
    draft.git, draft.names = draft.git[:1], []
    return True


def index(*lines: str) -> Defect:
    def spoil(draft: Draft, chance: random.Random) -> bool:
        if not draft.git:
            return False
        draft.git = [draft.git[0], *lines]
        return True

    return spoil
