"""Tells an answer that broke off from one whose counts are merely wrong."""

from __future__ import annotations

from collections.abc import Sequence

from sandbox.patch.hunk import Hunk
from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.place import Placement
from sandbox.patch.source import Level, Source, fold, squeeze


def is_short(hunk: Hunk) -> bool:
    """Whether fewer lines came than the header announces and nothing marks the end."""
    return not hunk.closed and max(hunk.missing) > 0


def check_unplaced(hunk: Hunk, source: Source, error: RefusalError) -> RefusalError:
    """The refusal for a hunk without place: `truncated` if it broke off, else as it was."""
    if error.refused.reason is not RefusalReason.NO_MATCH or hunk.closed:
        return error
    last = squeeze(fold(hunk.lines[-1].text)) if hunk.lines[-1].op != "+" else b""
    cut = len(last) > 3 and any(
        key.startswith(last) and key != last for key in source.keys(Level.BLANKS)
    )
    return broke_off(hunk) if is_short(hunk) or cut else error


def check_placed(hunk: Hunk, placement: Placement, source: Source) -> None:
    """Raises RefusalError `truncated` for the last hunk of an answer that broke off.

    Lines that are missing but blank in the file were only stripped from the end of the answer.
    """
    if hunk.closed:
        if hunk.weakly and max(hunk.missing) > 0 and _stops_early(hunk, placement, source):
            raise broke_off(hunk)
        return
    if not hunk.changes:
        if is_short(hunk):
            raise broke_off(hunk)
        return
    whole = (
        not is_short(hunk)
        or _only_blank_missing(hunk, placement.lines, source)
        or _reaches_end(hunk, placement)
    )
    if not whole or _cut_line(hunk, placement.lines, source):
        raise broke_off(hunk)


def _stops_early(hunk: Hunk, placement: Placement, source: Source) -> bool:
    """Whether a hunk that is short ends with a change although the file goes on.

    A newline is a weak mark: an answer may break off behind one, and then it mostly does so
    before the context that closes a hunk.
    """
    ops = placement.reading.ops
    if ops[0] != " " or ops[-1] == " " or placement.idle:
        return False
    last = next((at for at in reversed(placement.lines) if at is not None), len(source))
    return last + 1 < len(source) and not _reaches_end(hunk, placement)


def _reaches_end(hunk: Hunk, placement: Placement) -> bool:
    """Whether the missing lines are known not to be missing at the end of the hunk.

    Either the hunk spans all declared lines of the file and merely skips some, or its old lines
    are all there and a full measure of context follows the last change.
    """
    old, new = hunk.missing
    seen = placement.witnesses
    known = sorted([at for at in placement.lines if at is not None] + [at for _, at in seen])
    declared = hunk.numbers.old_count or 0
    if old == new and known and known[-1] - known[0] + 1 >= declared:
        return placement.lines[-1] is not None or len(placement.lines) - 1 in dict(seen)
    trailing = len(hunk.lines) - 1 - max(at for at, line in enumerate(hunk.lines) if line.op != " ")
    return old <= 0 and trailing >= 3


def _cut_line(hunk: Hunk, lines: Sequence[int | None], source: Source) -> bool:
    """Whether the last line is the beginning of a line of the file that it should equal."""
    if hunk.lines[-1].op == "+" or not lines or lines[-1] is not None:
        return False
    last = squeeze(fold(hunk.lines[-1].text))
    if not last:
        return True
    known = [at for at in lines if at is not None]
    near = source.keys(Level.BLANKS)[known[-1] + 1 : known[-1] + 16] if known else []
    return last not in near and any(key.startswith(last) for key in near)


def _only_blank_missing(hunk: Hunk, lines: Sequence[int | None], source: Source) -> bool:
    old, new = hunk.missing
    known = [at for at in lines if at is not None]
    if old != new or not known:
        return False
    rest = source.texts[known[-1] + 1 : known[-1] + 1 + old]
    return len(rest) == old and not any(text.strip() for text in rest)


def broke_off(hunk: Hunk) -> RefusalError:
    """The refusal for an answer that ends in the middle of a hunk."""
    old, new = hunk.missing
    told = ""
    if max(old, new) > 0:
        told = f" (its header announces {max(old, 0)} more old and {max(new, 0)} more new lines)"
    return RefusalError(
        RefusalReason.TRUNCATED,
        f"The diff breaks off inside this hunk{told}. Send the whole diff again; make it smaller "
        "if there is no room for it.",
    )
