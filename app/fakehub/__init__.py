"""A local GitHub: REST API, git over HTTP, signed webhooks and pages, for tests and the demo."""

from app.fakehub.domain.accounts import AppCredentials
from app.fakehub.envelope import Exchange
from app.fakehub.faults import Fault
from app.fakehub.glance import CheckView, CommentView, DeliveryView, PullView
from app.fakehub.hub import FakeHub

__all__ = [
    "AppCredentials",
    "CheckView",
    "CommentView",
    "DeliveryView",
    "Exchange",
    "FakeHub",
    "Fault",
    "PullView",
]
