"""Reads what stands between two files of a diff: git's line, modes, renames."""

from __future__ import annotations

from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.paths import clean_name, show, strip_prefixes
from sandbox.patch.sections import Section


def section_of_git_line(names: bytes) -> Section:
    """Splits `a/x b/x`; names may hold blanks, so equal halves are looked for first."""
    section = Section(git_line=True, complete=False)
    names = names.strip()
    for at in (at for at in range(len(names)) if names[at : at + 1] == b" "):
        old, new = clean_name(names[:at]), clean_name(names[at + 1 :])
        if strip_prefixes(old)[0] == strip_prefixes(new)[0]:
            section.old, section.new = old, new
            return section
    old, _, new = names.partition(b" ")
    section.old, section.new = clean_name(old), clean_name(new) or None
    return section


def named_in(label: bytes) -> bytes | None:
    """The one path-like word of the text in front of a block, if there is exactly one."""
    words = [word.strip(b"`*:#()[]\"',;.") for word in label.split()]
    names = {word for word in words if b"." in word[1:-1] or b"/" in word[1:-1]}
    return names.pop() if len(names) == 1 else None


def read_extended(section: Section, key: bytes, value: bytes) -> None:
    mode = int(value, 8) if value.isdigit() and not value.strip(b"01234567") else None
    if mode is not None and mode & 0o170000 == 0o160000:
        unsupported("a submodule")
    if mode is not None and mode & 0o170000 == 0o120000:
        raise RefusalError(
            RefusalReason.UNSAFE_PATH,
            "The diff makes a symbolic link. Links are not written; send a regular file.",
            show(section.new or section.old or b""),
        )
    if key == b"index":
        section.index = value
    elif key in (b"new file mode", b"deleted file mode", b"old mode", b"new mode"):
        _read_mode(section, key, mode)
    elif key in (b"rename from", b"copy from"):
        section.rename_from, section.copies = clean_name(value), key == b"copy from"
    elif key in (b"rename to", b"copy to"):
        section.rename_to, section.complete = clean_name(value), True


def _read_mode(section: Section, key: bytes, mode: int | None) -> None:
    if key == b"old mode":
        section.old_mode = mode
        return
    section.creates = section.creates or key == b"new file mode"
    section.deletes = section.deletes or key == b"deleted file mode"
    section.complete = True
    if key != b"deleted file mode":
        section.new_mode = mode


def unsupported(what: str) -> None:
    raise RefusalError(
        RefusalReason.UNSUPPORTED,
        f"The diff holds {what}, which cannot be applied as text. "
        "Send a unified diff of text files only.",
    )
