"""Image types: what making sure of an image returns, tells on the way and raises."""

from collections.abc import Callable
from dataclasses import dataclass

Progress = Callable[[str], None]
"""Called with one short phrase in the present tense each time the work moves on."""


class ImageError(Exception):
    """The sandbox image is not there and cannot be made; the message says what to change."""


class BuilderMissing(ImageError):
    """No registry answered and mmdebstrap, which would build the base, is not installed."""


@dataclass(frozen=True)
class ImageRef:
    """An image on the engine: its tag, and the id (`sha256:` and 64 hex digits) it stands for."""

    tag: str
    id: str
