"""The directory of a run: the cloned tree and what each stage left for the next, as JSON."""

import json
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class RunFiles:
    """A stage is done when its file is there: files appear whole or not at all."""

    root: Path

    @property
    def base(self) -> Path:
        """The tree at the base commit, without `.git`."""
        return self.root / "base"

    def fresh_base(self) -> Path:
        """Where to clone to; what a killed clone left there is gone."""
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.drop_base()
        return self.base

    def drop_base(self) -> None:
        """Give back the room of the tree; the commit that it came from is in the store."""
        shutil.rmtree(self.base, ignore_errors=True)

    def write_json(self, name: str, value: Mapping[str, Any]) -> None:
        """Leave `value` as `name`.json."""
        # In ASCII, because a diff may hold bytes that are no UTF-8, kept as lone surrogates.
        self._write(f"{name}.json", json.dumps(value, indent=1))

    def read_json(self, name: str) -> dict[str, Any] | None:
        """What a stage left as `name`.json; None when it has not come so far."""
        with suppress(FileNotFoundError):
            found: dict[str, Any] = json.loads((self.root / f"{name}.json").read_bytes())
            return found
        return None

    def write_diff(self, diff: str) -> None:
        """Leave the diff for people as fix.diff."""
        self._write("fix.diff", diff)

    def _write(self, name: str, text: str) -> None:
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        unfinished = self.root / f".{name}.part"
        unfinished.write_text(text, encoding="utf-8", errors="surrogateescape")
        unfinished.replace(self.root / name)
