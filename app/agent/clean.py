"""Text of strangers on its way into a prompt: visible, bounded, and marked as data."""

import hashlib
import re
import unicodedata

_KEPT = frozenset("\n\t\f")
_INVISIBLE = frozenset({"Cf", "Cc", "Co", "Cs", "Cn"})
_SELECTORS = re.compile("[\u115f\u1160\u3164\uffa0\ufe00-\ufe0f\U000e0000-\U000e0fff]")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)


def visible(text: str) -> str:
    """Without what a reader of the page cannot see: control, format, tag, filler characters."""
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    shown = "".join(
        sign for sign in plain if sign in _KEPT or unicodedata.category(sign) not in _INVISIBLE
    )
    return _SELECTORS.sub("", shown)


def prose(text: str, most: int) -> str:
    """Markdown as a person sees it, HTML comments gone, at most `most` characters."""
    return shortened(_COMMENT.sub("", visible(text)).strip(), most)


def shortened(text: str, most: int) -> str:
    """The beginning, with a word about what is missing."""
    if len(text) <= most:
        return text
    return f"{text[:most]}\n[{len(text) - most} more characters left out]"


def tail(text: str, most: int) -> str:
    """The end, where an error message stands."""
    if len(text) <= most:
        return text
    return f"[{len(text) - most} characters left out]\n{text[-most:]}"


def fenced(label: str, text: str) -> str:
    """`text` between marks that it cannot contain: they are made from its own digest."""
    mark = hashlib.sha256(f"{label}\0{text}".encode("utf-8", "replace")).hexdigest()[:16]
    return f"[{label} {mark}]\n{text}\n[end of {label} {mark}]"
