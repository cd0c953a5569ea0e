"""Merge a pull request on the server."""

from app.fakehub.deeds.refs import sync_refs
from app.fakehub.domain.accounts import User
from app.fakehub.domain.forge import Forge
from app.fakehub.domain.git import GitError
from app.fakehub.domain.records import Issue, Repository, pull_of
from app.fakehub.errors import ApiError


def merge_pull(
    forge: Forge, repository: Repository, issue: Issue, expected: str | None, actor: User
) -> str:
    """Merge with a merge commit and return its sha; 405 for a draft, a closed one, a conflict."""
    pull, git = pull_of(issue), repository.git
    if issue.state != "open" or pull.draft:
        text = "Pull Request is still a draft" if pull.draft else "Pull Request is not mergeable"
        raise ApiError(405, text)
    if expected is not None and expected != pull.head_sha:
        raise ApiError(409, "Head branch was modified. Review and try the merge again.")
    base = git.refs()[f"refs/heads/{pull.base_ref}"]
    try:
        tree = git.text("merge-tree", "--write-tree", base, pull.head_sha)
    except GitError:
        raise ApiError(405, "Pull Request is not mergeable") from None
    owner, signature = repository.owner.login, forge.signature(actor)
    message = f"Merge pull request #{issue.number} from {owner}/{pull.head_ref}\n\n{issue.title}"
    sha = git.write_commit(tree, (base, pull.head_sha), message, signature, signature)
    git.set_ref(f"refs/heads/{pull.base_ref}", sha, base)
    sync_refs(forge, repository, actor)
    return sha
