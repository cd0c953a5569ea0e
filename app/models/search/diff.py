"""A unified diff of one edit, built from the edit itself rather than by comparing two files."""

from itertools import takewhile

_CONTEXT = 3


def unified(path: str, old: bytes, new: bytes) -> str:
    """One hunk with three lines of context; `old` and `new` must differ.

    Bytes that are no UTF-8 stand as lone surrogates, as everywhere in a proposal's text.
    """
    before, after = _lines(old), _lines(new)
    head = _common(before, after)
    tail = min(_common(before[::-1], after[::-1]), min(len(before), len(after)) - head)
    first = max(head - _CONTEXT, 0)
    last_old = min(len(before) - tail + _CONTEXT, len(before))
    last_new = last_old + len(after) - len(before)
    rows = [f"--- a/{path}\n", f"+++ b/{path}\n"]
    rows.append(f"@@ -{first + 1},{last_old - first} +{first + 1},{last_new - first} @@\n")
    rows += [_row(" ", line) for line in before[first:head]]
    rows += [_row("-", line) for line in before[head : len(before) - tail]]
    rows += [_row("+", line) for line in after[head : len(after) - tail]]
    rows += [_row(" ", line) for line in before[len(before) - tail : last_old]]
    return "".join(rows)


def _lines(data: bytes) -> list[str]:
    pieces = data.decode("utf-8", "surrogateescape").split("\n")
    ended = [f"{piece}\n" for piece in pieces[:-1]]
    return [*ended, pieces[-1]] if pieces[-1] else ended


def _common(one: list[str], other: list[str]) -> int:
    pairs = zip(one, other, strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def _row(sign: str, line: str) -> str:
    return (
        f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"
    )
