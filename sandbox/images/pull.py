"""Base image from a registry: pulls it, giving up soon where no registry answers."""

import queue
import threading
from typing import TYPE_CHECKING, Any

from docker.errors import APIError, DockerException

from sandbox.images.types import Progress

if TYPE_CHECKING:
    from docker import DockerClient

SILENCE = 15.0


def pull(
    client: "DockerClient", image: str, progress: Progress, silence: float = SILENCE
) -> str | None:
    """Pull `image`; None when it is there, else the reason why it cannot be had.

    The pull may last as long as it moves: `silence` seconds without a word from the engine end it.
    """
    events: queue.Queue[dict[str, Any]] = queue.Queue()
    threading.Thread(target=_follow, args=(client, image, events), daemon=True).start()
    progress(f"asking the registry for {image}")
    while True:
        try:
            event = events.get(timeout=silence)
        except queue.Empty:
            return f"no answer within {silence:.0f} s"
        if "ended" in event:
            return event["ended"]  # type: ignore[no-any-return]
        progress(_phrase(image, event))


def _follow(client: "DockerClient", image: str, events: "queue.Queue[dict[str, Any]]") -> None:
    # In a thread: the SDK reads a pull without any time-out, and the engine may say nothing for
    # minutes where packets to the registry are dropped.
    repository, _, tag = image.rpartition(":")
    try:
        for event in client.api.pull(repository, tag=tag, stream=True, decode=True):
            if "error" in event:
                events.put({"ended": str(event["error"])})
                return
            events.put(event)
    except (APIError, DockerException, OSError) as error:
        events.put({"ended": str(getattr(error, "explanation", None) or error)})
        return
    events.put({"ended": None})


def _phrase(image: str, event: dict[str, Any]) -> str:
    detail = event.get("progressDetail") or {}
    if detail.get("total"):
        return f"pulling {image}: {detail['current'] / 1e6:.0f} of {detail['total'] / 1e6:.0f} MB"
    return f"pulling {image}: {event.get('status', '')}"
