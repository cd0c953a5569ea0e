"""Text that strangers and models wrote, as harmless HTML."""

from functools import cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

CHARS = 20_000
TAGS = frozenset({"a", "blockquote", "br", "code", "del", "em", "hr", "p", "pre", "s", "strong"})
BLOCKS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "li", "ol", "ul"})
TABLES = frozenset({"table", "tbody", "td", "th", "thead", "tr"})
SCHEMES = frozenset({"http", "https", "mailto"})


@cache
def _markdown() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])


def _harmless(html: str) -> Markup:
    """No script, no style, no picture that would tell somebody who reads this page."""
    kept = nh3.clean(
        html, tags=set(TAGS | BLOCKS | TABLES), attributes={"a": {"href"}}, url_schemes=set(SCHEMES)
    )
    return Markup(kept)  # noqa: S704 - nh3 has just cleaned it


def prose(text: str) -> Markup:
    """Markdown with paragraphs; very long text is cut."""
    return _harmless(_markdown().render(text[:CHARS]))


def phrase(text: str) -> Markup:
    """Markdown within one line: no paragraphs, no lists."""
    return _harmless(_markdown().renderInline(text[:CHARS]))
