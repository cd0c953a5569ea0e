"""The first sign of life on the issue: a reaction and the status comment."""

from app.report.story import Ending
from app.runs.marker import marker
from app.runs.pulse import status_body
from app.runs.run import Run


def acknowledge(run: Run) -> Ending | None:
    """Both are found again rather than made twice."""
    run.github.react(*run.where)
    comment = run.github.upsert_comment(*run.where, marker(run.where), status_body(run))
    run.services.store.update(run.run_id, comment_id=comment.id)
    run.say("accepted", f"asked by {run.row.sender}", comment=comment.html_url)
    return None
