"""The check run that carries the proof."""

from dataclasses import dataclass
from typing import Literal

from app.report.details import how_to_check
from app.report.evidence import controls, proof_table
from app.report.markdown import ELLIPSIS, joined, listed, prose, table
from app.report.pull import measured, not_checked, warnings
from app.report.story import Story
from app.report.words import count, duration
from sandbox.outcome import Verdict
from sandbox.proof import Kind, Proof

NAME = "Patchwright proof"
TITLE_LIMIT = 255
SHOWN_RUNS = 40
KINDS = {
    Kind.BASE: "base",
    Kind.FIXED: "with the change",
    Kind.CONTROL: "with the change and tests that must fail",
    Kind.SHUFFLED: "with the change, in random order",
    Kind.NEGATIVE: "base again, at the end",
}


@dataclass(frozen=True, slots=True)
class CheckText:
    """The fields of a check run; GitHub takes 255 characters of title, 65,535 of the others."""

    conclusion: Literal["success", "neutral"]
    title: str
    summary: str
    text: str


def check_text(story: Story, proof: Proof) -> CheckText:
    """Green for a proof without reservation, neutral for one that a person has to look at."""
    proved = proof.verdict is Verdict.PROVED
    targets = count(len(proof.targets), "test")
    title = f"{'Proved' if proved else 'Needs review'}: {targets} mended, no passing test lost"
    summary = [warnings(proof), proof_table(proof), controls(proof), measured(proof)]
    text = [
        "**Every run**",
        _runs(proof),
        f"**Not checked:** {not_checked(story)}.",
        how_to_check(story),
    ]
    conclusion: Literal["success", "neutral"] = "success" if proved else "neutral"
    return CheckText(conclusion, title[:TITLE_LIMIT], joined(summary), joined(text))


def _runs(proof: Proof) -> str:
    rows = [
        [
            KINDS[row.kind],
            prose(row.tests),
            prose(row.summary, 200)
            + (f": {listed(sorted(row.failing), 2)}" if row.failing else ""),
            "as expected" if row.agrees else "**not as expected**",
            duration(row.seconds),
        ]
        for row in proof.rows[:SHOWN_RUNS]
    ]
    if len(proof.rows) > SHOWN_RUNS:
        rows.append([f"{len(proof.rows) - SHOWN_RUNS} more", ELLIPSIS, "", "", ""])
    return table(["run", "tests", "result", "", "time"], rows)
