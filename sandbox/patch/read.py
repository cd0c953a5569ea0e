"""Reads an answer of any known form into sections."""

from __future__ import annotations

from sandbox.patch.envelope import has_envelope, parse_envelope
from sandbox.patch.extract import Block, find_blocks, says_truncated
from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.parse import parse_unified
from sandbox.patch.search_blocks import has_search_blocks, parse_search_blocks
from sandbox.patch.sections import Section


def read_sections(text: bytes) -> list[Section]:
    """All sections of an answer, in order.

    Raises RefusalError: `no_diff` when no part of it is a patch, `truncated` when it says itself
    that it was cut, and what the readers of the forms raise.
    """
    blocks = find_blocks(text)
    if not blocks:
        raise RefusalError(
            RefusalReason.NO_DIFF,
            "The answer holds no diff. Send one unified diff: `--- a/PATH`, `+++ b/PATH`, then "
            "hunks that start with `@@`.",
        )
    sections: list[Section] = []
    for block in blocks:
        if says_truncated(block.lines):
            raise RefusalError(
                RefusalReason.TRUNCATED,
                "The diff holds a note that it was truncated. Send it whole.",
            )
        sections += _read_block(block, sections)
    return sections


def _read_block(block: Block, before: list[Section]) -> list[Section]:
    if has_search_blocks(block):
        return parse_search_blocks(block, before[-1].new if before else None)
    if has_envelope(block):
        return parse_envelope(block)
    return parse_unified(block)
