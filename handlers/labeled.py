"""A label put on an issue: a start when it is the trigger label and the App is installed."""

from handlers.intents import StartRun
from handlers.payloads import IssueLabeled

TITLE_CHARS = 256
"""What GitHub allows in a title."""


def start_run(event: IssueLabeled, trigger_label: str) -> StartRun | None:
    """None when another label was put, or when the event is not ours: no installation."""
    # GitHub holds `Bug` and `bug` for one label.
    if event.label.name.casefold() != trigger_label.casefold() or event.installation is None:
        return None
    return StartRun(
        installation_id=event.installation.id,
        owner=event.repository.owner.login,
        repo=event.repository.name,
        issue=event.issue.number,
        title=event.issue.title[:TITLE_CHARS],
        sender=event.sender.login,
        sender_type=event.sender.type,
        label=event.label.name,
    )
