"""The steps that happen in the sandbox: environment, baseline, loop, tidy, proof."""

from app.report.story import Ending
from app.runs.pulse import pulse
from app.runs.run import Run
from sandbox.ground import NoTarget, Unrunnable
from sandbox.outcome import Outcome, Phase, Verdict
from sandbox.proof import Proof
from sandbox.proposer import BudgetSpent, KeyRejected
from sandbox.session import Session


def environment(run: Run) -> Ending | None:
    """An image in which the tests can run, and the isolation as probed."""
    with pulse(run):
        try:
            found = _session(run).environment()
        except Unrunnable as error:
            return _unrunnable(error)
    run.files.write_json("environment", found.to_json())
    return None


def baseline(run: Run) -> Ending | None:
    """The suite as it is, and the targets."""
    made = run.environment()
    if made is None:
        raise LookupError("the environment stage left nothing")
    with pulse(run):
        try:
            ground = _session(run).baseline(made, run.orders())
        except Unrunnable as error:
            return _unrunnable(error)
        except NoTarget as error:
            return Ending("done", error.reason, str(error), Outcome.GAVE_UP)
    run.files.write_json("ground", ground.to_json())
    return None


def loop(run: Run) -> Ending | None:
    """Attempts until all targets pass or one of the five outcomes is reached."""
    ground = run.ground()
    if ground is None:
        raise LookupError("the baseline left nothing")
    with pulse(run):
        try:
            worked = _session(run).work(ground, run.orders(), run.services.proposer())
        except KeyRejected as error:
            return Ending("refused", "key_rejected", str(error))
        except BudgetSpent as error:
            return Ending("done", error.cap, str(error), Outcome.BUDGET)
    run.files.write_json("worked", worked.to_json())
    if worked.diff:
        run.files.write_diff(worked.diff)
    if worked.outcome is None:
        return None
    return Ending("done", worked.reason, worked.sentence, worked.outcome)


def prove(run: Run) -> Ending | None:
    """The proof of what the loop found; only what it holds is published."""
    ground, worked = run.ground(), run.worked()
    if ground is None or worked is None:
        raise LookupError("the loop left nothing")
    with pulse(run):
        proof = _session(run).prove(ground, worked.diff, run.orders())
    run.files.write_json("proof", proof.to_json())
    run.files.write_diff(proof.diff)
    return _not_proved(proof) if proof.verdict is Verdict.NOT_PROVED else None


def _not_proved(proof: Proof) -> Ending:
    if proof.base_unusable:
        sentence = f"Run again for the proof, the tests gave no result: {proof.base_unusable}"
        return Ending("done", "base_unusable", sentence, Outcome.UNRUNNABLE, phase=Phase.BASELINE)
    # A reason starts with its word for machines.
    said = [reason.partition(": ")[2] or reason for reason in proof.reasons]
    return Ending("done", "not_proved", "; ".join(said), Outcome.GAVE_UP)


def _session(run: Run) -> Session:
    services = run.services
    return Session(
        run.files.base,
        services.executor,
        services.limits,
        run_id=run.run_id,
        watch=run.watch,
    )


def _unrunnable(error: Unrunnable) -> Ending:
    return Ending(
        "done", error.cause, str(error), Outcome.UNRUNNABLE, tail=error.tail, phase=error.phase
    )
