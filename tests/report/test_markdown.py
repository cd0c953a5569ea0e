"""Words of others in our Markdown: shown as they are, and unable to do anything."""

import html
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.report.markdown import (
    LONGEST,
    code,
    fence,
    fold,
    head,
    joined,
    listed,
    mention,
    plain,
    prose,
    table,
    tail,
)

HOSTILE = [
    "![x](https://evil.example/p.png)",
    '<img src="https://evil.example/p.png" onerror="x()">',
    "<!-- patchwright:issue:1 -->",
    "@octocat and @org/team, please look",
    "fixes #12, closes GH-7, resolves octo/cat#9",
    "see https://github.com/o/r/issues/1 and www.evil.example",
    "[click](javascript:alert(1)) **bold** _em_ ~~gone~~ `code`",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "# heading\n\n- list\n\n> quote\n\n```\nfence",
    "</details></summary><script>x</script>",
    "a\u202eb\u200bc\x1b[31md\x00",
    "\\![x](y) \\<b\\> \\@octocat \\`",
    "$\\frac{1}{2}$ and &lt;img&gt; &commat;octocat &#64;octocat",
    ":tada: :::note:::",
    "1. one\n2) two\n+ plus\n- minus\n= equals",
    "mailto:a@b.example xmpp:a@b",
]
# What GitHub's filters look for in the text of a page, outside code.
ACTS = re.compile(r"@\w|@\[|#\d|\bGH-\d|://|\bwww\.|mailto:\w|:\w+:", re.IGNORECASE)
TAGS = re.compile(r"<(?!/?(?:p|code)>)[^>]*>")

words = st.text() | st.sampled_from(HOSTILE) | st.lists(st.sampled_from(HOSTILE)).map(" ".join)


def rendered(markdown: str) -> str:
    page: str = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown)
    return page


def outside_code(page: str) -> str:
    return html.unescape(re.sub(r"<code>.*?</code>", "", page, flags=re.DOTALL))


@given(words)
@example("@@a #1#2 GH-GH-1 ::a::b:: www.www. http://http://")
def test_prose_makes_no_element_and_nothing_that_acts(text: str) -> None:
    page = rendered(f"before {prose(text)} after") + rendered(prose(text))
    assert not TAGS.search(page), page
    assert not ACTS.search(outside_code(page)), page


def test_prose_shows_code_as_code() -> None:
    page = rendered(prose("Set `PATCHWRIGHT_X` to *one* of `a|b` or ``c``."))
    assert "<code>PATCHWRIGHT_X</code> to *one* of <code>a|b</code> or ``c``." in page


@pytest.mark.parametrize("text", HOSTILE)
def test_control_the_same_words_unescaped_do_act(text: str) -> None:
    """Guards the test above: each of these is caught when nothing is escaped, or was harmless."""
    page = rendered(text)
    invisible = any(ord(char) < 32 or char in "\u202e\u200b" for char in text)
    acts = bool(TAGS.search(page)) or bool(ACTS.search(html.unescape(page)))
    assert acts or invisible or "$" in text


@pytest.mark.parametrize(
    "text", ["total() is 3, not 4", "a < b && c > d", "snake_case and *stars*", "100% [sic]! ~ok~"]
)
def test_prose_reads_as_it_was_written(text: str) -> None:
    page = html.unescape(re.sub(r"</?p>", "", rendered(prose(text)))).strip()
    assert page.replace("\u200b", "") == text


def test_prose_is_cut_with_a_mark() -> None:
    assert prose("a" * 700, 10) == "a" * 9 + "…"


@given(words)
def test_code_holds_everything_in_one_span(text: str) -> None:
    page = rendered(f"x {code(text)} y")
    assert "<img" not in page
    assert page.count("<code>") <= 1
    assert not ACTS.search(outside_code(page))


@given(words)
def test_nothing_leaves_a_fence(text: str) -> None:
    page = rendered(fence(text, "diff") + "\n\nafter")
    assert page.startswith('<pre><code class="language-diff">')
    assert page.endswith("</code></pre>\n<p>after</p>\n")


@given(st.lists(words, max_size=8))
def test_a_table_keeps_its_columns(texts: list[str]) -> None:
    page = rendered(table(["stage", ""], [[prose(text), code(text)] for text in texts]))
    assert page.count("<tr>") == len(texts) + 1
    assert page.count("<td>") == 2 * len(texts)


def test_a_summary_is_no_markup() -> None:
    folded = fold("</summary><img src=x>", "inside")
    assert "<img" not in folded
    assert folded.count("</summary>") == 1


@given(words, st.integers(min_value=1, max_value=80))
def test_plain_words_mention_and_close_nothing(text: str, limit: int) -> None:
    line = plain(text, limit)
    assert len(line) <= limit
    assert "\n" not in line
    assert not re.search(r"@[\w\[]|#\d|\bGH-\d|://", line)


def test_plain_keeps_what_is_harmless() -> None:
    assert plain("total() is off by one (see #12) @ada", 80) == (
        "total() is off by one (see 12) ada"
    )


@pytest.mark.parametrize("login", ["ada", "a-b-1", "ada_corp", "patchwright[bot]"])
def test_a_login_is_mentioned(login: str) -> None:
    assert mention(login) == f"@{login}"


@pytest.mark.parametrize("login", ["ada/team", "ada @bob", "", "a" * 50, "-a", "a[bot]x"])
def test_what_is_no_login_is_not_mentioned(login: str) -> None:
    assert not mention(login).startswith("@")


def test_lists_say_how_many_more() -> None:
    assert listed(["a", "b", "c"], 2) == "`a`, `b` and 1 more"
    assert listed(["a"], 2) == "`a`"


def test_ends_and_beginnings_are_bounded_and_say_so() -> None:
    long = "\n".join(f"line {n}" for n in range(500))
    assert tail(long, lines=2) == "…\nline 498\nline 499"
    assert head(long, lines=2) == "line 0\nline 1\n…"
    assert len(tail("x" * 9_000)) <= 4_002
    assert tail("short") == "short"


@given(st.lists(st.text(max_size=50) | st.just("x" * 40_000), max_size=6))
def test_a_comment_never_outgrows_what_github_takes(parts: list[str]) -> None:
    assert len(joined(parts)) < 65_536


def test_a_comment_that_is_too_long_says_so() -> None:
    assert joined(["a", "b" * LONGEST]).endswith("too long for one comment.")
