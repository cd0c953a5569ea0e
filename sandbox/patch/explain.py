"""Words for a hunk that found no place: its old lines, the nearest real ones, what to send."""

from __future__ import annotations

from difflib import SequenceMatcher

from sandbox.patch.hunk import Hunk
from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.paths import show
from sandbox.patch.source import Level, Source, fold, squeeze

_SHOWN = 12
_TRIED = 4000


def no_match(hunk: Hunk, source: Source) -> RefusalError:
    """The refusal for a hunk whose old lines are not in the file."""
    near = _nearest(hunk, source)
    told = (
        "The lines that the hunk expects are not in the file.\n"
        f"The hunk expects:\n{_quoted(hunk)}\n"
    )
    if near is None:
        told += "Nothing like them is in the file; it may be the wrong file.\n"
    else:
        told += f"The nearest lines of the file are:\n{numbered(source, *near)}\n"
    told += "Send the hunk again with its context and removed lines copied exactly from the file."
    return RefusalError(RefusalReason.NO_MATCH, told)


def ambiguous(hunk: Hunk, source: Source, starts: list[int]) -> RefusalError:
    """The refusal for a hunk that fits several places."""
    size = min(len(hunk.old), 6)
    places = "\n...\n".join(numbered(source, at, at + size) for at in starts[:4])
    more = f"\n(and {len(starts) - 4} more)" if len(starts) > 4 else ""
    return RefusalError(
        RefusalReason.AMBIGUOUS,
        f"The hunk fits {len(starts)} places:\n{places}{more}\n"
        f"The hunk expects:\n{_quoted(hunk)}\n"
        "Send it again with more unchanged lines around it, so that it fits one place only, or "
        "with the exact line number in its header.",
    )


def numbered(source: Source, start: int, end: int) -> str:
    """Lines of the file with their numbers."""
    rows = range(max(start, 0), min(end, len(source)))
    return "\n".join(f"{at + 1:6d}  {show(source.texts[at].rstrip())}" for at in rows)


def _quoted(hunk: Hunk) -> str:
    lines = [f"  {line.op}{show(line.text.rstrip())}" for line in hunk.old[:_SHOWN]]
    if len(hunk.old) > _SHOWN:
        lines.append(f"  ({len(hunk.old) - _SHOWN} more lines)")
    return "\n".join(lines)


def _nearest(hunk: Hunk, source: Source) -> tuple[int, int] | None:
    """The window of the file that shares most lines with the hunk, else its likest line."""
    size = len(hunk.old)
    where = source.where(Level.BLANKS)
    votes: dict[int, int] = {}
    for offset, line in enumerate(hunk.old):
        key = squeeze(fold(line.text))
        for at in where.get(key, ())[:50] if len(key) > 2 else ():
            votes[at - offset] = votes.get(at - offset, 0) + len(key)
    if votes:
        best = max(votes, key=lambda start: votes[start])
        return max(best - 1, 0), best + min(size, _SHOWN) + 1
    longest = max((fold(line.text).strip() for line in hunk.old), key=len, default=b"")
    return _likest(longest, source)


def _likest(text: bytes, source: Source) -> tuple[int, int] | None:
    matcher = SequenceMatcher(None, "", show(text[:200]), autojunk=False)
    best, found = 0.6, None
    for at, other in enumerate(source.texts[:_TRIED]):
        matcher.set_seq1(show(other.strip()[:200]))
        if matcher.real_quick_ratio() > best and matcher.quick_ratio() > best:
            ratio = matcher.ratio()
            if ratio > best:
                best, found = ratio, at
    return None if found is None else (found - 2, found + 3)
