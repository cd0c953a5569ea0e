"""The web process on its own: settings from the environment, one sentence when it cannot start."""

import uvicorn

from app.errors import UserError
from app.runs.logs import log_to_stderr
from app.runs.orphan import end_with_parent
from app.settings import WebSettings, load
from app.web.main import create_app

STOP_SECONDS = 3
"""How long a stop waits for answers under way; live pages never end by themselves."""


def main() -> None:
    """Serve until SIGTERM or SIGINT."""
    log_to_stderr()
    end_with_parent()
    try:
        settings = load(WebSettings)
        app = create_app(settings)
    except UserError as error:
        raise SystemExit(str(error)) from error
    uvicorn.run(
        app,
        host=settings.host,
        port=settings.port,
        log_level="warning",
        access_log=False,
        timeout_graceful_shutdown=STOP_SECONDS,
    )


if __name__ == "__main__":
    main()
