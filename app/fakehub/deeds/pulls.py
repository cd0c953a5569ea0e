"""Open and edit pull requests, and follow what happens to their branches."""

import re
from collections.abc import Mapping
from typing import Any

from app.fakehub.deeds.announce import announce
from app.fakehub.deeds.issues import check_issue_texts, edit_texts, next_number, note, set_state
from app.fakehub.deeds.issues import tell_issue as tell_plain_issue
from app.fakehub.domain.accounts import App, User
from app.fakehub.domain.forge import Forge, Json
from app.fakehub.domain.git import NO_COMMIT
from app.fakehub.domain.records import Issue, Pull, Repository, pull_of
from app.fakehub.errors import invalid, not_found
from app.fakehub.render.pulls import pull_json

_CLOSES = re.compile(r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)", re.IGNORECASE)


def branch_of(repository: Repository, text: str, field: str) -> tuple[str, str]:
    """The branch that `head` or `base` names and its commit; 422 when it is not there.

    `owner:branch` is understood for the repository's own owner; forks are not served.
    """
    owner, _, name = text.rpartition(":")
    elsewhere = owner and owner.lower() != repository.owner.login.lower()
    sha = None if elsewhere else repository.git.refs().get(f"refs/heads/{name}")
    if sha is None:
        raise invalid("PullRequest", "invalid", field=field)
    return name, sha


def open_pulls(repository: Repository, head_ref: str) -> list[Issue]:
    """The open pull requests from a branch."""
    return [
        one
        for one in list(repository.issues.values())
        if one.pull is not None and one.state == "open" and one.pull.head_ref == head_ref
    ]


def open_pull(
    forge: Forge, repository: Repository, given: Mapping[str, Any], author: User, app: App | None
) -> Issue:
    """A new pull request; 422 for a missing branch, no difference or one that is open already."""
    check_issue_texts(given["title"], given.get("body"), "PullRequest")
    head, head_sha = branch_of(repository, given["head"], "head")
    base, base_sha = branch_of(repository, given["base"], "base")
    with forge.lock:
        _check_new(repository, (head, head_sha), (base, base_sha))
        now, number = forge.clock(), next_number(repository)
        draft, modify = bool(given.get("draft")), bool(given.get("maintainer_can_modify", True))
        pull = Pull(
            forge.next_id(), head, base, head_sha, base_sha,
            draft=draft, maintainer_can_modify=modify,
        )  # fmt: skip
        issue = Issue(
            forge.next_id(), number, given["title"], given.get("body"), author, now, now, app, pull
        )
        repository.issues[number] = issue
        repository.git.set_ref(f"refs/pull/{number}/head", head_sha)
    tell_pull(forge, repository, issue, "opened", author)
    return issue


def _check_new(repository: Repository, head: tuple[str, str], base: tuple[str, str]) -> None:
    if any(pull_of(one).base_ref == base[0] for one in open_pulls(repository, head[0])):
        text = f"A pull request already exists for {repository.owner.login}:{head[0]}."
        raise invalid("PullRequest", "custom", message=text)
    if repository.git.is_ancestor(head[1], base[1]):
        text = f"No commits between {base[0]} and {head[0]}"
        raise invalid("PullRequest", "custom", message=text)


def find_pull(repository: Repository, number: int) -> Issue:
    """A pull request by number; 404 otherwise."""
    issue = repository.issues.get(number)
    if issue is None or issue.pull is None:
        raise not_found()
    return issue


def edit_pull(
    forge: Forge, repository: Repository, issue: Issue, given: Mapping[str, Any], actor: User
) -> None:
    """Apply the fields of a pull request update that were given: title, body, state, base."""
    check_issue_texts(given.get("title"), given.get("body"), "PullRequest")
    pull = pull_of(issue)
    changes = edit_texts(forge, issue, given, actor)
    if given.get("base") and given["base"] != pull.base_ref:
        changes["base"] = {"ref": {"from": pull.base_ref}, "sha": {"from": pull.base_sha}}
        pull.base_ref, pull.base_sha = branch_of(repository, given["base"], "base")
    if changes:
        tell_pull(forge, repository, issue, "edited", actor, {"changes": changes})
    if given.get("state") and given["state"] != issue.state:
        _change_state(forge, repository, issue, given["state"], actor)


def _change_state(
    forge: Forge, repository: Repository, issue: Issue, state: str, actor: User
) -> None:
    pull = pull_of(issue)
    if state == "open":
        text = "state cannot be changed. The pull request cannot be reopened."
        branch_there = f"refs/heads/{pull.head_ref}" in repository.git.refs()
        if pull.merged_at is not None or not branch_there:
            raise invalid("PullRequest", "custom", field="state", message=text)
    set_state(forge, issue, state, None, actor)
    tell_pull(forge, repository, issue, "closed" if state == "closed" else "reopened", actor)


def branch_moved(forge: Forge, repository: Repository, branch: str, new: str, actor: User) -> None:
    """Follow a branch: update or close the pull requests from it, merge those it now contains."""
    for issue in open_pulls(repository, branch):
        if new == NO_COMMIT:
            set_state(forge, issue, "closed", None, actor)
            tell_pull(forge, repository, issue, "closed", actor)
        elif pull_of(issue).head_sha != new:
            _new_head(forge, repository, issue, new, actor)
    if new != NO_COMMIT:
        for issue in list(repository.issues.values()):
            _merged_by_push(forge, repository, issue, branch, new, actor)


def _new_head(forge: Forge, repository: Repository, issue: Issue, new: str, actor: User) -> None:
    pull = pull_of(issue)
    with forge.lock:
        before, pull.head_sha = pull.head_sha, new
        issue.updated_at = forge.clock()
        repository.git.set_ref(f"refs/pull/{issue.number}/head", new)
    more = {"before": before, "after": new}
    tell_pull(forge, repository, issue, "synchronize", actor, more)


def _merged_by_push(
    forge: Forge, repository: Repository, issue: Issue, branch: str, new: str, actor: User
) -> None:
    pull = issue.pull
    if pull is None or issue.state != "open" or pull.base_ref != branch:
        return
    if not repository.git.is_ancestor(pull.head_sha, new):
        return
    with forge.lock:
        pull.merged_at, pull.merged_by, pull.merge_commit_sha = forge.clock(), actor, new
        note(forge, issue, "merged", actor)
        set_state(forge, issue, "closed", None, actor)
    tell_pull(forge, repository, issue, "closed", actor)
    if branch == repository.default_branch:
        _close_named(forge, repository, issue, actor)


def _close_named(forge: Forge, repository: Repository, issue: Issue, actor: User) -> None:
    for number in map(int, _CLOSES.findall(issue.body or "")):
        named = repository.issues.get(number)
        if named is not None and named.pull is None and named.state == "open":
            set_state(forge, named, "closed", "completed", actor)
            tell_plain_issue(forge, repository, named, "closed", actor)


def tell_pull(
    forge: Forge,
    repository: Repository,
    issue: Issue,
    action: str,
    actor: User,
    more: Json | None = None,
) -> None:
    """Announce a `pull_request` event."""
    shown = pull_json(forge, repository, issue)
    payload = {"action": action, "number": issue.number, "pull_request": shown, **(more or {})}
    announce(forge, repository, actor, "pull_request", payload)
