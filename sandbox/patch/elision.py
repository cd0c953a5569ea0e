"""Recognises lines that stand for others: dots, "rest unchanged", conflict markers."""

from __future__ import annotations

import re

MAX_LENGTH = 300

_DOTS = rb"(?:\.{3,}|\xe2\x80\xa6)"
_OPEN = rb"(?://+|#+|/\*+|--|;+|<!--|%|\{/\*|\"\"\"|'''|\*)"
_CLOSE = rb"(?:\*/\}?|-->|\"\"\"|''')?"
_ANY = re.compile(rb"^\s*" + _OPEN + rb"?\s*(.*?)\s*" + _CLOSE + rb"\s*$", re.S)
_BARE = re.compile(rb"^" + _DOTS + rb"$")
_DOTTED = re.compile(rb"^[\[(<{]?\s*" + _DOTS + rb"\s*\S.*|^\S.*" + _DOTS + rb"\s*[\])>}]?$", re.S)
_REST = re.compile(
    rb"\b(?:rest|remain(?:s|ing|der)?|existing|unchanged|omitted|previous|other|same|snip(?:ped)?|"
    rb"more|skip(?:ped)?|elided|code|implementation|lines?|methods?|functions?|content|body|as "
    rb"before|above|below|etc)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    rb"^\(?(?:"
    rb"(?:keep |leave )?(?:the )?(?:rest|remainder) of (?:the |this )?(?:\w+ ){0,3}"
    rb"(?:is |are |remains? |stays? )?(?:unchanged|as before|the same|as is|here|omitted)"
    rb"|(?:existing|previous|original|unchanged|remaining|other) "
    rb"(?:code|implementation|methods?|functions?|lines|content|logic)"
    rb"(?: (?:here|unchanged|as before|omitted|remains?.*|stays?.*|continues.*|goes here))?"
    rb"|(?:no changes?|unchanged|omitted for brevity|code omitted|same as (?:before|above))"
    rb"|(?:your|implementation|code) (?:code )?(?:goes )?here"
    rb")\)?\.?$",
    re.IGNORECASE,
)
_CONFLICT = re.compile(rb"^(?:<{7}|>{7}|\|{7})(?: |$)")
_PROSE_FILES = (b".md", b".rst", b".txt", b".adoc", b".markdown", b".tex")
_PYTHON_FILES = (b".py", b".pyi", b".pyx", b".md", b".rst", b".txt")


def is_elision(text: bytes) -> bool:
    """Whether a context or removed line stands for lines that were left out."""
    if len(text) > MAX_LENGTH:
        return False
    found = _ANY.match(text)
    inner = found.group(1) if found else b""
    if not inner:
        return False
    if _BARE.match(inner) or _SENTENCE.match(inner):
        return True
    return bool(_DOTTED.match(inner)) and bool(_REST.search(inner)) and _is_remark(text)


def _is_remark(text: bytes) -> bool:
    """Whether the line is a comment or starts with dots, so that code is never taken for one."""
    return bool(re.match(rb"^\s*(?:" + _OPEN + rb"|[\[(<{]?\s*" + _DOTS + rb")", text))


def is_placeholder(text: bytes, before: bytes, path: bytes) -> bool:
    """Whether an added line is a placeholder for code that was not written.

    A lone `...` is a statement in Python: there it counts only where no block is opened by the
    line before it.
    """
    lowered = path.lower()
    if lowered.endswith(_PROSE_FILES) or not is_elision(text):
        return False
    if text.strip() == b"...":
        opens = before.rstrip()[-1:] in (b":", b",", b"(", b"[", b'"', b"'")
        return not (lowered.endswith(_PYTHON_FILES) and (opens or not before.strip()))
    return True


def is_conflict_marker(text: bytes) -> bool:
    """Whether a line is the mark of an unresolved merge."""
    return bool(_CONFLICT.match(text))
