"""`patchwright fix`: the whole loop and the proof on a folder, without GitHub."""

import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from app.agent.choose import Options, make_proposer
from app.cli.console import answer, note, progress
from app.cli.status import OF_OUTCOME, Exit
from app.errors import UserError
from app.settings import ProposerSettings, load
from sandbox.ending import ending
from sandbox.executor.docker import DockerExecutor
from sandbox.executor.model import Limits
from sandbox.ground import Ground, NoTarget, Orders, Unrunnable, Worked
from sandbox.loop import End
from sandbox.outcome import Outcome
from sandbox.patch import apply_answer
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
    timeout: Annotated[float, typer.Option(help="seconds for one test run")] = 300.0,
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
    with progress("starting") as watch:
        session = Session(
            path, DockerExecutor(), Limits(runtime=runtime, seconds=timeout), watch=watch
        )
        story = _Story()
        end = story.tell(session, orders, asked)
    return _conclude(path, end, story, in_place=in_place, as_json=as_json)


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

    def tell(self, session: Session, orders: Orders, proposer: Proposer) -> End:
        """Run the stages to one of the five outcomes. Raises `UserError` for a refused key."""
        try:
            self.ground = session.baseline(session.environment(), orders)
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


def _conclude(path: Path, end: End, story: _Story, *, in_place: bool, as_json: bool) -> int:
    fixed = end.outcome is Outcome.FIXED
    where = _write(path, story.proof, in_place=in_place) if fixed else None
    result = {
        "state": "done",
        "outcome": end.outcome,
        "reason": end.reason,
        "sentence": end.sentence,
        "ledger": _ledger(story),
        "diff": story.proof.diff if fixed and story.proof else "",
        "targets": list(story.ground.targets) if story.ground else [],
        "proof": story.proof.to_json() if story.proof else None,
        "written_to": str(where) if where else None,
    }
    answer(result, _lines(end, story, where), as_json=as_json)
    return OF_OUTCOME.get(end.outcome, Exit.FAILURE) if end.outcome else Exit.FAILURE


def _write(path: Path, proof: Proof | None, *, in_place: bool) -> Path:
    """Apply the proved diff to PATH or to a copy of it."""
    target = path
    if not in_place:
        target = Path(tempfile.mkdtemp(prefix=f"{path.resolve().name}.patchwright-"))
        copy_tree(path, target)
    diff = proof.diff if proof else ""
    apply_answer(target, diff.encode("utf-8", "surrogateescape"))
    return target


def _ledger(story: _Story) -> dict[str, Any]:
    if story.worked is None:
        return {"test_runs": 1 if story.ground else 0, "attempts": 0}
    ledger = story.worked.ledger.to_json()
    ledger["proof_runs"] = story.proof.test_runs if story.proof else 0
    return ledger


def _lines(end: End, story: _Story, where: Path | None) -> list[str]:
    lines = [f"outcome: {end.outcome} ({end.reason})", end.sentence]
    if story.worked and story.ground:
        ledger = story.worked.ledger
        proof_runs = f", {story.proof.test_runs} runs of proof" if story.proof else ""
        lines += [
            f"attempts {ledger.attempts}, {ledger.edits()}",
            f"{ledger.candidate_runs} candidate runs, {ledger.test_runs} test runs{proof_runs}",
            f"baseline {story.ground.baseline.status} {story.ground.baseline.summary()}",
            f"final {story.worked.final.status} {story.worked.final.summary()}",
        ]
    if where and story.proof:
        lines += ["", story.proof.diff.rstrip(), "", f"written to {where}"]
    return lines
