"""Whether the one who put the label may have a run at all, looked up at that moment."""

from app.report.story import Ending
from app.runs.rows import RunState
from app.runs.run import Run

RANKS = ("none", "read", "triage", "write", "maintain", "admin")


def permit(run: Run) -> Ending | None:
    """Refuse bots, this one included, and people with less than the required permission.

    GitHub lets the triage role label issues, and an event says nothing of its sender's rights.
    """
    run.services.store.update(run.run_id, state=RunState.RUNNING)
    row = run.row
    if row.sender_type != "User" or row.sender.endswith("[bot]"):
        return Ending("refused", "bot", "The label was put by an account that is not a person's.")
    required = run.services.settings.required_permission
    held = run.github.permission(row.owner, row.repo, row.sender)
    if rank(held) >= rank(required):
        return None
    return Ending("refused", "permission", _sentence(held, required))


def rank(permission: str) -> int:
    """How much a permission allows; unknown words allow nothing."""
    return RANKS.index(permission) if permission in RANKS else 0


def _sentence(held: str, required: str) -> str:
    has = f"has {held}" if rank(held) else "has none"
    return (
        f"Starting a run takes {required} permission on this repository, and that account {has}. "
        f"Somebody with {required} permission can put the label."
    )
