"""The comment while a run goes on: where it stands, one line for each stage."""

from collections.abc import Sequence
from dataclasses import dataclass

from app.report.details import earlier
from app.report.evidence import commit
from app.report.markdown import joined, mention, prose, table
from app.report.story import Story

SHOWN = 12


@dataclass(frozen=True, slots=True)
class StageLine:
    """What a stage said; `stage` is `baseline`, `attempt 2` and the like."""

    stage: str
    text: str


def working(story: Story, said: Sequence[StageLine]) -> str:
    """The status comment of a run that is under way."""
    at = f" at {commit(story)}" if story.base_sha else ""
    link = f" [Live page]({story.live_url})." if story.live_url else ""
    opening = f"**Working on this**{at}, asked by {mention(story.asked_by)}.{link}"
    return joined([opening, _stages(said), earlier(story)])


def _stages(said: Sequence[StageLine]) -> str:
    lines = newest(said)
    left_out = len(lines) - SHOWN
    rows = [[prose(line.stage, 40), prose(line.text, 240)] for line in lines[-SHOWN:]]
    if left_out > 0:
        rows.insert(0, ["earlier", f"{left_out} lines, on the live page"])
    return table(["stage", ""], rows) if rows else ""


def newest(said: Sequence[StageLine]) -> list[StageLine]:
    """The last word of each stage, in the order in which the stages began."""
    return list({line.stage: line for line in said}.values())
