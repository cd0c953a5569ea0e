"""The folded parts of a comment: attempts, patch, output, and how a person checks or retries."""

import shlex

from app.report.markdown import code, fence, fold, head, joined, listed, prose, tail
from app.report.story import Ending, Story
from app.report.words import count, sha
from sandbox.outcome import Verdict
from sandbox.proposer import Tried

SHOWN_ATTEMPTS = 10
FATES = {
    "kept": "applied and kept",
    "reverted": "applied and reverted",
    "refused": "refused, not run",
}


def attempts(story: Story) -> str:
    """What was tried, newest last, each with what became of it."""
    tried = story.worked.tried if story.worked else ()
    if not tried:
        return ""
    left_out = len(tried) - SHOWN_ATTEMPTS
    first = max(0, left_out)
    lines = [_attempt(number, one) for number, one in enumerate(tried[first:], first + 1)]
    if left_out > 0:
        lines.insert(0, f"- {count(left_out, 'earlier attempt')} not shown")
    return fold("Attempts", "\n".join(lines))


def _attempt(number: int, tried: Tried) -> str:
    said = FATES.get(tried.fate, prose(tried.fate, 40))
    if tried.refusal:
        paths = f" ({listed(tried.refusal.paths, 3)})" if tried.refusal.paths else ""
        return f"{number}. {said}: {prose(tried.refusal.message, 300)}{paths}"
    if tried.run is None:
        return f"{number}. {said}"
    return f"{number}. {said}: {prose(tried.run.summary(), 300)}{_still(tried)}"


def _still(tried: Tried) -> str:
    failing = sorted(tried.run.failing) if tried.run else []
    return f": {listed(failing, 3)}" if failing else ""


def patch(story: Story) -> str:
    """The best diff of a run that opened no pull request, so that no work is lost."""
    if not story.diff or story.pull_number:
        return ""
    proved = story.proof is not None and story.proof.verdict is not Verdict.NOT_PROVED
    title = "The change that was proved" if proved else "The best state so far, not proved"
    return fold(title, fence(head(story.diff), "diff"))


def output_tail(ending: Ending) -> str:
    """The end of what the runner said."""
    return fold("The last lines of the output", fence(tail(ending.tail))) if ending.tail else ""


def again(story: Story) -> str:
    """How a person has it tried again."""
    return f"To try again, take the label {code(story.label, 60)} off this issue and put it back."


def earlier(story: Story) -> str:
    """What the run before this one came to: its words stood where these stand now."""
    before = story.earlier
    if before is None:
        return ""
    pull = f" with #{before.pull_number}" if before.pull_number else ""
    return f"An earlier run on this issue ended as {code(before.outcome)}{pull}."


def how_to_check(story: Story) -> str:
    """Commands that repeat the proof on another machine."""
    proof = story.proof
    if proof is None or not story.branch:
        return ""
    targets = "".join(f" \\\n  --target {shlex.quote(t)}" for t in proof.targets[:10])
    base = sha(story.base_sha)
    commands = (
        f"git fetch origin {shlex.quote(story.branch)}\n"
        f"git switch --detach {base}\n"
        f"git diff {base} FETCH_HEAD > fix.diff\n"
        f"patchwright verify . --diff fix.diff{targets}"
    )
    room = f"Image {code(proof.image)}, id {code(proof.image_id, 80)}."
    ran = f"The tests were started with {code(_command(proof.command), 300)}. {room}"
    return fold("How to check this yourself", joined([fence(commands, "sh"), ran]))


def _command(command: object) -> str:
    if isinstance(command, str):
        return command
    return shlex.join(str(word) for word in command) if isinstance(command, tuple | list) else ""
