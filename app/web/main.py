"""The web process: the webhook door, the pages and the health checks, and no way to GitHub."""

from pathlib import Path

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from app.runs.store import Store
from app.settings import WebSettings
from app.web import health, live, metrics, pages, webhook
from app.web.headers import SafeHeaders
from app.web.refusal import Refused, answer

STATIC = Path(__file__).with_name("static")


def create_app(settings: WebSettings) -> FastAPI:
    """The ASGI application; makes the inbox where it is missing. Raises `UserError`."""
    app = FastAPI(title="Patchwright", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.settings = settings
    app.state.store = Store(settings.inbox)
    app.state.templates = pages.templates(settings)
    app.add_middleware(SafeHeaders)
    app.add_exception_handler(Refused, answer)
    app.add_exception_handler(pages.NoSuchPage, pages.no_such_page)
    for router in (webhook.router, health.router, metrics.router, live.router, pages.router):
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    return app
