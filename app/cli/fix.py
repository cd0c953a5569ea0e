"""`patchwright fix`: the whole loop and the proof on a folder, without GitHub."""

import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from app.agent.choose import Options, make_proposer
from app.cli.console import answer, note, progress
from app.cli.room import room
from app.cli.status import OF_OUTCOME, Exit
from app.errors import UserError
from app.settings import ProposerSettings, load
from sandbox.ending import ending
from sandbox.executor.model import Limits
from sandbox.ground import Ground, NoTarget, Orders, Unrunnable, Worked
from sandbox.ledger import Ledger
from sandbox.loop import End
from sandbox.outcome import Outcome
from sandbox.patch import Applied, Refused, apply_answer
from sandbox.proof import Proof
from sandbox.proposer import KeyRejected, Proposer, Task
from sandbox.session import Session
from sandbox.workspace import copy_tree


def read_issue(source: str | None) -> Task:
    """The first line is the title, the rest the body; `-` reads standard input."""
    if source is None:
        return Task("Make the failing tests pass")
    try:
        text = sys.stdin.read() if source == "-" else Path(source).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"The issue file {source} cannot be read: {error}") from error
    title, _, body = text.strip().partition("\n")
    return Task(title.lstrip("# ").strip(), body.strip())


def fix(
    path: Annotated[Path, typer.Argument(exists=True, file_okay=False, help="the repository")],
    issue: Annotated[
        str | None, typer.Option(help="a file with the issue: title, then body; - for stdin")
    ] = None,
    target: Annotated[
        list[str] | None, typer.Option(help="a failing test to turn green; may be repeated")
    ] = None,
    proposer: Annotated[
        str, typer.Option(help="search, gemini, replay:FILE or command:CMD")
    ] = "search",
    runtime: Annotated[str, typer.Option(help="runc or runsc")] = "runc",
    in_place: Annotated[
        bool, typer.Option("--in-place", help="write a proved fix into PATH itself")
    ] = False,
    max_attempts: Annotated[int, typer.Option(min=1)] = 6,
    patience: Annotated[int, typer.Option(min=1)] = 2,
    timeout: Annotated[float, typer.Option(min=1, help="seconds for one test run")] = 300.0,
    as_json: Annotated[bool, typer.Option("--json", help="one JSON object on stdout")] = False,
) -> int:
    """Work on a fix for PATH in containers and prove it; PATH stays as it is unless --in-place."""
    orders = Orders(
        task=read_issue(issue),
        targets=tuple(target or ()),
        attempts=max_attempts,
        patience=patience,
    )
    asked = _proposer(proposer)
    limits, story = Limits(runtime=runtime, seconds=timeout), _Story()
    with progress("starting") as watch, room(path, limits, watch) as at:
        end = story.tell(at.session, orders, asked)
        fixed = end.outcome is Outcome.FIXED
        where = _write(path, at.base, story.proof, in_place=in_place) if fixed else None
    return _conclude(end, story, where, as_json=as_json)


def _proposer(spec: str) -> Proposer:
    """Whoever calls this verb operates the machine: a command of theirs may run."""
    try:
        return make_proposer(spec, Options.of(load(ProposerSettings), allow_command=True))
    except KeyRejected as error:
        raise UserError(str(error)) from error


class _Story:
    """What is known of a fix so far, whatever it ends with."""

    ground: Ground | None = None
    worked: Worked | None = None
    proof: Proof | None = None
    baselines: int = 0

    def tell(self, session: Session, orders: Orders, proposer: Proposer) -> End:
        """Run the stages to one of the five outcomes. Raises `UserError` for a refused key."""
        try:
            environment = session.environment()
            self.baselines = 1
            self.ground = session.baseline(environment, orders)
            self.worked = session.work(self.ground, orders, proposer)
        except Unrunnable as error:
            note(error.tail)
            return End(Outcome.UNRUNNABLE, error.cause, str(error))
        except NoTarget as error:
            return End(Outcome.GAVE_UP, error.reason, str(error))
        except KeyRejected as error:
            raise UserError(str(error)) from error
        if self.worked.outcome is None:
            self.proof = session.prove(self.ground, self.worked.diff, orders)
        return ending(self.worked, self.proof)


def _conclude(end: End, story: _Story, where: Path | None, *, as_json: bool) -> int:
    result = {
        "state": "done",
        "outcome": end.outcome,
        "reason": end.reason,
        "sentence": end.sentence,
        "ledger": _ledger(story),
        "diff": story.proof.diff if where and story.proof else "",
        "targets": list(story.ground.targets) if story.ground else [],
        "proof": story.proof.to_json() if story.proof else None,
        "written_to": str(where) if where else None,
    }
    answer(result, _lines(end, story, where), as_json=as_json)
    return OF_OUTCOME.get(end.outcome, Exit.FAILURE) if end.outcome else Exit.FAILURE


def _write(path: Path, base: Path, proof: Proof | None, *, in_place: bool) -> Path:
    """Apply the proved diff to PATH, or to a copy of what it was proved on.

    Raises `UserError` when PATH has become another one: the copy then holds the change.
    """
    diff = (proof.diff if proof else "").encode("utf-8", "surrogateescape")
    if in_place and _as_it_was(path, base, apply_answer(path, diff, dry_run=True)):
        written = apply_answer(path, diff)
        if isinstance(written, Applied):
            return path
    copy = Path(tempfile.mkdtemp(prefix=f"{path.resolve().name}.patchwright-"))
    copy_tree(base, copy)
    apply_answer(copy, diff)
    if in_place:
        raise UserError(
            f"{path} was changed while the work went on, or cannot be written, so it was left as "
            f"it is. The proved change is in {copy}."
        )
    return copy


def _as_it_was(path: Path, base: Path, applied: Applied | Refused) -> bool:
    paths = applied.paths if isinstance(applied, Applied) else None
    return paths is not None and all(_content(path / p) == _content(base / p) for p in paths)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _ledger(story: _Story) -> dict[str, Any]:
    ledger = story.worked.ledger if story.worked else Ledger(test_runs=story.baselines)
    return {**ledger.to_json(), "proof_runs": story.proof.test_runs if story.proof else 0}


def _lines(end: End, story: _Story, where: Path | None) -> list[str]:
    lines = [f"outcome: {end.outcome} ({end.reason})", end.sentence]
    lines += [f"see: {warning}" for warning in (story.proof.warnings if story.proof else ())]
    ledger = story.worked.ledger if story.worked else Ledger(test_runs=story.baselines)
    proof_runs = f", {story.proof.test_runs} runs of proof" if story.proof else ""
    lines += [
        f"attempts {ledger.attempts}, {ledger.edits()}",
        f"{ledger.candidate_runs} candidate runs, {ledger.test_runs} test runs{proof_runs}",
    ]
    if story.worked and story.ground:
        lines += [
            f"baseline {story.ground.baseline.status} {story.ground.baseline.summary()}",
            f"final {story.worked.final.status} {story.worked.final.summary()}",
        ]
    if where and story.proof:
        lines += ["", story.proof.diff.rstrip(), "", f"written to {where}"]
    return lines
