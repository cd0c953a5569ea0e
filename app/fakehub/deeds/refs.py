"""Move refs and tell what a push changed: push events, pull requests updated, merged, closed."""

import re

from app.fakehub.deeds.announce import announce
from app.fakehub.deeds.pulls import branch_moved
from app.fakehub.domain.accounts import User
from app.fakehub.domain.forge import Forge, Json
from app.fakehub.domain.git import NO_COMMIT, Commit, GitError
from app.fakehub.domain.records import Repository
from app.fakehub.errors import ApiError, missing_permission, unprocessable
from app.fakehub.render.gitdata import account_of
from app.fakehub.render.repositories import repository_page
from app.fakehub.workflow_guard import workflow_files

_PUSH_COMMITS = 20
_REF = re.compile(r"refs/(heads|tags)/.+")


def sync_refs(forge: Forge, repository: Repository, actor: User) -> None:
    """Compare the refs on disk with those last announced and announce the difference."""
    with forge.lock:
        before, after = repository.refs, repository.git.refs()
        repository.refs = after
        changed = [name for name in {**before, **after} if before.get(name) != after.get(name)]
        if changed:
            repository.pushed_at = forge.clock()
    for name in changed:
        old, new = before.get(name, NO_COMMIT), after.get(name, NO_COMMIT)
        _push_event(forge, repository, actor, name, old, new)
        if name.startswith("refs/heads/"):
            branch_moved(forge, repository, name.removeprefix("refs/heads/"), new, actor)


def create_ref(forge: Forge, repository: Repository, name: str, sha: str, actor: User) -> None:
    """A new branch or tag; 422 when it exists, is misnamed or has no such object."""
    if not _REF.fullmatch(name):
        raise unprocessable("Reference name must start with 'refs/' and have two slashes.")
    if repository.git.kind_of(sha) is None:
        raise unprocessable("Object does not exist")
    if name in repository.git.refs():
        raise unprocessable("Reference already exists")
    _set(repository, name, sha, NO_COMMIT)
    sync_refs(forge, repository, actor)


def update_ref(
    forge: Forge, repository: Repository, name: str, sha: str, *, force: bool, actor: User
) -> None:
    """Move a ref; 422 when it is missing, not a commit, or not a fast forward without force."""
    old = repository.git.refs().get(name)
    if old is None:
        raise unprocessable("Reference does not exist")
    if repository.git.kind_of(sha) is None:
        raise unprocessable("Object does not exist")
    if not force and not repository.git.is_ancestor(old, sha):
        raise unprocessable("Update is not a fast forward")
    _set(repository, name, sha, old)
    sync_refs(forge, repository, actor)


def delete_ref(forge: Forge, repository: Repository, name: str, actor: User) -> None:
    """Remove a ref; 422 when it is missing or the default branch."""
    if name not in repository.git.refs():
        raise unprocessable("Reference does not exist")
    if name == f"refs/heads/{repository.default_branch}":
        raise unprocessable("Cannot delete the default branch")
    repository.git.delete_ref(name)
    sync_refs(forge, repository, actor)


def refuse_workflows(repository: Repository, sha: str) -> None:
    """403 when the commits of `sha` touch workflow files; for callers without that permission."""
    if repository.git.kind_of(sha) == "commit" and workflow_files(repository.git.run, sha):
        raise missing_permission("contents=write,workflows=write")


def _set(repository: Repository, name: str, new: str, old: str) -> None:
    try:
        repository.git.run("check-ref-format", name)
        repository.git.set_ref(name, new, old)
    except GitError as error:
        raise ApiError(422, "Reference update failed") from error


def _push_event(
    forge: Forge, repository: Repository, actor: User, name: str, old: str, new: str
) -> None:
    commits = _new_commits(repository, old, new)
    shown = [_commit_json(forge, repository, one) for one in reversed(commits)]
    email = f"{actor.login}@users.noreply.github.com"
    payload = {
        "ref": name,
        "before": old,
        "after": new,
        "base_ref": None,
        "created": old == NO_COMMIT,
        "deleted": new == NO_COMMIT,
        "forced": NO_COMMIT not in (old, new) and not repository.git.is_ancestor(old, new),
        "compare": f"{repository_page(forge, repository)}/compare/{old[:12]}...{new[:12]}",
        "pusher": {"name": actor.login, "email": email},
        "commits": shown,
        "head_commit": shown[-1] if shown else None,
    }
    announce(forge, repository, actor, "push", payload)


def _new_commits(repository: Repository, old: str, new: str) -> list[Commit]:
    if new == NO_COMMIT or repository.git.resolve(new) is None:
        return []
    if old == NO_COMMIT or repository.git.resolve(old) is None:
        return repository.git.commits("-1", new)
    return repository.git.commits(f"-{_PUSH_COMMITS}", f"{old}..{new}")


def _commit_json(forge: Forge, repository: Repository, commit: Commit) -> Json:
    author = account_of(forge, commit.author)
    person = {"name": commit.author.name, "email": commit.author.email}
    if author is not None:
        person["username"] = author.login
    return {
        "id": commit.sha,
        "tree_id": commit.tree,
        "distinct": True,
        "message": commit.message,
        "timestamp": commit.committer.date,
        "url": f"{repository_page(forge, repository)}/commit/{commit.sha}",
        "author": person,
        "committer": {"name": commit.committer.name, "email": commit.committer.email},
        "added": [],
        "removed": [],
        "modified": [],
    }
