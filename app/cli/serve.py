"""`patchwright serve`: the web process and the worker until a signal ends both."""

from app.runs.serve import serve as run_both


def serve() -> int:
    """Take webhooks and work on what they ask for; settings come from PATCHWRIGHT_ variables."""
    return run_both()
