"""What was measured, in one small table and a few sentences: targets, suite, controls, room."""

from collections.abc import Sequence

from app.report.markdown import code, listed, prose, table
from app.report.story import Story, changes
from app.report.words import count, duration, money
from sandbox.executor.model import Isolation
from sandbox.proof import Counts, Kind, Proof


def proof_table(proof: Proof) -> str:
    """Without and with the change, for the targets and for the whole suite."""
    rows = [
        [
            listed(proof.targets, 3),
            _repeats(proof, (Kind.BASE, Kind.NEGATIVE), "failed"),
            _repeats(proof, (Kind.FIXED,), "passed"),
        ],
        ["whole suite", _suite(proof.base), _suite(proof.fixed)],
    ]
    return table(["", "without the change", "with it"], rows)


def _repeats(proof: Proof, kinds: Sequence[Kind], expected: str) -> str:
    held = [proof.held(kind) for kind in kinds]
    agreeing, runs = sum(agreed for agreed, _ in held), sum(of for _, of in held)
    return f"{expected} {agreeing} of {count(runs, 'run')}" if runs else "not run"


def _suite(counts: Counts) -> str:
    words = [f"{counts.passed:,} passed"]
    words += [f"{counts.failed:,} failed"] if counts.failed else []
    words += [f"{counts.skipped:,} skipped"] if counts.skipped else []
    return ", ".join(words)


def controls(proof: Proof) -> str:
    """What the controls said; silent about those that were not run or did not hold."""
    said = {
        Kind.CONTROL: "With tests added that must fail, exactly those failed as well.",
        Kind.SHUFFLED: "The suite held in a random order, too.",
        Kind.NEGATIVE: "At the end, without the change, the targets failed again.",
    }
    return " ".join(words for kind, words in said.items() if _held(proof, kind))


def _held(proof: Proof, kind: Kind) -> bool:
    rows = [row for row in proof.rows if row.kind is kind]
    return bool(rows) and all(row.agrees for row in rows)


def cost(story: Story) -> str:
    """The ledger in one line; of a run that never came to an attempt only time and model."""
    parts = [duration(story.seconds), _model(story)]
    if story.ground:
        parts.append(f"ran in {room(story.ground.environment.isolation)}")
    return " · ".join((_edits(story) if story.worked else []) + parts)


def _edits(story: Story) -> list[str]:
    ledger = story.ledger
    trials = f" and {count(ledger.candidate_runs, 'trial run')}" if ledger.candidate_runs else ""
    return [
        f"{count(ledger.attempts, 'attempt')}, {count(ledger.applied, 'edit')} applied "
        f"({ledger.kept} kept, {ledger.reverted} reverted), {ledger.refused} refused",
        count(_test_runs(story), "test run") + trials,
    ]


def _test_runs(story: Story) -> int:
    return story.ledger.test_runs + (story.proof.test_runs if story.proof else 0)


def _model(story: Story) -> str:
    usage = story.ledger.usage
    if not usage.model_calls:
        return "no model was asked"
    spent = f", {money(usage.dollars)}" if usage.dollars is not None else ", price unknown"
    tokens = count(usage.tokens_in + usage.tokens_out, "token")
    return f"{count(usage.model_calls, 'model call')}, {tokens}{spent}"


def room(isolation: Isolation) -> str:
    """Where the tests ran, as the probe saw it; what it did not confirm is not claimed."""
    if isolation.proved:
        return f"{prose(isolation.detail)} (probed)"
    engine = prose(f"{isolation.executor} with {isolation.runtime}")
    return f"{engine} (**not confirmed by the probe**: {prose(isolation.detail)})"


def change_line(diff: str) -> str:
    """`a change to `x.py` (+2 −1)`, or the number of files where there are many."""
    parts = changes(diff)
    if not parts:
        return "a change"
    added, removed = sum(part.added for part in parts), sum(part.removed for part in parts)
    size = f"(+{added} −{removed})"
    if len(parts) <= 3:
        return f"a change to {listed([part.path for part in parts], 3)} {size}"
    return f"a change to {len(parts)} files {size}"


def commit(story: Story) -> str:
    """The base commit as code."""
    return code(story.base_sha[:7])
