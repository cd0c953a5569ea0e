"""The door: a genuine delivery becomes one row of the inbox, and nothing else happens here."""

import re
import sqlite3
from typing import Annotated
from uuid import uuid4

import structlog
from fastapi import APIRouter, Depends, Header, Request
from fastapi.responses import JSONResponse
from starlette.concurrency import run_in_threadpool

from app.runs.store import Store
from app.web.incoming import verified_body
from app.web.refusal import Refused
from handlers.intents import StartRun
from handlers.payloads import MalformedPayload
from handlers.route import route

router = APIRouter()
log = structlog.get_logger()

EVENT = re.compile(r"[a-z_]{1,100}")
DELIVERY = re.compile(r"[0-9A-Za-z-]{1,100}")


def named_event(x_github_event: Annotated[str | None, Header()] = None) -> str:
    """The name of the event."""
    return _header("X-GitHub-Event", x_github_event, EVENT)


def named_delivery(x_github_delivery: Annotated[str | None, Header()] = None) -> str:
    """The id of the delivery; a redelivery carries the same one."""
    return _header("X-GitHub-Delivery", x_github_delivery, DELIVERY)


def _header(name: str, value: str | None, form: re.Pattern[str]) -> str:
    if value is None:
        raise Refused(400, f"The header `{name}` is missing.")
    if form.fullmatch(value) is None:
        raise Refused(400, f"The header `{name}` is not what GitHub sends.")
    return value


@router.post("/webhook")
async def webhook(
    request: Request,
    body: Annotated[bytes, Depends(verified_body)],
    event: Annotated[str, Depends(named_event)],
    delivery: Annotated[str, Depends(named_delivery)],
) -> JSONResponse:
    """202 when a run is accepted or its issue has one, 200 when there is nothing to do."""
    try:
        intent = await run_in_threadpool(
            route, event, body, request.app.state.settings.trigger_label
        )
    except MalformedPayload as malformed:
        raise Refused(400, str(malformed)) from None
    if intent is None:
        log.debug("webhook.ignored", github_event=event, delivery=delivery)
        return JSONResponse({"result": "ignored"})
    return await _accept(request.app.state.store, delivery, intent)


async def _accept(store: Store, delivery: str, intent: StartRun) -> JSONResponse:
    run_id = uuid4().hex
    try:
        result = await run_in_threadpool(store.accept, delivery, intent, run_id)
    except sqlite3.OperationalError as broken:
        log.error("webhook.inbox_broken", delivery=delivery, cause=str(broken))
        raise Refused(503, "The inbox cannot be written now: deliver again later.") from None
    place = f"{intent.owner}/{intent.repo}#{intent.issue}"
    log.info("webhook.delivered", result=result, delivery=delivery, issue=place)
    if result == "accepted":
        return JSONResponse({"result": result, "run": run_id}, 202)
    return JSONResponse({"result": result}, 202 if result == "leased" else 200)
