"""The directory that is patched, read without following symbolic links."""

from __future__ import annotations

import os
import stat
from functools import cached_property
from pathlib import Path

from sandbox.patch.model import RefusalError, RefusalReason
from sandbox.patch.paths import refuse_links, show


class Tree:
    """Regular files below a root, by relative path in bytes; `.git` is never looked into."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def absolute(self, relative: bytes) -> Path:
        """The place of a file on disk."""
        return self.root / os.fsdecode(relative)

    def is_file(self, relative: bytes) -> bool:
        """Whether a regular file is there. Raises RefusalError when a link is on the way."""
        try:
            mode = self.absolute(relative).lstat().st_mode
        except (OSError, ValueError):
            return False
        refuse_links(self.root, relative)
        return stat.S_ISREG(mode)

    def is_taken(self, relative: bytes) -> bool:
        """Whether anything at all is at that path."""
        return os.path.lexists(self.absolute(relative))

    def is_dir(self, relative: bytes) -> bool:
        """Whether a directory is at that path."""
        return self.absolute(relative).is_dir()

    def read(self, relative: bytes) -> bytes:
        """The bytes of a file. Raises RefusalError `missing_file` when it cannot be read."""
        try:
            return self.absolute(relative).read_bytes()
        except OSError as error:
            raise RefusalError(
                RefusalReason.MISSING_FILE,
                f"The file cannot be read ({error.strerror}).",
                show(relative),
            ) from error

    def mode(self, relative: bytes) -> int:
        """Git's mode of a file: 0o100644 or 0o100755."""
        executable = self.absolute(relative).stat().st_mode & 0o100
        return 0o100755 if executable else 0o100644

    @cached_property
    def files(self) -> list[bytes]:
        """Every regular file, links and `.git` left out."""
        found: list[bytes] = []
        pending = [b""]
        top = os.fsencode(self.root)
        while pending:
            prefix = pending.pop()
            with os.scandir(os.path.join(top, prefix)) as entries:  # noqa: PTH118 (bytes)
                for entry in entries:
                    relative = prefix + entry.name
                    if entry.name == b".git" or entry.is_symlink():
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        pending.append(relative + b"/")
                    elif entry.is_file(follow_symlinks=False):
                        found.append(relative)
        return sorted(found)
