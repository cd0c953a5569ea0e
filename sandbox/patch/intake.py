"""Makes one text of an answer: byte order mark, line ends and JSON wrapping taken off."""

from __future__ import annotations

import json
import re

from sandbox.patch.model import RefusalError, RefusalReason

MAX_BYTES = 32 * 1024 * 1024
BOM = b"\xef\xbb\xbf"

_STRUCTURAL_CR = re.compile(
    rb"^[ \t>]*(?:diff --git |--- |\+\+\+ |@@|\*\*\* |<{5,9} |={5,9}$|>{5,9} |index ).*\r$", re.M
)
_REAL_MARK = re.compile(
    rb"^[ \t>+]*(?:diff --git |--- \S|\+\+\+ \S|@@|\*\*\* (?:Begin|Update|Add)|<{5,9} )", re.M
)
_REAL_BODY = re.compile(rb"^[ \t>]*(?:@@|\+\+\+ \S|\*\*\* (?:Update|Add)|={7}|[-+] )", re.M)
_ESCAPED_MARK = re.compile(rb"\\n(?:@@|\+\+\+ |--- |\*\*\* |=======)")
_ESCAPE = re.compile(rb"\\(?:u([0-9a-fA-F]{4})|(.))", re.S)
_SIMPLE = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b'"': b'"', b"\\": b"\\", b"/": b"/", b"'": b"'"}
_ENTITY = re.compile(rb"&(?:lt|gt|amp|quot|apos|#39|#x27|#34|#x22);")
_ENTITIES = {
    b"&lt;": b"<",
    b"&gt;": b">",
    b"&amp;": b"&",
    b"&quot;": b'"',
    b"&#34;": b'"',
    b"&#x22;": b'"',
    b"&apos;": b"'",
    b"&#39;": b"'",
    b"&#x27;": b"'",
}


def read_answer(answer: bytes | str) -> bytes:
    """The answer as bytes with LF line ends between its structural lines.

    Raises RefusalError: `no_diff` for an empty answer, `unsupported` above 32 MiB, `truncated`
    for a JSON string that never ends.
    """
    text = answer.encode("utf-8", "surrogateescape") if isinstance(answer, str) else answer
    if len(text) > MAX_BYTES:
        raise RefusalError(RefusalReason.UNSUPPORTED, "The answer is larger than 32 MiB.")
    text = text.removeprefix(BOM)
    if not text.strip():
        raise RefusalError(RefusalReason.NO_DIFF, "The answer is empty. Send a unified diff.")
    text = _plain_line_ends(_unwrap(_plain_line_ends(text)))
    return text.removeprefix(BOM)


def unescape_entities(text: bytes) -> bytes:
    """The text with the five HTML entities of markup characters read once."""
    return _ENTITY.sub(lambda found: _ENTITIES[found.group(0)], text)


def has_entities(text: bytes) -> bool:
    """Whether the text holds one of the five HTML entities of markup characters."""
    return bool(_ENTITY.search(text))


def _plain_line_ends(text: bytes) -> bytes:
    # Only a diff that was converted as a whole has CR on its structural lines; a diff *of* a
    # CRLF file has it on body lines alone, and there it is content.
    if _STRUCTURAL_CR.search(text):
        return re.sub(rb"\r+\n", b"\n", text).rstrip(b"\r")
    if b"\n" not in text and text.count(b"\r") > 1:
        return text.replace(b"\r", b"\n")
    return text


def _unwrap(text: bytes) -> bytes:
    stripped = text.strip()
    plain = _REAL_BODY.search(text) and stripped.count(b"\n") > 2
    if plain or not _ESCAPED_MARK.search(text):
        return text
    start = min((at for at in (stripped.find(b"{"), stripped.find(b'"')) if at >= 0), default=-1)
    for candidate in (stripped, stripped[start : stripped.rfind(b"}") + 1] if start >= 0 else b""):
        found = _from_json(candidate)
        if found is not None:
            return found
    if stripped[:1] in (b"{", b'"', b"[") and stripped[-1:] not in (b"}", b'"', b"]", b"`"):
        raise RefusalError(
            RefusalReason.TRUNCATED,
            "The answer is a JSON string that never ends. Send the whole diff, as plain text.",
        )
    return _unescape(stripped)


def _from_json(text: bytes) -> bytes | None:
    try:
        value = json.loads(text.decode("utf-8"), strict=False)
    except (ValueError, RecursionError):
        return None
    marked = [found for found in _strings(value) if _REAL_MARK.search(found)]
    return b"\n".join(marked) if marked else None


def _strings(value: object) -> list[bytes]:
    if isinstance(value, str):
        return [value.encode("utf-8", "surrogatepass")]
    if isinstance(value, list):
        return [text for item in value for text in _strings(item)]
    if isinstance(value, dict):
        return [text for item in value.values() for text in _strings(item)]
    return []


def _unescape(text: bytes) -> bytes:
    def replace(found: re.Match[bytes]) -> bytes:
        if found.group(1):
            return chr(int(found.group(1), 16)).encode("utf-8", "surrogatepass")
        return _SIMPLE.get(found.group(2), found.group(0))

    return _ESCAPE.sub(replace, text)
