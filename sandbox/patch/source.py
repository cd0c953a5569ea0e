"""A file as the engine sees it: lines with their ends, and the keys under which lines compare."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from enum import IntEnum
from functools import cached_property
from itertools import pairwise

from sandbox.patch.intake import BOM

REPLACEMENT = "\ufffd"
SCANS = 8


class Level(IntEnum):
    """How closely two lines have to agree, strictest first."""

    EXACT = 0
    TRAILING = 1
    UNICODE = 2
    INDENT = 3
    BLANKS = 4


RUNG_NAMES = {
    Level.EXACT: "exact",
    Level.TRAILING: "trailing",
    Level.UNICODE: "unicode",
    Level.INDENT: "indent",
    Level.BLANKS: "blanks",
}

_SINGLE = dict.fromkeys("‘’‚‛′", "'") | dict.fromkeys("“”„‟″", '"')
_DASHES = dict.fromkeys("‐‑‒–—―−", "-")
_SPACES = dict.fromkeys("\u00a0\u1680\u202f\u205f\u3000", " ") | {
    chr(code): " " for code in range(0x2000, 0x200B)
}
_INVISIBLE = dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad", "")
FANCY = {**_SINGLE, **_DASHES, **_SPACES, **_INVISIBLE, "…": "..."}
_FOLDS = str.maketrans(FANCY)


def decode(text: bytes, lossy: bool = False) -> str:
    """The line as text: UTF-8, else Latin-1 (or with replacement characters if `lossy`)."""
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("utf-8", "replace") if lossy else text.decode("latin-1")


def fold(text: bytes, lossy: bool = False) -> bytes:
    """The line with typographic quotes, dashes and blanks made plain, in composed form."""
    if text.isascii():
        return text
    decoded = unicodedata.normalize("NFC", decode(text, lossy)).translate(_FOLDS)
    return decoded.encode("utf-8", "surrogatepass")


def squeeze(text: bytes) -> bytes:
    """The line without any white space."""
    return b"".join(text.split())


def key_for(level: Level, lossy: bool = False) -> Callable[[bytes], bytes]:
    """The function that maps a line to what has to be equal at this level."""
    if level is Level.EXACT:
        return bytes
    if level is Level.TRAILING:
        return bytes.rstrip
    if level is Level.UNICODE:
        return lambda text: fold(text, lossy).rstrip()
    if level is Level.INDENT:
        return lambda text: fold(text, lossy).strip()
    return lambda text: squeeze(fold(text, lossy))


def is_utf8(text: bytes) -> bool:
    """Whether the bytes are valid UTF-8."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


class Source:
    """The lines of one file.

    `texts` are without line end but with a carriage return where there is one; `ends` are the
    bytes that end each line (empty for a last line without newline). A byte order mark is kept
    apart in `bom` when `keep_bom` is false.
    """

    def __init__(self, data: bytes, *, keep_bom: bool = False, lossy: bool = False) -> None:
        self.bom = b""
        if data.startswith(BOM) and not keep_bom:
            self.bom, data = BOM, data[len(BOM) :]
        self.data = data
        self.lossy = lossy
        self.texts = data.split(b"\n")
        self.ends = [b"\n"] * len(self.texts)
        if b"\r" in data:
            self.ends = [b"\r\n" if text.endswith(b"\r") else b"\n" for text in self.texts]
        if self.texts[-1] == b"":
            self.texts.pop()
            self.ends.pop()
        else:
            self.ends[-1] = b""
        self._keys: dict[Level, list[bytes]] = {}
        self._where: dict[Level, dict[bytes, list[int]]] = {}
        self._scans = 0

    @classmethod
    def from_keys(cls, keys: list[bytes]) -> Source:
        """A source whose lines are these keys, for searching among a part of a file's lines."""
        made = cls(b"")
        made.texts, made.ends = keys, [b"\n"] * len(keys)
        made._scans = SCANS
        return made

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def has_final_newline(self) -> bool:
        """Whether the last line ends with a newline (true for an empty file)."""
        return not self.ends or self.ends[-1] != b""

    @cached_property
    def is_utf8(self) -> bool:
        """Whether the whole file is valid UTF-8."""
        return is_utf8(self.data)

    @cached_property
    def common_end(self) -> bytes:
        """The line end that most lines have."""
        crlf = self.ends.count(b"\r\n")
        return b"\r\n" if crlf * 2 > len([end for end in self.ends if end]) else b"\n"

    def keys(self, level: Level) -> list[bytes]:
        """The keys of all lines at a level."""
        if level is Level.EXACT:
            return self.texts
        if level not in self._keys:
            key = key_for(level, self.lossy)
            self._keys[level] = [key(text) for text in self.texts]
        return self._keys[level]

    def where(self, level: Level) -> dict[bytes, list[int]]:
        """Line indices by key at a level."""
        if level not in self._where:
            found: dict[bytes, list[int]] = {}
            for at, key in enumerate(self.keys(level)):
                found.setdefault(key, []).append(at)
            self._where[level] = found
        return self._where[level]

    def find(self, pattern: list[bytes], level: Level) -> list[int]:
        """Every index at which the keys stand one after the other."""
        if not pattern:
            return []
        if level is Level.EXACT and self._scans < SCANS:
            self._scans += 1
            return self._scan(pattern)
        where, keys = self.where(level), self.keys(level)
        rarest = min(range(len(pattern)), key=lambda at: len(where.get(pattern[at], ())))
        starts = (at - rarest for at in where.get(pattern[rarest], ()))
        size = len(pattern)
        return [start for start in starts if start >= 0 and keys[start : start + size] == pattern]

    def _scan(self, pattern: list[bytes]) -> list[int]:
        """The same by searching the bytes: an index costs more than the first few searches."""
        hay = b"\n" + self.data + (b"" if self.has_final_newline else b"\n")
        needle = b"\n" + b"\n".join(pattern) + b"\n"
        found: list[int] = []
        at, counted, line = hay.find(needle), 0, 0
        while at >= 0:
            line += hay.count(b"\n", counted, at)
            counted = at
            found.append(line)
            at = hay.find(needle, at + 1)
        return found

    @cached_property
    def unit(self) -> bytes:
        """The step by which the file indents: a tab, or the usual number of spaces."""
        tabs = sum(text.startswith(b"\t") for text in self.texts)
        spaces = [len(text) - len(text.lstrip(b" ")) for text in self.texts if text.strip()]
        steps: dict[int, int] = {}
        for before, after in pairwise(spaces):
            if after > before:
                steps[after - before] = steps.get(after - before, 0) + 1
        if tabs > sum(size > 1 for size in spaces):
            return b"\t"
        return b" " * max(steps, key=lambda size: (steps[size], size)) if steps else b""
