"""Finds the file that a section means, or the path of the one that it makes."""

from __future__ import annotations

import os
import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches

from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.paths import (
    DEV_NULL,
    is_absolute,
    refuse_absolute,
    refuse_links,
    refuse_unsafe,
    show,
    strip_prefixes,
)
from sandbox.patch.sections import RawHunk, Section
from sandbox.patch.source import decode
from sandbox.patch.tree import Tree


@dataclass(frozen=True)
class Target:
    """The file of a section: where it is (None if new), where it will be (None if deleted)."""

    section: Section
    old: bytes | None
    new: bytes | None
    repairs: tuple[str, ...] = ()

    @property
    def path(self) -> bytes:
        """The path to name in reports."""
        return self.new or self.old or b""


def resolve_all(sections: list[Section], tree: Tree) -> list[Target]:
    """The targets of all sections, in order.

    Raises RefusalError: `unsafe_path`, `missing_file`, `exists`, or `ambiguous` when a name fits
    several files equally well.
    """
    for section in sections:
        for name in _names(section):
            refuse_unsafe(name)
    cut: set[bytes] = set()
    targets = [_resolve(section, tree, cut) for section in sections]
    return [_without_prefix(target, tree, cut) for target in targets]


def _names(section: Section) -> list[bytes]:
    given = (section.new, section.old, section.rename_to, section.rename_from)
    return [name for name in given if name and name != DEV_NULL]


def _resolve(section: Section, tree: Tree, cut: set[bytes]) -> Target:
    names = _names(section)
    if not names:
        raise RefusalError(
            RefusalReason.MISSING_FILE,
            "The change names no file. Put `--- a/PATH` and `+++ b/PATH` in front of it.",
        )
    if section.rename_from and section.rename_to:
        return _rename(section, section.rename_from, section.rename_to, tree, cut)
    if section.deletes:
        old = section.old if section.old and section.old != DEV_NULL else names[0]
        return Target(section, _existing([old], section, tree, cut), None)
    if section.creates or _looks_new(section):
        exact = _exact(names[0], section, tree)
        if exact is None and (section.creates or _located(names, section, tree, cut) is None):
            return _created(section, names[0], tree)
    found = _existing(names, section, tree, cut)
    return Target(section, found, found, _path_repairs(section, found))


def _path_repairs(section: Section, found: bytes) -> tuple[str, ...]:
    written = {section.new, section.old} - {None, DEV_NULL}
    usual = {found, b"a/" + found, b"b/" + found}
    return ("path",) if not written <= usual else ()


def _created(section: Section, name: bytes, tree: Tree) -> Target:
    refuse_absolute(name)
    path = strip_prefixes(name)[0] if section.prefixed else name
    path = b"/".join(part for part in path.split(b"/") if part not in (b"", b"."))
    return Target(section, None, _free(path, tree))


def _free(path: bytes, tree: Tree) -> bytes:
    refuse_links(tree.root, path)
    parts = path.split(b"/")
    for size in range(1, len(parts) + 1):
        part = b"/".join(parts[:size])
        if tree.is_taken(part) and (size == len(parts) or not tree.is_dir(part)):
            raise RefusalError(
                RefusalReason.EXISTS,
                f"`{show(part)}` exists already, so `{show(path)}` cannot be made. Send an edit "
                "of the file that is there, or choose another path.",
                show(path),
            )
    return path


def _without_prefix(target: Target, tree: Tree, cut: set[bytes]) -> Target:
    """A new file beside files whose paths had one directory too many loses it as well."""
    if target.old is not None or target.new is None or len(cut) != 1:
        return target
    prefix = next(iter(cut))
    if not target.new.startswith(prefix) or tree.is_taken(prefix.rstrip(b"/")):
        return target
    return Target(target.section, None, _free(target.new[len(prefix) :], tree), ("path",))


def _rename(section: Section, source: bytes, goal: bytes, tree: Tree, cut: set[bytes]) -> Target:
    for name in (source, goal):
        if not is_absolute(name):
            refuse_links(tree.root, name)
    found = _located([source], section, tree, cut)
    there = _exact(goal, section, tree)
    if found is None and there is not None:
        return Target(section, there, there)
    if found is None:
        raise _missing(source, tree)
    refuse_absolute(goal)
    if not tree.is_taken(goal):
        prefix = source[: -len(found)] if source.endswith(found) else b""
        goal = goal.removeprefix(prefix) if prefix else goal
    if section.copies:
        raise RefusalError(
            RefusalReason.UNSUPPORTED,
            "The diff copies a file. Send the copy as a new file with all its lines.",
            show(goal),
        )
    return Target(section, found, _free(goal, tree))


def _looks_new(section: Section) -> bool:
    """An edit header over lines that are all added at the very start: a new file mislabelled."""
    hunks = section.hunks
    return len(hunks) == 1 and not section.rename_from and _only_adds(hunks[0])


def _only_adds(hunk: RawHunk) -> bool:
    numbers = hunk.numbers
    at_start = numbers.old_start in (None, 0) or (numbers.old_start == 1 and numbers.old_count == 0)
    added = [line for line in hunk.body if line[:1] == b"+"]
    others = [line for line in hunk.body if line.strip() and line[:1] not in (b"+", b"\\")]
    return at_start and bool(added) and not others


def _existing(names: list[bytes], section: Section, tree: Tree, cut: set[bytes]) -> bytes:
    found = _located(names, section, tree, cut)
    if found is None:
        for name in names:
            refuse_absolute(name)
        raise _missing(names[0], tree)
    return found


def _located(names: list[bytes], section: Section, tree: Tree, cut: set[bytes]) -> bytes | None:
    """The new side before the old one, and an exact name before a likely one."""
    for find in (_exact, _likely):
        for name in names:
            found = find(name, section, tree)
            if found is not None:
                _note_cut(name, found, cut)
                return found
    return None


def _note_cut(name: bytes, found: bytes, cut: set[bytes]) -> None:
    for variant in strip_prefixes(name)[:1]:
        if variant.endswith(b"/" + found) and not is_absolute(name):
            cut.add(variant[: -len(found)])


def _variants(name: bytes, section: Section, tree: Tree) -> list[bytes]:
    names = strip_prefixes(name)
    both = {section.old, section.new}
    if not section.prefixed or (len(both) == 1 and not section.git_line and len(names) > 1):
        names = [name, *names[:-1]]
    top = os.fsencode(tree.root.resolve()) + b"/"
    if name.startswith(top):
        names.insert(0, name[len(top) :])
    return [variant.removeprefix(b"./") for variant in names]


def _exact(name: bytes, section: Section, tree: Tree) -> bytes | None:
    for variant in _variants(name, section, tree):
        if variant and not is_absolute(variant):
            refuse_links(tree.root, variant)
            if tree.is_file(variant):
                return b"/".join(part for part in variant.split(b"/") if part not in (b"", b"."))
    return None


def _likely(name: bytes, section: Section, tree: Tree) -> bytes | None:
    """A file whose path ends like the name or the other way round, else one that folds alike."""
    for variant in _variants(name, section, tree):
        longer = [path for path in tree.files if path.endswith(b"/" + variant.lstrip(b"/"))]
        if longer:
            return _only(longer, name)
        shorter = [path for path in tree.files if variant.endswith(b"/" + path)]
        if shorter:
            return max(shorter, key=len)
    for variant in _variants(name, section, tree):
        alike = [path for path in tree.files if _folded(path) == _folded(variant)]
        if alike:
            return _only(alike, name)
    return None


def _only(paths: list[bytes], name: bytes) -> bytes:
    if len(paths) == 1:
        return paths[0]
    listed = ", ".join(f"`{show(path)}`" for path in paths[:6])
    raise RefusalError(
        RefusalReason.AMBIGUOUS,
        f"`{show(name)}` could be any of {listed}. Give the whole path.",
        show(name),
    )


def _folded(path: bytes) -> str:
    return unicodedata.normalize("NFC", decode(path)).casefold()


def _missing(name: bytes, tree: Tree) -> RefusalError:
    shown = show(strip_prefixes(name)[0])
    known = [show(path) for path in tree.files]
    base = shown.rsplit("/", 1)[-1]
    near = [path for path in known if path.rsplit("/", 1)[-1] == base]
    near = near or get_close_matches(shown, known, n=3, cutoff=0.6)
    if not known:
        hint = "The repository is empty: every file has to be new, with `--- /dev/null`."
    elif near:
        hint = "Near it: " + ", ".join(f"`{path}`" for path in near[:4]) + "."
    else:
        hint = "No file has a similar name."
    return RefusalError(
        RefusalReason.MISSING_FILE,
        f"There is no file `{shown}`. {hint} Send the diff with the path of a file that exists, "
        "or with `--- /dev/null` if the file is to be made.",
        shown,
    )
