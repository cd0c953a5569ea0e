"""Markdown in which nobody else's words can act: no image, mention, link, reference or HTML."""

import html
import re
import unicodedata
from collections.abc import Iterable, Sequence

GAP = "&#8203;"  # a zero-width space as an entity: GitHub's filters no longer see one word
LONGEST = 60_000  # GitHub refuses a body above 65,536 characters
ELLIPSIS = "…"

_LOGIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,38}(\[bot\])?")
_WORDS_THAT_ACT = (
    (re.compile(r"@(?=[\w\[-])"), f"@{GAP}"),
    (re.compile(r"(?<!&)#(?=\d)"), f"#{GAP}"),
    (re.compile(r"(?i)\b(GH)-(?=\d)"), rf"\1-{GAP}"),
    (re.compile(r"://"), f":{GAP}//"),
    (re.compile(r"(?i)\b(www)\."), rf"\1{GAP}."),
    (re.compile(r"(?i)\b(mailto|xmpp):"), rf"\1{GAP}:"),
    (re.compile(r":(?=[\w+-]+:)"), f":{GAP}"),
)


def visible(text: str, keep: str = "") -> str:
    """`text` without control, bidirectional, zero-width and private characters but `keep`."""
    return "".join(c for c in text if c in keep or unicodedata.category(c)[0] != "C")


def one_line(text: str, limit: int = 0) -> str:
    """`text` on one line, visible characters only, cut to `limit` characters if one is given."""
    line = visible(" ".join(visible(text, keep="\n\r\t\v\f").split()))
    if limit and len(line) > limit:
        return line[: limit - 1].rstrip() + ELLIPSIS
    return line


def prose(text: str, limit: int = 600) -> str:
    """One line of words that others wrote, as Markdown that shows them and does nothing.

    What stands between two backticks becomes a code span, which can do nothing either.
    """
    parts = re.split(r"(?<!`)`([^`]+)`(?!`)", one_line(text, limit))
    spans = [code(part) if number % 2 else _inert(part) for number, part in enumerate(parts)]
    return re.sub(r"^([#+=-]|\d+(?=[.)]))", lambda start: _shielded(start[0]), "".join(spans))


def _inert(words: str) -> str:
    words = re.sub(r"([\\`*\[\]!~])", r"\\\1", _entities(words))
    words = re.sub(r"(?<![^\W_])_|_(?![^\W_])", r"\\_", words)
    for acts, harmless in _WORDS_THAT_ACT:
        words = acts.sub(harmless, words)
    return words


def _entities(line: str) -> str:
    named = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return named.replace("|", "&#124;").replace("$", "&#36;")


def _shielded(start: str) -> str:
    return f"{GAP}{start}" if start[0].isdigit() else f"\\{start}"


def plain(text: str, limit: int) -> str:
    """Words of others for a title or a commit message, where no Markdown escapes exist."""
    line = re.sub(r"[@#](?=[\w\[-])", "", one_line(text))
    line = re.sub(r"(?i)\bGH-(?=\d)", "GH ", line)
    return one_line(re.sub(r"\w+://\S*", "(link)", line), limit)


def mention(login: str) -> str:
    """`@login` for an account that GitHub named; anything else is shown as code."""
    return f"@{login}" if _LOGIN.fullmatch(login) else code(login)


def code(text: str, limit: int = 160) -> str:
    """A code span that holds `text` whatever backticks are in it."""
    line = one_line(text, limit)
    if not line:
        return "(empty)"
    ticks = "`" * (_longest_run(line) + 1)
    pad = " " if "`" in line else ""
    return f"{ticks}{pad}{line}{pad}{ticks}"


def fence(text: str, language: str = "") -> str:
    """A code block that `text` cannot close."""
    body = visible(text.replace("\r\n", "\n"), keep="\n\t").strip("\n")
    ticks = "`" * max(3, _longest_run(body) + 1)
    return f"{ticks}{language}\n{body}\n{ticks}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


def tail(text: str, lines: int = 40, characters: int = 4_000) -> str:
    """The end of an output: at most so many lines and characters, with a mark where it was cut."""
    kept = "\n".join(text.rstrip().splitlines()[-lines:])
    if len(kept) > characters:
        kept = kept[-characters:]
    return kept if kept == text.rstrip() else f"{ELLIPSIS}\n{kept}"


def head(text: str, lines: int = 120, characters: int = 8_000) -> str:
    """The beginning of a text, likewise."""
    kept = "\n".join(text.rstrip().splitlines()[:lines])[:characters]
    return kept if kept == text.rstrip() else f"{kept}\n{ELLIPSIS}"


def fold(summary: str, body: str) -> str:
    """A folded part; `summary` is shown as it is, never as Markdown or HTML."""
    title = html.escape(one_line(summary), quote=False)
    return f"<details><summary>{title}</summary>\n\n{body}\n\n</details>"


def table(head_row: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; cells are Markdown already, a bar in them is escaped here."""
    lines = [_row(head_row), "|" + " --- |" * len(head_row), *(_row(row) for row in rows)]
    return "\n".join(lines)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(" ".join(cell.replace("|", r"\|").split()) for cell in cells) + " |"


def listed(items: Sequence[str], limit: int = 5) -> str:
    """The first `limit` items as code, then how many more there are."""
    shown = ", ".join(code(item) for item in items[:limit])
    more = len(items) - limit
    return f"{shown} and {more} more" if more > 0 else shown


def joined(parts: Iterable[str]) -> str:
    """Paragraphs, empty ones left out, within what GitHub takes."""
    body = ""
    for part in filter(None, parts):
        if len(body) + len(part) > LONGEST:
            return f"{body}\n\nThe rest was too long for one comment."
        body = f"{body}\n\n{part}" if body else part
    return body
