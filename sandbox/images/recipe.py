"""Image recipes: reads what an image is made of and derives a tag that changes with it."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from sandbox.images.types import ImageError

RECIPES = Path(__file__).resolve().parents[2] / "manifests" / "images"
SUITE = "bookworm"
PULLED_BASE = f"debian:{SUITE}-slim"

# Pages, manuals and translations are a third of a root file system, and no test run reads them.
DPKG_OPTIONS = (
    "path-exclude=/usr/share/man/*",
    "path-exclude=/usr/share/locale/*",
    "path-exclude=/usr/share/doc/*",
    "path-include=/usr/share/doc/*/copyright",
)


@dataclass(frozen=True)
class Recipe:
    """All that decides an image's content: Dockerfile text, Debian packages, the base to pull."""

    toolchain: str
    dockerfile: str
    packages: tuple[str, ...]
    pulled_base: str = PULLED_BASE

    @property
    def digest(self) -> str:
        """SHA-256 (hex) over the parts, each with its length, so that no two recipes meet."""
        return _digest(self.dockerfile, self.pulled_base, *self._base_parts())

    @property
    def tag(self) -> str:
        """The image's tag: the same recipe always has the same one."""
        return f"patchwright/{self.toolchain}:{self.digest[:12]}"

    @property
    def base_tag(self) -> str:
        """The tag of the base built on this host; a changed Dockerfile leaves it as it is."""
        return f"patchwright/{self.toolchain}-base:{_digest(*self._base_parts())[:12]}"

    def _base_parts(self) -> tuple[str, ...]:
        return (SUITE, *DPKG_OPTIONS, "packages", *self.packages)


def load(toolchain: str, recipes: Path = RECIPES) -> Recipe:
    """Read `<toolchain>.Dockerfile` and `<toolchain>.packages`; ImageError if there are none."""
    try:
        dockerfile = (recipes / f"{toolchain}.Dockerfile").read_text(encoding="utf-8")
        listed = (recipes / f"{toolchain}.packages").read_text(encoding="utf-8")
    except FileNotFoundError as missing:
        known = ", ".join(sorted(path.stem for path in recipes.glob("*.Dockerfile")))
        message = f"There is no image recipe for {toolchain!r}; there is one for: {known}."
        raise ImageError(message) from missing
    lines = (line.split("#")[0].strip() for line in listed.splitlines())
    return Recipe(toolchain, dockerfile, tuple(sorted({line for line in lines if line})))


def _digest(*parts: str) -> str:
    running = hashlib.sha256()
    for part in parts:
        data = part.encode()
        running.update(f"{len(data)}:".encode() + data)
    return running.hexdigest()
