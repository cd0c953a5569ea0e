"""The ways in which models spoil a diff, and how several are put into one draft."""

from __future__ import annotations

import html as markup
import json as notation
import random

from tests.bench import _defects_body as body
from tests.bench import _defects_head as head
from tests.bench._defect_kind import Kind, each, lines
from tests.bench._drafts import Draft

# --- around the diff


def _prose_between(text: str, draft: Draft, chance: random.Random) -> str:
    rows = text.split("\n")
    heads = [at for at, row in enumerate(rows) if row.startswith("@@")][1:]
    for at in reversed(heads):
        rows[at:at] = ["", "Next, the other place that needs the change:", ""]
    return "\n".join(rows)


def _html(text: str, draft: Draft, chance: random.Random) -> str:
    return markup.escape(text, quote=chance.random() < 0.5)


def _json(text: str, draft: Draft, chance: random.Random) -> str:
    return notation.dumps({"patch": text})


def _json_bare(text: str, draft: Draft, chance: random.Random) -> str:
    return notation.dumps(text)[1:-1] + "\n"


KINDS: tuple[Kind, ...] = (
    Kind("counts_wrong", "counts", each(head.wrong_counts)),
    Kind("counts_swapped", "counts", each(head.swapped)),
    Kind("lines_off", "lines", each(head.off)),
    Kind("lines_beyond", "lines", each(head.beyond)),
    Kind("header_bare", "header", head.header("@@")),
    Kind("header_bare_pair", "header", head.header("@@ @@")),
    Kind("header_dots", "header", head.header("@@ ... @@")),
    Kind("header_one_at", "header", head.header("@@ -{old},{a} +{new},{b}")),
    Kind("header_comma", "header", head.header("@@ -{old}, {a} +{new}, {b} @@")),
    Kind("header_unicode_minus", "header", head.header("@@ −{old},{a} +{new},{b} @@")),
    Kind("counts_missing", "header", head.header("@@ -{old} +{new} @@")),
    Kind("heading_only", "header", head.heading_only),
    Kind("header_missing", "header", head.no_header),
    Kind("no_git_line", "names", head.no_git_line),
    Kind("no_ab", "names", head.named("--- {path}", "+++ {path}")),
    Kind("mixed_ab", "names", head.named("--- a/{path}", "+++ {path}")),
    Kind("plus_line_only", "names", head.named("", "+++ b/{path}")),
    Kind("suffix", "names", head.named("--- a/{path} (original)", "+++ b/{path} (modified)")),
    Kind(
        "stamps",
        "names",
        head.named("--- a/{path}\t2026-01-02 03:04:05", "+++ b/{path}\t2026-01-02"),
    ),
    Kind("backslash", "names", head.named("--- a\\{back}", "+++ b\\{back}")),
    Kind("backticks", "names", head.named("--- `{path}`", "+++ `{path}`")),
    Kind("quoted", "names", head.named('--- "a/{path}"', '+++ "b/{path}"')),
    Kind("double_ab", "names", head.named("--- a/a/{path}", "+++ b/b/{path}")),
    Kind("extra_dir", "names", head.named("--- a/src/{path}", "+++ b/src/{path}")),
    Kind("absolute", "names", head.named("--- /home/me/repo/{path}", "+++ /home/me/repo/{path}")),
    Kind("base_only", "names", head.named("--- a/{base}", "+++ b/{base}")),
    Kind("old_side_wrong", "names", head.named("--- a/other/old/{base}", "+++ b/{path}")),
    Kind("git_line_only", "names", head.git_only),
    Kind("index_zero", "index", head.index("index 0000000..1234567")),
    Kind("index_words", "index", head.index("index <hash>..<hash> 100644")),
    Kind("index_new", "index", head.index("new file mode 100644", "index 0000000..1234567")),
    Kind("blank_bare", "blank", lines(body.bare_blank)),
    Kind("dedent", "indent", body.dedent),
    Kind("indent", "indent", body.indent),
    Kind("halved", "indent", body.halved),
    Kind("tabbed", "indent", body.tabbed),
    Kind("nbsp", "indent", body.shift(body.nbsp)),
    Kind("padded", "trail", lines(body.padded)),
    Kind("op_dropped", "operator", body.dropped_defect),
    Kind("op_doubled", "operator", lines(body.doubled)),
    Kind("op_spaced", "operator", lines(body.spaced)),
    Kind("numbered", "operator", body.numbered),
    Kind("line_skipped", "context", body.skip_line),
    Kind("blank_dropped", "context", body.drop_blank),
    Kind("stale_outer", "context", body.stale),
    Kind("one_context", "context", body.one_context),
    Kind("asymmetric", "context", body.asymmetric),
    Kind("hunk_twice", "structure", body.twice),
    Kind("reversed", "structure", body.reversed_hunks),
    Kind("plus_first", "structure", body.plus_first),
    Kind("minus_plus", "structure", body.minus_plus),
    Kind("noop_hunk", "structure", body.noop_hunk),
    Kind("prose_between", "inner", wrap=_prose_between),
    Kind("html", "escape", wrap=_html),
    Kind("json", "escape", wrap=_json),
    Kind("json_bare", "escape", wrap=_json_bare),
    Kind("fence", "outer", wrap=lambda text, *_: f"```diff\n{text}```\n"),
    Kind("fence_open", "outer", wrap=lambda text, *_: f"```diff\n{text}"),
    Kind(
        "fence_prose",
        "outer",
        wrap=lambda text, *_: (
            f"Here is the fix:\n\n- one\n- two\n\n```diff\n{text}```\n\nIt keeps the rest.\n"
        ),
    ),
    Kind("tag", "outer", wrap=lambda text, *_: f"<patch>\n{text}</patch>\n"),
    Kind("tilde", "outer", wrap=lambda text, *_: f"<answer>\n~~~diff\n{text}~~~\n</answer>\n"),
    Kind("heredoc", "outer", wrap=lambda text, *_: f"git apply <<'EOF'\n{text}EOF\n"),
    Kind(
        "indented",
        "outer",
        wrap=lambda text, *_: "".join(f"    {row}\n" for row in text.rstrip("\n").split("\n")),
    ),
    Kind("mail", "outer", wrap=lambda text, *_: f"{text}-- \n2.39.5\n\n"),
    Kind("crlf_diff", "ends", wrap=lambda text, *_: text.replace("\n", "\r\n")),
    Kind("no_newline", "ends", wrap=lambda text, *_: text.removesuffix("\n")),
)

_ORDER = ("inner", "escape", "outer", "ends")
_APART = (
    {"counts", "lines", "header"},
    {"index", "names"},
    {"outer", "escape"},
    {"indent", "operator"},
    {"outer", "ends"},
)


# Pairs of which one makes the other undecidable: an end that is not marked with counts that are
# wrong is what a cut looks like, and a spoilt context line told as removed is a hallucination.
_CONTRADICT = (
    ({"no_newline", "fence_open"}, {"counts_wrong", "counts_swapped", "asymmetric", "one_context"}),
    ({"minus_plus"}, {"stale_outer", "line_skipped", "blank_dropped", "op_doubled", "op_spaced"}),
    ({"minus_plus"}, {"op_dropped", "numbered"}),
    (
        {"asymmetric", "one_context"},
        {"counts_wrong", "counts_swapped", "header_comma", "header_one_at", "header_unicode_minus"},
    ),
    ({"numbered"}, {"stale_outer", "line_skipped"}),
    ({"noop_hunk"}, {"stale_outer", "line_skipped"}),
)


def _contradicts(kind: Kind, taken: list[Kind]) -> bool:
    groups, names = {other.group for other in taken}, {other.name for other in taken}
    if any(kind.group in apart and groups & apart for apart in _APART):
        return True
    return any(
        (kind.name in first and names & second) or (kind.name in second and names & first)
        for first, second in _CONTRADICT
    )


def spoil(draft: Draft, chance: random.Random, count: int) -> str:
    """Puts up to `count` defects that can go together into a draft; the text of the answer."""
    taken: list[Kind] = []
    for kind in chance.sample(KINDS, len(KINDS)):
        if len(taken) == count:
            break
        groups = {other.group for other in taken}
        if kind.group in groups or _contradicts(kind, taken):
            continue
        if kind.spoil is None or kind.spoil(draft, chance):
            taken.append(kind)
    text = draft.text()
    for kind in sorted(
        (kind for kind in taken if kind.wrap), key=lambda kind: _ORDER.index(kind.group)
    ):
        assert kind.wrap is not None
        text = kind.wrap(text, draft, chance)
    draft.defects = [kind.name for kind in taken]
    return text
