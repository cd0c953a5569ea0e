"""What the command line says: progress on stderr, the one result on stdout."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from time import monotonic
from typing import Any

import typer
from rich.console import Console
from rich.text import Text

from sandbox.events import Event, Watch

_errors = Console(stderr=True, highlight=False, soft_wrap=True)


def note(text: str) -> None:
    """One line of progress or complaint."""
    _errors.print(Text(text))


@contextmanager
def progress(first: str) -> Iterator[Watch]:
    """A watcher that shows the current stage as it moves, and keeps what each stage ended with."""
    with _errors.status(Text(first)) as status:

        def watch(event: Event) -> None:
            status.update(Text(f"{event.stage}: {event.text}"))
            if event.stage != "probe":
                _errors.print(Text(f"  {event.stage:<12}{event.text}"))

        yield watch


def answer(result: Mapping[str, Any], lines: list[str], *, as_json: bool) -> None:
    """Exactly one JSON object, or the lines for people, on stdout."""
    text = json.dumps(result, default=str) if as_json else "\n".join(lines)
    typer.echo(_encoded(text))


def _encoded(text: str) -> bytes:
    """Bytes for stdout, whatever its encoding: what was no UTF-8 in a file comes out as it was."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace")


@contextmanager
def follow(first: str) -> Iterator[Callable[[str, str], None]]:
    """Show stages that happen elsewhere, with the time since the beginning."""
    began = monotonic()
    with _errors.status(Text(first)) as status:

        def show(stage: str, text: str) -> None:
            status.update(Text(f"{stage}: {text}"))
            _errors.print(Text(f"{monotonic() - began:6.1f} s  {stage:<12}{text}"))

        yield show
