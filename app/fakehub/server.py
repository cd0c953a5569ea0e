"""Put the API, git and the pages together into one ASGI application."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, PlainTextResponse, Response
from starlette.exceptions import HTTPException

from app.fakehub import githttp
from app.fakehub.domain.forge import Forge
from app.fakehub.envelope import API, Envelope, RequestLog
from app.fakehub.errors import ApiError, not_found
from app.fakehub.faults import Fault, Faults
from app.fakehub.hooks import Deliveries
from app.fakehub.pages import apps as app_pages
from app.fakehub.pages import forms, views
from app.fakehub.rates import Rates
from app.fakehub.routes import apps, checks, gitdata, issues, labels, meta, pulls, repositories

_METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")


def make_server(forge: Forge, deliveries: Deliveries, log: RequestLog, faults: Faults) -> FastAPI:
    """The whole server; deliveries are sent while it runs."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await deliveries.open()
        yield
        await deliveries.close()

    server = FastAPI(
        openapi_url=None, redirect_slashes=False, lifespan=lifespan, strict_content_type=False
    )
    server.state.forge, server.state.deliveries = forge, deliveries
    server.state.rates, server.state.faults = Rates(forge), faults
    # Check runs of a commit come first: the commit's own path takes slashes, too.
    for module in (meta, apps, checks, labels, issues, pulls, gitdata, repositories):
        server.include_router(module.router, prefix=API)
    server.add_api_route(f"{API}/{{rest:path}}", _nothing, methods=list(_METHODS))
    _add_fault_routes(server, faults)
    server.include_router(githttp.router)
    for pages in (app_pages, forms, views):
        server.include_router(pages.router)
    _add_error_handlers(server)
    server.add_middleware(Envelope, log=log, faults=faults)
    return server


def _nothing() -> Response:
    """No page answers below the API."""
    raise not_found()


def _add_fault_routes(server: FastAPI, faults: Faults) -> None:
    @server.post("/_fake/faults", status_code=201)
    def arm(fault: Fault) -> Fault:
        faults.add(fault)
        return fault

    @server.get("/_fake/faults")
    def waiting() -> list[Fault]:
        return faults.waiting()

    @server.delete("/_fake/faults", status_code=204)
    def disarm() -> Response:
        faults.clear()
        return Response(status_code=204)


def _add_error_handlers(server: FastAPI) -> None:
    @server.exception_handler(ApiError)
    async def refused(request: Request, error: ApiError) -> Response:
        return _answer(request, error)

    @server.exception_handler(HTTPException)
    async def unrouted(request: Request, error: HTTPException) -> Response:
        # GitHub knows no 405 for an unknown method: there is nothing at that address.
        wrong = error.status_code in (404, 405)
        shown = not_found() if wrong else ApiError(error.status_code, str(error.detail))
        return _answer(request, shown)

    @server.exception_handler(RequestValidationError)
    async def malformed(request: Request, error: RequestValidationError) -> Response:
        return _answer(request, _explain(error.errors()[0]))


def _answer(request: Request, error: ApiError) -> Response:
    if request.url.path.startswith((f"{API}/", "/_fake/")):
        return JSONResponse(error.body, status_code=error.status, headers=error.headers)
    return PlainTextResponse(f"{error}\n", status_code=error.status)


def _explain(problem: dict[str, Any]) -> ApiError:
    place = [str(part) for part in problem["loc"] if part != "body"]
    if problem["type"] == "json_invalid":
        return ApiError(400, "Problems parsing JSON")
    if not place or problem["loc"][0] == "path":
        return ApiError(400, "Body should be a JSON object") if not place else not_found()
    if problem["type"] == "missing":
        return ApiError(422, f"Invalid request.\n\n{json.dumps(place[-1])} wasn't supplied.")
    name = "/".join(place)
    return ApiError(422, f"Invalid request.\n\nFor 'properties/{name}', {problem['msg']}.")
