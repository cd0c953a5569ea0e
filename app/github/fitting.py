"""Texts cut to what GitHub takes, so that they stay whole Markdown and say that they were cut."""

COMMENT_CHARS = 65_536
"""Also the limit of issue and pull request bodies; from GitHub's refusals, no page says it."""
CHECK_CHARS = 65_535
TITLE_CHARS = 255

NOTE = "\n\n*Cut here: the whole text is longer than GitHub takes.*\n"


def fitted(text: str, limit: int = COMMENT_CHARS) -> str:
    """`text`, cut at a line end so that it and the note fit below `limit` characters.

    Code fences and folded parts that the cut leaves open are closed before the note.
    """
    if len(text) < limit:
        return text
    room = limit - 1 - len(NOTE)
    while True:
        kept = text[:room]
        kept = kept[: kept.rfind("\n")] if "\n" in kept else kept
        closed = kept + _closing(kept)
        if len(closed) + len(NOTE) < limit:
            return closed + NOTE
        room -= len(closed) - len(kept)


def _closing(text: str) -> str:
    fence, depth = "", 0
    for line in text.splitlines():
        bare = line.strip()
        if fence:
            fence = "" if bare.startswith(fence) and not bare.strip(fence[0]) else fence
        elif bare.startswith(("```", "~~~")):
            fence = bare[: len(bare) - len(bare.lstrip(bare[0]))]
        else:
            depth += line.count("<details") - line.count("</details>")
    return (f"\n{fence}" if fence else "") + "\n</details>" * max(depth, 0)
