"""The command line: each verb in a module of its own, exit statuses as the design says."""

from app.cli.main import main

__all__ = ["main"]
