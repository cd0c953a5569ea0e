"""What the App does on GitHub as one of its installations; every effect is find-or-create."""

from collections.abc import Callable
from typing import Any, Literal
from urllib.parse import quote

from githubkit import GitHub
from pydantic import SecretStr

from app.github import comments, publishing
from app.github.errors import GitHubRefused, translated
from app.github.models import (
    AppIdentity,
    Author,
    CommentInfo,
    IssueInfo,
    PullInfo,
    Ref,
    RepoInfo,
    Role,
    UserInfo,
)
from app.github.publishing import Conclusion
from app.github.tokens import Tokens

Reaction = Literal["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"]
ROLES = frozenset({"admin", "maintain", "write", "triage", "read", "none"})


class InstallationClient:
    """Synchronous and safe to use from any thread.

    Every method raises `GitHubRefused` when GitHub says no for good, `GitHubUnavailable` when it
    may say yes later.
    """

    def __init__(
        self, github: GitHub[Any], tokens: Tokens, identity: Callable[[], AppIdentity]
    ) -> None:
        self._github = github
        self._tokens = tokens
        self._identity = identity

    def permission(self, owner: str, repo: str, login: str) -> str:
        """The role of a person: admin, maintain, write, triage, read or none.

        A role of the organization's own making counts as the plain one that it is built on.
        """
        ask = self._github.rest.repos.get_collaborator_permission_level
        try:
            with translated():
                role = Role.model_validate(ask(owner, repo, quote(login, safe="")).json())
        except GitHubRefused as refused:
            if refused.status == 404:
                return "none"
            raise
        return role.role_name if role.role_name in ROLES else role.permission

    def issue(self, owner: str, repo: str, number: int) -> IssueInfo:
        """An issue as it is now."""
        with translated():
            answer = self._github.rest.issues.get(owner, repo, number)
            return IssueInfo.model_validate(answer.json())

    def repository(self, owner: str, repo: str) -> RepoInfo:
        """A repository as it is now, under today's name when it was renamed."""
        with translated():
            return RepoInfo.model_validate(self._github.rest.repos.get(owner, repo).json())

    def head(self, owner: str, repo: str, branch: str) -> str:
        """The commit that a branch points at."""
        with translated():
            ref = f"heads/{quote(branch, safe='/')}"
            return Ref.model_validate(self._github.rest.git.get_ref(owner, repo, ref).json()).sha

    def react(self, owner: str, repo: str, number: int, content: Reaction = "eyes") -> None:
        """Put a reaction on an issue; GitHub keeps one of a kind for each account."""
        with translated():
            self._github.rest.reactions.create_for_issue(owner, repo, number, content=content)

    def upsert_comment(
        self, owner: str, repo: str, number: int, marker: str, body: str
    ) -> CommentInfo:
        """The App's one comment with `marker` on an issue: made, or edited where it differs.

        `marker` is put first when `body` lacks it. A comment that somebody else wrote is never
        taken for the App's, whatever it holds.
        """
        login = self._identity().login
        with translated():
            return comments.upsert(self._github, (owner, repo, number), login, marker, body)

    def git_token(self, owner: str, repo: str, *, write: bool) -> SecretStr:  # noqa: ARG002 - an installation has one owner
        """A new token for git alone: one repository, its contents, read or write."""
        contents = "write" if write else "read"
        return self._tokens.mint(repo, {"contents": contents}).token

    def find_pull(self, owner: str, repo: str, head_branch: str) -> PullInfo | None:
        """The pull request from a branch of this repository: the open one, else the newest."""
        with translated():
            return publishing.find_pull(self._github, owner, repo, head_branch)

    def open_pull(
        self,
        owner: str,
        repo: str,
        *,
        head: str,
        base: str,
        title: str,
        body: str,
        draft: bool = True,
    ) -> PullInfo:
        """The pull request from `head`: adopted when there is one, else opened.

        A closed one is adopted only when its text is this one: then this very run opened it.
        Where a repository takes no drafts it is opened as a plain one.
        """
        wanted = publishing.WantedPull(head, base, title, body, draft)
        return publishing.open_pull(self._github, owner, repo, wanted)

    def check_run(  # noqa: PLR0913 - a check run has this many parts
        self,
        owner: str,
        repo: str,
        sha: str,
        name: str,
        *,
        conclusion: Conclusion,
        title: str,
        summary: str,
        text: str = "",
    ) -> int:
        """The id of the App's check run of this name on a commit, made or brought up to date."""
        output = publishing.output(title, summary, text)
        app_id = self._identity().id
        with translated():
            return publishing.check_run(
                self._github, (owner, repo, sha), app_id, name, conclusion, output
            )

    def add_label(self, owner: str, repo: str, number: int, label: str) -> None:
        """Put a label on an issue; one that is there stays."""
        with translated():
            self._github.rest.issues.add_labels(owner, repo, number, data={"labels": [label]})

    def remove_label(self, owner: str, repo: str, number: int, label: str) -> None:
        """Take a label off an issue; one that is not there is no error."""
        try:
            with translated():
                self._github.rest.issues.remove_label(owner, repo, number, quote(label, safe=""))
        except GitHubRefused as refused:
            if refused.status != 404:
                raise

    def committer(self) -> Author:
        """The App's own account as the author of commits, in the form that GitHub links to it."""
        login = self._identity().login
        ask = self._github.rest.users.get_by_username
        try:
            with translated():
                number = UserInfo.model_validate(ask(quote(login, safe="")).json()).id
        except GitHubRefused as refused:
            if refused.status != 404:
                raise
            return Author(name=login, email=f"{login}@users.noreply.github.com")
        return Author(name=login, email=f"{number}+{login}@users.noreply.github.com")
