"""The paragraph that tells a model which answer form the engine reads best."""

from __future__ import annotations

_FORM = """\
Answer with one unified diff and nothing else, in one ```diff fence.
- Each file starts with two lines: `--- a/PATH` and `+++ b/PATH`, with PATH relative to the \
root of the repository, exactly as it is listed there.
- A new file has `--- /dev/null`, a deleted one `+++ /dev/null`, and every one of its lines.
- Each hunk starts with `@@ -LINE,COUNT +LINE,COUNT @@`. The numbers are recomputed, so do not \
spend effort on them, but put the line number of the first line where you know it: it decides \
when the same lines stand in several places.
- Give three unchanged lines of context before and after each change, copied character by \
character from the file, each with one space in front. Never shorten or skip lines, and never \
write `...` or "unchanged" in their place.
- Lines you remove are copied from the file too. A removed line that differs from the file is \
never guessed at: the whole answer is then sent back to you.
- No `index` line, no line numbers in front of lines, no second version of the same change.
- Give the whole diff once. A diff that breaks off is refused."""

_EMPTY = """\
The repository is empty: there is no file to change. Every file in your diff has to be new, \
with `--- /dev/null` on the old side, `@@ -0,0 +1,COUNT @@` as its only hunk header, and a plus \
sign before every line, blank ones too."""


def answer_form(empty_repository: bool) -> str:
    """The instruction for a prompt; `empty_repository` adds what that means for the diff."""
    return f"{_FORM}\n\n{_EMPTY}" if empty_repository else _FORM
