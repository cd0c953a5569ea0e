"""Whether the process lives, and whether it can do its work."""

import sqlite3

from fastapi import APIRouter, Request

from app.runs.store import Store
from app.web.refusal import Refused

router = APIRouter()


@router.get("/healthz")
def healthz() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@router.get("/readyz")
def readyz(request: Request) -> dict[str, str]:
    """The inbox can be read; 503 otherwise."""
    store: Store = request.app.state.store
    try:
        store.runs(limit=1)
    except sqlite3.Error:
        raise Refused(503, "The inbox cannot be read.") from None
    return {"status": "ready"}
