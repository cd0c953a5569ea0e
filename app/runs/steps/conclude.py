"""How a run ends: its comment says so, then its row does and the issue is free again."""

from app.report.outcome import outcome_comment
from app.report.story import Ending
from app.report.words import ended, storable
from app.runs.marker import marker
from app.runs.run import Run
from sandbox.outcome import Outcome


def fixed(run: Run) -> Ending:
    """The ending of a run whose pull request is open."""
    proof = run.proof()
    if proof is None:
        raise LookupError("the proof left nothing")
    sentence = f"proved and opened as pull request {run.row.pull_number}"
    return Ending("done", str(proof.verdict), sentence, Outcome.FIXED)


def tell(run: Run, ending: Ending) -> None:
    """Turn the status comment into the outcome comment."""
    body = outcome_comment(run.story(), ending)
    comment = run.github.upsert_comment(*run.where, marker(run.where), body)
    run.services.store.update(run.run_id, comment_id=comment.id)


def settle(run: Run, ending: Ending) -> None:
    """Store the final state, which gives the issue free. Doing it again changes nothing."""
    if run.row.state.final:
        return
    run.files.drop_base()
    run.say("end", ended(ending.sentence), state=ending.state, outcome=ending.outcome)
    run.services.store.update(
        run.run_id,
        state=ending.state,
        outcome=ending.outcome,
        reason=ending.reason,
        sentence=storable(ended(ending.sentence)),
    )
