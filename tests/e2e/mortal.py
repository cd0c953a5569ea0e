"""The real worker, but it kills itself with -9 once, before or after a named deed.

Run as a script: mortal.py "before POST pulls" MARKER. The marker file says that it has died;
with the marker `never` it dies every time.
"""

import functools
import os
import re
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx

from app.github.gitcommand import Git
from app.runs.files import RunFiles
from app.runs.store import Store
from app.runs.worker import main
from sandbox.session import Session

HTTP = re.compile(r"/(access_tokens|reactions|comments|pulls|check-runs)(?:/\d+)?$")


def arm(point: str, marker: Path) -> None:
    """Wrap every deed that a run does outside of this process's memory."""

    def mortal(owner: type, method: str, name: Callable[..., str]) -> None:
        original = getattr(owner, method)

        @functools.wraps(original)
        def deed(*args: Any, **options: Any) -> Any:  # noqa: ANN401 - whatever it takes
            deed_name = name(*args, **options)
            _die_at(f"before {deed_name}", point, marker)
            result = original(*args, **options)
            _die_at(f"after {deed_name}", point, marker)
            return result

        setattr(owner, method, deed)

    mortal(httpx.HTTPTransport, "handle_request", lambda _, request: _request(request))
    mortal(Git, "run", lambda _, *words, **__: f"git {words[0]}")
    mortal(RunFiles, "write_json", lambda _, name, __: f"write {name}")
    mortal(Store, "update", lambda *_, **fields: f"store {' '.join(map(str, fields.values()))}")
    for stage in ("environment", "baseline", "work", "prove"):
        mortal(Session, stage, lambda *_, stage=stage, **__: f"stage {stage}")


def _request(request: httpx.Request) -> str:
    found = HTTP.search(request.url.path)
    return f"{request.method} {found.group(1) if found else request.url.path}"


def _die_at(here: str, point: str, marker: Path) -> None:
    if here.startswith(point) and not marker.exists():
        if marker.name != "never":
            marker.write_text(here, encoding="utf-8")
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    arm(sys.argv[1], Path(sys.argv[2]))
    main()
