"""From the loop's end and the proof to one of the five outcomes."""

from sandbox.ground import Worked
from sandbox.loop import End
from sandbox.outcome import Outcome, Verdict
from sandbox.proof import Proof


def ending(worked: Worked, proof: Proof | None) -> End:
    """`fixed` only with a proof that holds; a green loop without one is not a fix."""
    if worked.outcome is not None:
        return End(worked.outcome, worked.reason, worked.sentence)
    if proof is None:
        raise ValueError("all targets are green: a proof is due before the run can end")
    if proof.base_unusable:
        sentence = f"The suite gave no result during the proof: {proof.base_unusable}."
        return End(Outcome.UNRUNNABLE, "base_unusable", sentence)
    if proof.verdict is Verdict.NOT_PROVED:
        why = "; ".join(proof.reasons)
        sentence = f"A change was found, but the proof did not hold: {why}."
        return End(Outcome.GAVE_UP, "not_proved", sentence)
    reason = "needs_review" if proof.verdict is Verdict.NEEDS_REVIEW else "proved"
    count = len(proof.targets)
    noun = "test that failed passes" if count == 1 else "tests that failed pass"
    sentence = f"{count} {noun} with the change, and no other test is lost."
    return End(Outcome.FIXED, reason, sentence)
