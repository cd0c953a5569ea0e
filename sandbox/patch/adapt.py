"""Rewrites added lines the way the context beside them had to be changed to fit the file."""

from __future__ import annotations

import re

from sandbox.patch.habits import Habits, matched_pairs
from sandbox.patch.hunk import Hunk
from sandbox.patch.indent import IndentMap, indent_of, unit_of
from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.place import Placement
from sandbox.patch.readings import Reading, readings
from sandbox.patch.source import REPLACEMENT, Level, Source, decode, is_utf8

_INDENT = re.compile(rb"^(?:[ \t]|\xc2\xa0|\xe2\x80[\x80-\x8a\xaf]|\xe3\x80\x80)*")


def adapted_lines(
    hunk: Hunk, placement: Placement, source: Source, habits: Habits
) -> tuple[Reading, list[bytes]]:
    """The reading that fits, and the final text of every line of the hunk under it.

    Only texts of added lines differ from the reading's own. Raises RefusalError `ambiguous` when
    the indentation of an added line cannot be told, `unsafe_content` when its characters cannot
    be written in the file's encoding.
    """
    reading, texts = placement.reading, list(placement.reading.texts)
    if placement.level >= Level.INDENT:
        reading, texts = _reindented(hunk, placement, source)
    if placement.level >= Level.TRAILING or habits != Habits():
        texts = _in_habit(texts, matched_pairs(reading, placement, source), source, habits)
    return reading, [
        _writable(text, hunk, source) if line.op == "+" else text
        for text, line in zip(texts, hunk.lines, strict=True)
    ]


def _writable(text: bytes, hunk: Hunk, source: Source) -> bytes:
    """An added line as the file can hold it. Raises RefusalError `unsafe_content`."""
    if text.isascii():
        return text
    indent = _INDENT.match(text)
    if indent and not indent.group(0).isascii() and indent.group(0).strip() not in source.data:
        raise RefusalError(
            RefusalReason.UNSAFE_CONTENT,
            "A new line is indented with no-break or other odd blanks, which the file has nowhere. "
            "Send it again with plain spaces or tabs.",
        )
    return _encoded(text, hunk, source)


def _in_habit(
    texts: list[bytes], pairs: list[tuple[bytes, bytes]], source: Source, habits: Habits
) -> list[bytes]:
    """The texts without what the hunks of the file add to every line."""
    if habits.indents and not any(indent_of(mine) for mine, _ in pairs):
        texts = _as_neighbours(texts, source, habits)
    if habits.table:
        texts = [_plain(text, habits.table) for text in texts]
    return [text.rstrip() for text in texts] if _padded(pairs) else texts


def _reindented(hunk: Hunk, placement: Placement, source: Source) -> tuple[Reading, list[bytes]]:
    """Tries the usual reading first; another only if the usual one is off the file's grid.

    A reading under which nothing is indented differently from the file comes before both.
    """
    candidates = [placement.reading]
    if placement.reading.name == "usual":
        candidates += [other for other in readings(hunk, source)[1:] if other.name != "numbered"]
    plain = [reading for reading in candidates if _same_indent(reading, placement, source)]
    found: dict[tuple[bytes, ...], Reading] = {}
    for reading in plain or candidates:
        texts = _under(hunk, reading, placement, source)
        if texts is not None:
            found.setdefault(tuple(texts), reading)
            if reading is placement.reading:
                break
    if len(found) != 1:
        raise RefusalError(
            RefusalReason.AMBIGUOUS,
            "The lines are indented differently from the file, and how the new ones should be "
            "indented cannot be told. Send the hunk again with the file's own indentation.",
        )
    final, reading = next(iter(found.items()))
    return reading, list(final)


def _same_indent(reading: Reading, placement: Placement, source: Source) -> bool:
    pairs = matched_pairs(reading, placement, source)
    return all(indent_of(mine) == indent_of(real) for mine, real in pairs if mine.strip())


def _under(
    hunk: Hunk, reading: Reading, placement: Placement, source: Source
) -> list[bytes] | None:
    pairs = matched_pairs(reading, placement, source)
    solid = frozenset((indent_of(mine), indent_of(real)) for mine, real in pairs if mine.strip())
    if not solid:
        return list(reading.texts)
    indents = [indent_of(text) for text in reading.texts if text.strip()]
    mapping = IndentMap(solid, source.unit, unit_of(indents))
    if not mapping.on_grid() and not _covered(hunk, reading, solid):
        return None
    texts = []
    for text, line in zip(reading.texts, hunk.lines, strict=True):
        if line.op != "+" or not text.strip():
            texts.append(text if line.op != "+" else b"")
            continue
        indent = mapping.apply(indent_of(text))
        if indent is None:
            return None
        texts.append(indent + _bare(text))
    return texts


def _as_neighbours(texts: list[bytes], source: Source, habits: Habits) -> list[bytes]:
    """A hunk whose old lines are not indented at all: other hunks tell the unit it uses."""
    mine = [indent for indent, _ in habits.indents]
    mapping = IndentMap(habits.indents, source.unit, unit_of(mine))
    rules = list(mapping.scale_rules())
    if not rules:
        return texts
    return [
        (rules[0](indent_of(text)) or b"") + _bare(text) if indent_of(text) else text
        for text in texts
    ]


def _bare(text: bytes) -> bytes:
    return _INDENT.sub(b"", text, count=1)


def _covered(hunk: Hunk, reading: Reading, pairs: frozenset[tuple[bytes, bytes]]) -> bool:
    """Whether each added line has the indentation of a line that stands in the file."""
    seen = {mine for mine, _ in pairs}
    return reading.name == "usual" and all(
        indent_of(text) in seen
        for text, line in zip(reading.texts, hunk.lines, strict=True)
        if line.op == "+" and text.strip()
    )


def _plain(text: bytes, table: dict[int, str]) -> bytes:
    return text if text.isascii() else decode(text).translate(table).encode("utf-8")


def _padded(pairs: list[tuple[bytes, bytes]]) -> bool:
    """Whether the hunk's lines were filled up with blanks that the file does not have."""
    solid = [pair for pair in pairs if pair[0].strip()]
    padded = sum(mine != mine.rstrip() and real == real.rstrip() for mine, real in solid)
    return padded * 2 > len(solid)


def _encoded(text: bytes, hunk: Hunk, source: Source) -> bytes:
    """An added line in the encoding of a file that is not UTF-8."""
    if source.is_utf8:
        return text
    if not all(is_utf8(line.raw) for line in hunk.lines):
        return text
    decoded = text.decode("utf-8")
    try:
        if REPLACEMENT in decoded:
            raise UnicodeEncodeError("latin-1", decoded, 0, 1, "unknown character")
        return decoded.encode("latin-1")
    except UnicodeEncodeError as error:
        raise RefusalError(
            RefusalReason.UNSAFE_CONTENT,
            f"The file is not UTF-8, and a new line holds a character it cannot: {error.reason}. "
            "Use ASCII or Latin-1 characters in new lines of this file.",
        ) from error
