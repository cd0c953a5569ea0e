"""The mark by which the one comment on an issue is found again."""


def marker(where: tuple[str, str, int]) -> str:
    """The same for every run on an issue, so that a later run edits the comment of an earlier."""
    return f"<!-- patchwright:issue:{where[2]} -->"
