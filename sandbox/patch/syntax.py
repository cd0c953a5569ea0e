"""The marks that diffs and their relatives are made of, as regular expressions over bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass

GIT_HEADER = re.compile(rb"^diff --git (.+)$")
COMBINED = re.compile(rb"^(?:diff --(?:cc|combined) |@@@+ )")
OLD_NAME = re.compile(rb"^--- +(\S.*)$")
NEW_NAME = re.compile(rb"^\+\+\+ +(\S.*)$")
HUNK = re.compile(rb"^(?:@@(?!@)(?=\s|$|-\s*\d|\.\.\.)|@ -\s*\d)")
BINARY = re.compile(rb"^(?:Binary files .* differ|GIT binary patch)\s*$")
SUBMODULE = re.compile(rb"^[-+]Subproject commit [0-9a-f]{7,}")
SVN_INDEX = re.compile(rb"^Index: (\S.*)$")
EXTENDED = re.compile(
    rb"^(old mode|new mode|new file mode|deleted file mode|rename from|rename to|copy from|copy to"
    rb"|similarity index|dissimilarity index|index)\s+(.*?)\s*$"
)
MAIL_SIGNATURE = re.compile(rb"^--\s*$")
VERSION = re.compile(rb"^\d+\.\d+[\w.() -]*$")
ENVELOPE = re.compile(rb"^\*\*\* (?:Begin Patch|(?:Update|Add|Delete) File: )")
SEARCH_OPEN = re.compile(rb"^(?:<{3,9}|-{5,9}) ?(?:SEARCH|ORIGINAL|OLD)\b.*$")
SEARCH_DIVIDER = re.compile(rb"^={5,9}\s*$")
SEARCH_CLOSE = re.compile(rb"^(?:>{3,9}|\+{5,9}) ?(?:REPLACE|UPDATED|NEW)\b.*$")
NO_EOL = re.compile(rb"^\\ ?(?:No newline|.*(?:newline|end of file)|$)", re.IGNORECASE)

_MINUS = (b"\xe2\x88\x92", b"\xe2\x80\x93", b"\xe2\x80\x90", b"\xe2\x80\x91")
_RANGE = re.compile(
    rb"^@@?\s*-\s*(\d+)(?:\s*,\s*(\d+))?\s*,?\s+[-+]?\s*(\d+)(?:\s*,\s*(\d+))?\s*,?\s*(?:@@?(.*))?$"
)
_NOTICE = re.compile(
    rb"^[\s.\[(<{*/#-]*(?:the |this )?(?:output|response|diff|patch|content|text|message|file|"
    rb"answer|\d+ (?:more )?(?:lines?|characters|tokens))?\s*(?:was|is|has been|have been)?\s*"
    rb"(?:truncated|cut off|clipped)\b[^A-Za-z]{0,3}[\w ,:]*[\s.\])>}*/-]*$",
    re.IGNORECASE,
)
_GLUED_NOTICE = re.compile(
    rb"(?:\.\.\.|\xe2\x80\xa6)\s*[\[(<](?:\w+ )*truncated(?: \w+)*[\])>]\s*$", re.IGNORECASE
)


@dataclass(frozen=True)
class Numbers:
    """The fields of a hunk header, each a hint: None where it was not written."""

    old_start: int | None = None
    old_count: int | None = None
    new_start: int | None = None
    new_count: int | None = None


def read_hunk_header(line: bytes) -> tuple[Numbers, bytes]:
    """The numbers and the heading of a hunk header, however garbled."""
    for minus in _MINUS:
        line = line.replace(minus, b"-", 1)
    found = _RANGE.match(line)
    if found:
        fields = [None if text is None else int(text[:12]) for text in found.groups()[:4]]
        return Numbers(*fields), _heading(found.group(5) or b"")
    return Numbers(), _heading(line.lstrip(b"@"))


def _heading(text: bytes) -> bytes:
    text = text.strip()
    if text.endswith(b"@@"):
        text = text[:-2].strip()
    return b"" if text.strip(b".") == b"" or text == b"\xe2\x80\xa6" else text


def is_truncation_notice(line: bytes) -> bool:
    """Whether the line says that the text was cut, as tools and interfaces write it."""
    text = line.strip()[-300:]
    if _GLUED_NOTICE.search(text):
        return True
    dressed = text[:1] in b"[(<{" or b"..." in text or b"\xe2\x80\xa6" in text
    return bool(text) and dressed and bool(_NOTICE.match(text))


def minus_sign(line: bytes) -> bytes:
    """The line with a typographic minus in the operator column made a plain one."""
    if line.startswith(_MINUS[0]):
        return b"-" + line[len(_MINUS[0]) :]
    return line


def starts_patch(lines: list[bytes], at: int) -> bool:
    """Whether a diff, an envelope or a search block starts at this line."""
    line = lines[at]
    following = lines[at + 1] if at + 1 < len(lines) else b""
    if GIT_HEADER.match(line) or COMBINED.match(line) or ENVELOPE.match(line):
        return True
    if OLD_NAME.match(line) and NEW_NAME.match(following):
        return True
    if NEW_NAME.match(line) and (HUNK.match(following) or line[4:].lstrip()[:2] == b"b/"):
        return True
    return bool(HUNK.match(line) or SEARCH_OPEN.match(line))
