"""The comment with which a run ends, whichever way it ends."""

from collections.abc import Callable

from app.report.details import again, attempts, earlier, how_to_check, output_tail, patch
from app.report.evidence import change_line, commit, controls, cost, proof_table
from app.report.markdown import code, joined, listed, mention, prose
from app.report.story import Ending, Story
from app.report.words import capital, ended, spelled
from sandbox.outcome import Outcome, Verdict

GAVE_UP = {
    "not_reproduced": "could not reproduce it",
    "only_protected": "the only way found was to edit a protected file",
    "not_proved": "a change was found, but the proof did not hold",
    "needs_environment_change": "it needs another environment",
}
PHASES = {
    "clone": "the repository could not be fetched",
    "environment": "the environment for its tests could not be made",
    "baseline": "the tests give no result here",
}
RAISE = "Whoever runs this Patchwright can raise the limit (`PATCHWRIGHT_{}`)."
NEXT_STEP = {
    "attempts": RAISE.format("ATTEMPTS"),
    "wall time": RAISE.format("RUN_SECONDS"),
    "candidate runs": RAISE.format("CANDIDATE_RUNS"),
    "same_failure": "If the issue leaves out something that the change has to respect, a sentence "
    "about it in the issue would help.",
    "not_proved": "The change is below for a person to judge; no pull request was opened for it.",
    "only_protected": "Tests and what decides which tests run are not mine to change. If a test "
    "is wrong, change it on the default branch.",
}
MEND = {
    "no_tests": "A test that fails for the reason in the report, on the default branch, would let "
    "me start.",
    "collection": "Mend that on the default branch, so that every test can be collected.",
    "timeout": "Find the test that waits for something that is not there: a run has no network "
    "and no terminal.",
    "out_of_memory": "Make the suite lighter, or have the limit raised.",
}
UNTOUCHED = "Nothing was changed and no model was asked."


def outcome_comment(story: Story, ending: Ending) -> str:
    """The last words on a run. Raises `KeyError` for a run that is not over."""
    done = ending.state == "done" and ending.outcome
    words = OUTCOMES[done] if done else STATES[ending.state]
    return joined([words(story, ending), earlier(story)])


def _fixed(story: Story, _: Ending) -> str:
    proof = story.proof
    if proof is None:
        raise KeyError("proof")
    number = f" in #{story.pull_number}" if story.pull_number else ""
    return joined(
        [
            f"**Fixed{number}.** {_what_changed(story)}",
            _warnings(story),
            proof_table(proof),
            controls(proof),
            cost(story),
            _page(story),
            attempts(story),
            how_to_check(story),
        ]
    )


def _what_changed(story: Story) -> str:
    proof = story.proof
    targets = len(proof.targets) if proof else 0
    fails, passes = ("fails", "passes") if targets == 1 else ("fail", "pass")
    tests = capital(spelled(targets, "test"))
    return (
        f"{tests} {fails} on {commit(story)} and {passes} with {change_line(story.diff)}; "
        f"no test that passed before fails with it.{_unstable(story)}"
    )


def _unstable(story: Story) -> str:
    names = story.proof.unstable if story.proof else ()
    if not names:
        return ""
    return f" Left out of account, because they change without the change: {listed(names, 3)}."


def _warnings(story: Story) -> str:
    proof = story.proof
    if proof is None or proof.verdict is not Verdict.NEEDS_REVIEW:
        return ""
    warned = "\n".join(f"- {prose(warning)}" for warning in (*proof.warnings, *proof.reasons))
    return f"**A person has to look at this before it is merged:**\n\n{warned}"


def _unfixed(heading: str) -> Callable[[Story, Ending], str]:
    def comment(story: Story, ending: Ending) -> str:
        words = [heading.format(why=_why(ending)), prose(ended(ending.sentence))]
        return joined(
            [
                " ".join(words),
                _still_failing(story),
                NEXT_STEP.get(ending.reason, ""),
                again(story),
                cost(story),
                _page(story),
                attempts(story),
                patch(story),
            ]
        )

    return comment


def _why(ending: Ending) -> str:
    return GAVE_UP.get(ending.reason, "nothing was left to try")


def _still_failing(story: Story) -> str:
    if not story.ground or not story.worked or not story.worked.final.usable:
        return ""
    left = [target for target in story.ground.targets if target in story.worked.final.failing]
    return f"Still failing: {listed(left)}." if left else ""


def _unrunnable(story: Story, ending: Ending) -> str:
    where = "there are no tests to go by" if ending.reason == "no_tests" else _phase(ending)
    at = f" Tried at {commit(story)}." if story.base_sha else ""
    untouched = "" if story.worked else f" {UNTOUCHED}"
    return joined(
        [
            f"**Could not start: {where}.** {prose(ended(ending.sentence))}{at}{untouched}",
            MEND.get(ending.reason, ""),
            again(story),
            _page(story),
            output_tail(ending),
        ]
    )


def _phase(ending: Ending) -> str:
    return PHASES.get(ending.phase, "the tests do not run here")


def _refused(story: Story, ending: Ending) -> str:
    said = prose(ended(ending.sentence))
    asked = f"Asked by {mention(story.asked_by)}. " if ending.reason == "permission" else ""
    opening = f"**Not started.** {asked}{said} Nothing was run."
    if story.ground:
        opening = f"**Stopped.** {said}"
    return joined([opening, again(story), _page(story), patch(story)])


def _failed(story: Story, ending: Ending) -> str:
    pull = (
        f"The pull request #{story.pull_number} was opened before that."
        if story.pull_number
        else "No pull request was opened."
    )
    where = f"The log of this Patchwright has the details under run {code(story.run_id)}."
    said = prose(ended(ending.sentence))
    return joined(
        [
            f"**Stopped by a fault that is not in this repository.** {said}",
            f"{pull} {where}",
            again(story),
            _page(story),
            patch(story),
        ]
    )


def _cancelled(story: Story, ending: Ending) -> str:
    return joined(
        [
            f"**Cancelled.** {prose(ended(ending.sentence))}",
            cost(story),
            again(story),
            _page(story),
            attempts(story),
            patch(story),
        ]
    )


def _page(story: Story) -> str:
    return f"[The whole run]({story.live_url})" if story.live_url else ""


OUTCOMES: dict[Outcome, Callable[[Story, Ending], str]] = {
    Outcome.FIXED: _fixed,
    Outcome.NO_PROGRESS: _unfixed("**Not fixed: no progress.**"),
    Outcome.BUDGET: _unfixed("**Not fixed: out of budget.**"),
    Outcome.GAVE_UP: _unfixed("**Not fixed: {why}.**"),
    Outcome.UNRUNNABLE: _unrunnable,
}
STATES: dict[str, Callable[[Story, Ending], str]] = {
    "refused": _refused,
    "failed": _failed,
    "cancelled": _cancelled,
}
