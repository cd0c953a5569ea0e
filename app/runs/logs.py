"""One line of log for each event, on standard error, without values of variables."""

import sys

import structlog


def log_to_stderr() -> None:
    """Set up logging for a process of its own.

    The default renderer shows the local variables of a traceback, and tokens may be among them.
    """
    renderer = structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            renderer,
        ],
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
