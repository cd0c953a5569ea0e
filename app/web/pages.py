"""The pages: a list of runs, and everything about one run."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from time import time
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse
from fastapi.templating import Jinja2Templates
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import Response

from app.runs.store import RunRow, Store, UnknownRun
from app.settings import WebSettings
from app.web import artifacts
from app.web.prose import phrase, prose

router = APIRouter(default_response_class=HTMLResponse)

RUN_ID = re.compile(r"[0-9a-f]{32}")
LISTED = 100
AGES = ((86_400 * 2, 86_400, "days"), (7_200, 3_600, "h"), (120, 60, "min"))


class NoSuchPage(Exception):
    """Nothing is at this address."""


def templates(settings: WebSettings) -> Jinja2Templates:
    """The templates, escaping everything, with the filters that the pages use."""
    env = Environment(
        loader=PackageLoader("app.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters |= {"prose": prose, "phrase": phrase, "ago": ago, "moment": moment}
    env.filters["duration"] = duration
    env.globals["github_url"] = settings.github_url
    env.globals["label"] = settings.trigger_label
    return Jinja2Templates(env=env)


def ago(at: float) -> str:
    """How long ago a moment was, in its largest unit."""
    seconds = max(0.0, time() - at)
    for above, unit, name in AGES:
        if seconds >= above:
            return f"{seconds // unit:.0f} {name} ago"
    return "just now" if seconds < 5 else f"{seconds:.0f} s ago"


def moment(at: float) -> str:
    """A moment in UTC, to the second."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def duration(seconds: float) -> str:
    """Seconds as people say them: `14 s`, `6 min 12 s`."""
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    return f"{seconds // 60:.0f} min {seconds % 60:.0f} s"


def known_run(request: Request, run_id: str) -> RunRow:
    """The run of an address. Raises `NoSuchPage`."""
    store: Store = request.app.state.store
    if RUN_ID.fullmatch(run_id) is None:
        raise NoSuchPage
    try:
        return store.run(run_id)
    except UnknownRun:
        raise NoSuchPage from None


KnownRun = Annotated[RunRow, Depends(known_run)]


@router.get("/")
def index(request: Request) -> Response:
    """The newest runs."""
    store: Store = request.app.state.store
    rows = store.runs(LISTED)
    live = any(not row.state.final for row in rows)
    return _page(request, "index.html", {"rows": rows, "live": live, "listed": LISTED})


@router.get("/runs/{run_id}")
def run_page(request: Request, row: KnownRun) -> Response:
    """One run: what it says, what it cost, its diff and its proof."""
    store: Store = request.app.state.store
    events = store.events(row.run_id)
    context = {
        "run": row,
        "events": events,
        "last": events[-1].seq if events else 0,
        "left": artifacts.read(request.app.state.settings.run_dir(row.run_id)),
    }
    return _page(request, "run.html", context)


def no_such_page(request: Request, error: Exception) -> Response:  # noqa: ARG001 - the form of a handler
    """The handler of `NoSuchPage`."""
    return _page(request, "missing.html", {}, status=404)


def _page(
    request: Request, name: str, context: Mapping[str, object], status: int = 200
) -> Response:
    pages: Jinja2Templates = request.app.state.templates
    return pages.TemplateResponse(request, name, dict(context), status_code=status)
