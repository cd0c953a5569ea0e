"""The App's client of GitHub, in one place to import from."""

from app.github.app import AppClient
from app.github.errors import GitHubRefused, GitHubUnavailable
from app.github.installation import InstallationClient
from app.github.models import (
    AppIdentity,
    Author,
    CommentInfo,
    IssueInfo,
    PullInfo,
    RepoInfo,
)

__all__ = [
    "AppClient",
    "AppIdentity",
    "Author",
    "CommentInfo",
    "GitHubRefused",
    "GitHubUnavailable",
    "InstallationClient",
    "IssueInfo",
    "PullInfo",
    "RepoInfo",
]
