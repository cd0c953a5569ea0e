"""Refuses added markup entities that may or may not have been meant literally."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sandbox.patch.intake import has_entities
from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.paths import show
from sandbox.patch.resolve import Target
from sandbox.patch.tree import Tree

_RAW = re.compile(rb"[<>]|&(?!(?:lt|gt|amp|quot|apos|#\w+);)")
_MARKUP = (
    b".html .htm .xhtml .xml .svg .md .markdown .rst .vue .jsx .tsx .svelte .erb .jinja .j2 .php "
    b".po .xsl .txt .ejs .hbs .astro"
).split()


def doubt_about_entities(targets: list[Target], tree: Tree) -> None:
    """Raises RefusalError `ambiguous` when added entities have two readings.

    They are taken literally if the answer has plain markup characters elsewhere (then it was not
    escaped as a whole), if the file has entities itself, or if it is a markup file.
    """
    if any(_RAW.search(line[1:]) for target in targets for line in _lines(target)):
        return
    for target in targets:
        added = [line for line in _lines(target) if line[:1] == b"+" and has_entities(line)]
        if not added or target.path.lower().endswith(tuple(_MARKUP)):
            continue
        if target.old is not None and has_entities(tree.read(target.old)):
            continue
        raise RefusalError(
            RefusalReason.AMBIGUOUS,
            f"A new line holds an HTML entity, `{show(added[0][1:].strip())}`, and it cannot be "
            "told whether it is meant. Send the diff as plain text, not escaped.",
            show(target.path),
        )


def _lines(target: Target) -> Iterator[bytes]:
    for hunk in target.section.hunks:
        yield from hunk.body
