"""What a webhook event asks of the App, free of anything the wire looks like."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StartRun:
    """Somebody put the trigger label on an issue of a repository that the App is installed on.

    `sender` put the label; `sender_type` is GitHub's word for that account (User, Bot,
    Organization). Whether the sender may ask is not decided here: that needs GitHub.
    """

    installation_id: int
    owner: str
    repo: str
    issue: int
    title: str
    sender: str
    sender_type: str
    label: str
