"""Read-only views of the local GitHub for tests and the demo."""

from dataclasses import dataclass

from app.fakehub.domain.forge import Forge
from app.fakehub.domain.records import Comment, Repository, pull_of
from app.fakehub.envelope import RequestLog
from app.fakehub.hooks import Deliveries
from app.fakehub.routes.pulls import pull_changes


@dataclass(frozen=True)
class CommentView:
    """A comment; `edits` tells whether it was changed after it was written."""

    id: int
    author: str
    body: str
    created_at: float
    updated_at: float
    reactions: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class PullView:
    """A pull request; `head` and `base` are branch names."""

    number: int
    state: str
    draft: bool
    merged: bool
    title: str
    body: str
    author: str
    head: str
    base: str
    head_sha: str
    base_sha: str


@dataclass(frozen=True)
class CheckView:
    """A check run on a commit."""

    id: int
    name: str
    head_sha: str
    status: str
    conclusion: str | None
    title: str | None
    summary: str | None
    text: str | None
    annotations: int


@dataclass(frozen=True)
class DeliveryView:
    """One attempt to deliver a webhook; `status` is OK for a 2xx answer."""

    id: int
    guid: str
    event: str
    action: str | None
    redelivery: bool
    status: str
    status_code: int
    body: bytes
    headers: dict[str, str]
    response: str


class Glance:
    """What can be looked at without asking the API."""

    def __init__(self, forge: Forge, deliveries: Deliveries, log: RequestLog) -> None:
        self._state, self._sent, self._requests = forge, deliveries, log

    def issue_comments(self, owner: str, name: str, number: int) -> list[CommentView]:
        """The comments on an issue or pull request, oldest first."""
        return [_comment(one) for one in list(self._state.issue(owner, name, number).comments)]

    def issue_labels(self, owner: str, name: str, number: int) -> list[str]:
        """The names of an issue's labels."""
        return [one.name for one in list(self._state.issue(owner, name, number).labels)]

    def issue_state(self, owner: str, name: str, number: int) -> str:
        """open or closed."""
        return self._state.issue(owner, name, number).state

    def reactions(self, owner: str, name: str, number: int) -> list[tuple[str, str]]:
        """(login, content) of each reaction on an issue itself."""
        rows = list(self._state.issue(owner, name, number).reactions)
        return [(one.user.login, one.content) for one in rows]

    def pulls(self, owner: str, name: str) -> list[PullView]:
        """All pull requests, open or not, oldest first."""
        repository = self._state.repository(owner, name)
        return [
            _pull(repository, one)
            for one in list(repository.issues)
            if repository.issues[one].pull is not None
        ]

    def pull_files(self, owner: str, name: str, number: int) -> list[str]:
        """The paths that a pull request changes."""
        issue = self._state.issue(owner, name, number)
        return [one.path for one in pull_changes(self._state.repository(owner, name), issue)]

    def branches(self, owner: str, name: str) -> dict[str, str]:
        """The sha of each branch."""
        refs = self._state.repository(owner, name).git.refs("refs/heads/")
        return {ref.removeprefix("refs/heads/"): sha for ref, sha in refs.items()}

    def file(self, owner: str, name: str, revision: str, path: str) -> bytes:
        """The content of a file at a branch or commit; LookupError when it is not there."""
        git = self._state.repository(owner, name).git
        sha = git.resolve(revision)
        if sha is None:
            message = f"{owner}/{name} has no {revision!r}"
            raise LookupError(message)
        found = [one for one in git.tree(sha, path.rpartition("/")[0]) if one.path == path]
        if not found:
            message = f"{owner}/{name} has no file {path!r} at {revision!r}"
            raise LookupError(message)
        return git.blob(found[0].sha)

    def check_runs(self, owner: str, name: str) -> list[CheckView]:
        """All check runs, oldest first."""
        return [
            CheckView(
                one.id, one.name, one.head_sha, one.status, one.conclusion,
                one.title, one.summary, one.text, len(one.annotations),
            )
            for one in list(self._state.repository(owner, name).checks.values())
        ]  # fmt: skip

    def deliveries(self, app_id: int) -> list[DeliveryView]:
        """The webhook deliveries of an App, oldest first."""
        return [
            DeliveryView(
                one.id, one.guid, one.event, one.action, one.redelivery, one.status,
                one.status_code, one.body, dict(one.request_headers), one.response_body,
            )
            for one in reversed(self._sent.of(app_id))
        ]  # fmt: skip

    def requests(self) -> list[tuple[str, str, int]]:
        """(method, path, status) of every request answered so far, API, git and pages."""
        return self._requests.copy()


def _comment(comment: Comment) -> CommentView:
    reactions = tuple((one.user.login, one.content) for one in list(comment.reactions))
    return CommentView(
        comment.id, comment.user.login, comment.body,
        comment.created_at, comment.updated_at, reactions,
    )  # fmt: skip


def _pull(repository: Repository, number: int) -> PullView:
    issue = repository.issues[number]
    pull = pull_of(issue)
    return PullView(
        number, issue.state, pull.draft, pull.merged_at is not None, issue.title,
        issue.body or "", issue.user.login, pull.head_ref, pull.base_ref,
        pull.head_sha, pull.base_sha,
    )  # fmt: skip
