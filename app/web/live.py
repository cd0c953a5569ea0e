"""A run's events as they come, over server-sent events."""

import asyncio
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.templating import Jinja2Templates

from app.runs.store import EventRow, RunRow, Store
from app.web.pages import KnownRun

router = APIRouter()

POLL_SECONDS = 0.5
STREAM_SECONDS = 600.0
"""A browser comes back by itself where it stopped, so that no stream has to last for ever."""
LARGEST = 2**62


@router.get("/runs/{run_id}/events", response_class=EventSourceResponse)
async def events(
    request: Request,
    row: KnownRun,
    after: Annotated[int, Query(ge=0, le=LARGEST)] = 0,
    last_event_id: Annotated[str | None, Header()] = None,
) -> AsyncIterator[ServerSentEvent]:
    """Events after `after`, or after the one that the browser saw last; then `end`."""
    store: Store = request.app.state.store
    pages: Jinja2Templates = request.app.state.templates
    seen = max(after, _number(last_event_id))
    until = asyncio.get_running_loop().time() + STREAM_SECONDS
    while asyncio.get_running_loop().time() < until:
        # The state first: an event written before the end is then never missed.
        now, fresh = await run_in_threadpool(_look, store, row.run_id, seen)
        for event in fresh:
            seen = event.seq
            html = pages.get_template("event.html").render(event=event)
            yield ServerSentEvent(raw_data=html, event="said", id=str(event.seq))
        if now.state.final:
            yield ServerSentEvent(raw_data=now.state.value, event="end")
            return
        await asyncio.sleep(POLL_SECONDS)


def _look(store: Store, run_id: str, seen: int) -> tuple[RunRow, list[EventRow]]:
    now = store.run(run_id)
    return now, store.events(run_id, after=seen)


def _number(text: str | None) -> int:
    """The number in the header `Last-Event-ID`; whatever else stands there counts as none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 19 else 0
