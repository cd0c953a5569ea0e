"""The ways in which a hunk's operator column can be read, each giving the text of every line."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sandbox.patch.hunk import Hunk, Line
from sandbox.patch.source import Level, Source, fold, key_for

_NUMBERED = re.compile(rb"^\s*\d+\s?(?:\||\xe2\x94\x82|:|\xe2\x86\x92|\t) ?")


@dataclass(frozen=True)
class Reading:
    """A named way to read a hunk; `texts` has the text of each of its lines, `ops` their signs."""

    name: str
    texts: tuple[bytes, ...]
    ops: str


def old_texts(reading: Reading) -> list[bytes]:
    """The texts of context and removed lines."""
    return [text for text, op in zip(reading.texts, reading.ops, strict=True) if op != "+"]


def added_texts(reading: Reading) -> tuple[bytes, ...]:
    """The texts of added lines."""
    return tuple(text for text, op in zip(reading.texts, reading.ops, strict=True) if op == "+")


def reading_keys(reading: Reading, level: Level, skip: str) -> list[bytes]:
    """The keys of the lines at a level, those with the sign `skip` left out."""
    key = key_for(level)
    return [key(text) for text, op in zip(reading.texts, reading.ops, strict=True) if op != skip]


def usual_reading(hunk: Hunk) -> Reading:
    """One operator column, then the text."""
    ops = "".join(line.op for line in hunk.lines)
    return Reading("usual", tuple(line.text for line in hunk.lines), ops)


def readings(hunk: Hunk, source: Source) -> list[Reading]:
    """The usual reading first, then those that the shape of the hunk allows."""
    found = [usual_reading(hunk)]
    ops = found[0].ops
    if hunk.strict:
        return found
    for name, texts in (
        ("doubled", _doubled(hunk)),
        ("spaced", _spaced(hunk)),
        ("dropped", _dropped(hunk, source)),
        ("numbered", _numbered(hunk)),
    ):
        if texts is not None and all(texts != other.texts for other in found):
            found.append(Reading(name, texts, ops))
    return found


def _solid(lines: list[Line]) -> list[Line]:
    return [line for line in lines if line.raw.strip(b" +-\t")]


def _doubled(hunk: Hunk) -> tuple[bytes, ...] | None:
    """Context with one blank too many, changed lines as they should be."""
    context = [line for line in _solid(hunk.lines) if line.op == " "]
    if not context or not all(line.raw.startswith(b"  ") for line in context):
        return None
    return tuple(
        line.raw[2:] if line.op == " " and line.raw[:2] == b"  " else line.text
        for line in hunk.lines
    )


def _spaced(hunk: Hunk) -> tuple[bytes, ...] | None:
    """A blank after every operator."""
    solid = _solid(hunk.lines)
    if any(line.bare for line in solid) or not all(line.raw[1:2] == b" " for line in solid):
        return None
    return tuple(line.text[1:] if line.text.startswith(b" ") else line.text for line in hunk.lines)


def _dropped(hunk: Hunk, source: Source) -> tuple[bytes, ...] | None:
    """Context lines, some or all, without operator column."""
    context = [line for line in _solid(hunk.lines) if line.op == " "]
    if not any(line.raw.startswith(b" ") for line in context):
        return None
    known = source.where(Level.UNICODE)

    def read(line: Line) -> bytes:
        if line.op != " " or line.bare or not line.raw.strip():
            return line.text
        usual, whole = (fold(text).rstrip() for text in (line.text, line.raw))
        return line.text if usual in known and whole not in known else line.raw

    return tuple(read(line) for line in hunk.lines)


def _numbered(hunk: Hunk) -> tuple[bytes, ...] | None:
    """Line numbers between the operator and the text."""
    solid = [line for line in hunk.old if line.raw.strip()]
    barred = all(b"|" in line.text for line in solid)
    if len(solid) < (1 if barred else 2) or not all(_NUMBERED.match(line.text) for line in solid):
        return None
    return tuple(_NUMBERED.sub(b"", line.text, count=1) for line in hunk.lines)


def settle(found: list[Reading], source: Source) -> Reading | None:
    """The one reading among several that fit.

    That is the usual one, else the one under which the new lines are indented like the hunk's
    own context, like lines of the file, and by whole steps of it. None when those disagree.
    """
    if found[0].name == "usual" or len(found) == 1:
        return found[0]
    kin = _best(found, [_like_context(reading) for reading in found])
    grid = _best(found, [_on_grid(reading, source) for reading in found])
    seen = _best(found, [_as_in_file(reading, source) for reading in found])
    both = [reading for reading in kin if reading in grid and reading in seen]
    return both[0] if both and len({added_texts(reading) for reading in both}) == 1 else None


def column_in_doubt(usual: Reading, source: Source) -> bool:
    """Whether a blank after every operator cannot be told from indentation.

    That is so where the old lines are all blank and each new line is off the file's grid, but on
    it without its first blank.
    """
    if any(text.strip() for text in old_texts(usual)) or not source.unit:
        return False
    solid = [text for text in added_texts(usual) if text.strip()]
    shorter = [text[1:] for text in solid if text.startswith(b" ")]
    if not solid or len(shorter) != len(solid):
        return False
    return not any(_whole(text, source) for text in solid) and all(
        _whole(text, source) for text in shorter
    )


def _whole(text: bytes, source: Source) -> bool:
    indent, unit = _indent(text), source.unit
    return bool(unit) and indent == unit * (len(indent) // len(unit))


def _best(found: list[Reading], scores: list[int]) -> list[Reading]:
    return [reading for reading, score in zip(found, scores, strict=True) if score == max(scores)]


def _indent(text: bytes) -> bytes:
    return text[: len(text) - len(text.lstrip())]


def _like_context(reading: Reading) -> int:
    """How many new lines are indented as an old line of the hunk is."""
    known = {_indent(text) for text in old_texts(reading) if text.strip()}
    return sum(_indent(text) in known for text in added_texts(reading) if text.strip())


def _on_grid(reading: Reading, source: Source) -> int:
    """How many new lines are indented by whole steps of the file."""
    return sum(_whole(text, source) for text in added_texts(reading) if text.strip())


def _as_in_file(reading: Reading, source: Source) -> int:
    """How many new lines are indented as some line of the file is."""
    known = {_indent(text) for text in source.texts if text.strip()}
    return sum(_indent(text) in known for text in added_texts(reading) if text.strip())
