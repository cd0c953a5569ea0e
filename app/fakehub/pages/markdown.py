"""Turn Markdown written by anybody into HTML that can do no harm."""

import re
from functools import lru_cache

import nh3
from markdown_it import MarkdownIt
from markupsafe import Markup

_TAGS = {
    "a", "b", "blockquote", "br", "code", "del", "details", "div", "em", "h1", "h2", "h3", "h4",
    "h5", "h6", "hr", "i", "img", "kbd", "li", "ol", "p", "pre", "s", "span", "strong", "sub",
    "summary", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {
    "a": {"href", "title"},
    "img": {"src", "alt", "title"},
    "code": {"class"},
    "details": {"open"},
    "ol": {"start"},
    "td": {"align"},
    "th": {"align"},
}
_REFERENCE = re.compile(r"(?<![\w/&#;])#(\d+)\b")
_MENTION = re.compile(r"(?<![\w/@.])@([A-Za-z0-9][A-Za-z0-9-]*)")
_SKIPPED = re.compile(r"(<(?:code|pre|a)\b.*?</(?:code|pre|a)>|<[^>]*>)", re.DOTALL)


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return MarkdownIt("gfm-like", {"html": True, "linkify": False}).disable("linkify")


def render_markdown(text: str | None, repository_url: str) -> Markup:
    """Safe HTML of a body; `#12` becomes a link below `repository_url`, `@name` is set bold."""
    raw = _parser().render(text or "")
    clean = nh3.clean(raw, tags=_TAGS, attributes=_ATTRIBUTES, url_schemes={"http", "https"})
    parts = _SKIPPED.split(clean)
    parts[::2] = [_with_links(part, repository_url) for part in parts[::2]]
    return Markup("".join(parts))  # noqa: S704 - cleaned just above


def _with_links(text: str, repository_url: str) -> str:
    linked = _REFERENCE.sub(rf'<a href="{repository_url}/issues/\1">#\1</a>', text)
    return _MENTION.sub(r"<strong>@\1</strong>", linked)
