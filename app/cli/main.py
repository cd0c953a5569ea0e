"""The console script: registers the verbs and turns whatever went wrong into a status."""

import json
import sys
import traceback
from importlib import import_module

import typer

from app.cli.console import note
from app.cli.status import Exit
from app.errors import UserError
from sandbox.executor.model import NotIsolated, SandboxError
from sandbox.suite import Cancelled

VERBS = ("demo", "serve", "fix", "verify", "apply", "doctor")


def build(arguments: list[str]) -> typer.Typer:
    """The command line; a verb that is named is imported alone, so that it starts at once."""
    app = typer.Typer(
        name="patchwright",
        help="Turns a labelled issue into a pull request whose diff it has proved.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    app.callback()(lambda: None)
    wanted = [verb for verb in VERBS if verb in arguments[:1]] or VERBS
    for verb in wanted:
        app.command()(getattr(import_module(f"app.cli.{verb}"), verb))
    return app


def main() -> None:
    """Run a verb and exit: 2 for wrong usage, 70 for an own failure, else what the verb says."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """The exit status of one command line."""
    as_json = "--json" in arguments
    try:
        status = build(arguments)(args=arguments, prog_name="patchwright", standalone_mode=False)
    except typer.TyperException as error:
        said = error.format_message() or "See `patchwright --help`."
        return _failed(said, Exit.USAGE, as_json=as_json)
    except (KeyboardInterrupt, Cancelled, typer.Abort):
        status = Exit.CANCELLED
    except (UserError, NotIsolated) as error:
        return _failed(str(error), Exit.REFUSED, as_json=as_json)
    except SandboxError as error:
        return _failed(str(error), Exit.FAILURE, as_json=as_json)
    except Exception as error:  # noqa: BLE001 - the root: an own failure has a status of its own
        traceback.print_exc()
        return _failed(f"{type(error).__name__}: {error}", Exit.FAILURE, as_json=as_json)
    if status == Exit.CANCELLED:  # typer turns a Ctrl-C inside of a verb into this status
        return _failed("stopped by a person", Exit.CANCELLED, as_json=as_json)
    return int(status or 0)


def _failed(message: str, status: Exit, *, as_json: bool) -> int:
    if as_json:
        state = {Exit.REFUSED: "refused", Exit.CANCELLED: "cancelled"}.get(status, "failed")
        typer.echo(json.dumps({"state": state, "error": message}))
    else:
        note(message)
    return int(status)
