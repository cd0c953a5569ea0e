"""`patchwright verify`: only the proof of a given diff."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from app.cli.apply import read_diff
from app.cli.console import answer, progress
from app.cli.room import room
from app.cli.status import OF_VERDICT, Exit
from sandbox.executor.model import Limits
from sandbox.ground import NoTarget, Orders, Unrunnable
from sandbox.outcome import Verdict
from sandbox.proof import Proof
from sandbox.proposer import Task


def verify(
    path: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="the repository")],
    diff: Annotated[str, typer.Option(help="a file with the diff; - for stdin")],
    target: Annotated[
        list[str] | None, typer.Option(help="a failing test that the diff turns green")
    ] = None,
    runtime: Annotated[str, typer.Option(help="runc or runsc")] = "runc",
    timeout: Annotated[float, typer.Option(min=1, help="seconds for one test run")] = 300.0,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on stdout")] = False,
) -> int:
    """Prove DIFF on PATH: targets fail without it, pass with it, and nothing else is lost."""
    text = read_diff(diff).decode("utf-8", "surrogateescape")
    orders = Orders(Task("Verify a diff"), targets=tuple(target or ()))
    limits = Limits(runtime=runtime, seconds=timeout)
    with progress("starting") as watch, room(path, limits, watch) as at:
        session = at.session
        try:
            ground = session.baseline(session.environment(), orders)
        except Unrunnable as error:
            return _without_base(error, as_json=as_json)
        except NoTarget as error:
            return _without_target(error, as_json=as_json)
        proof = session.prove(ground, text, orders)
    answer(_result(proof), _lines(proof), as_json=as_json)
    return Exit.UNRUNNABLE if proof.base_unusable else OF_VERDICT[proof.verdict]


def _without_base(error: Unrunnable, *, as_json: bool) -> int:
    result = _empty(f"base_unusable: {error.cause}: {error}")
    answer(result, [f"not proved: {error}", error.tail], as_json=as_json)
    return Exit.UNRUNNABLE


def _without_target(error: NoTarget, *, as_json: bool) -> int:
    word = "no_target" if error.reason == "not_reproduced" else error.reason
    answer(_empty(f"{word}: {error}"), [f"not proved: {word}: {error}"], as_json=as_json)
    return Exit.NOT_PROVED


def _empty(reason: str) -> dict[str, Any]:
    return {
        "verdict": Verdict.NOT_PROVED,
        "reasons": [reason],
        "targets": [],
        "runs": [],
        "isolation": None,
    }


def _result(proof: Proof) -> dict[str, Any]:
    return {
        "verdict": proof.verdict,
        "reasons": list(proof.reasons),
        "warnings": list(proof.warnings),
        "targets": list(proof.targets),
        "runs": [asdict(row) for row in proof.rows],
        "isolation": asdict(proof.isolation),
        "proof": proof.to_json(),
    }


def _lines(proof: Proof) -> list[str]:
    lines = [f"verdict: {proof.verdict}", *proof.reasons]
    lines += [f"see: {warning}" for warning in proof.warnings]
    for row in proof.rows:
        mark = "as it must" if row.agrees else "not as it must"
        lines.append(f"  {row.kind} {row.tests}: {row.summary} ({mark}, {row.seconds:.1f} s)")
    return [*lines, f"{proof.test_runs} runs, {proof.isolation.detail}"]
