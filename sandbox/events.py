"""What a run says while it goes on: stages with their figures, for whoever watches."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """`stage` is a word (baseline, attempt, probe, proof …), `text` a sentence for people."""

    stage: str
    text: str
    data: Mapping[str, Any] = field(default_factory=dict)


Watch = Callable[[Event], None]


def unwatched(event: Event) -> None:
    """The watcher of a run that nobody watches."""
