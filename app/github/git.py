"""Clone one commit without leaving a trace of how, and push one commit that can be made again."""

import shutil
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from pydantic import SecretStr

from app.github.errors import GitHubRefused
from app.github.gitcommand import Access, Git
from app.github.gitrefusals import GitFailed, PatchDoesNotApply
from app.github.gitremote import Remote
from app.github.models import Author

__all__ = ["GitFailed", "NewCommit", "PatchDoesNotApply", "Pushed", "clone", "push_branch"]


@dataclass(frozen=True, slots=True)
class NewCommit:
    """One commit to be: `diff` on `base_sha`. The same values make the same sha.

    `when` is in seconds since the epoch; without it the commit carries its parent's date.
    """

    base_sha: str
    diff: str
    message: str
    author: Author
    when: int | None = None


@dataclass(frozen=True, slots=True)
class Pushed:
    """Where the commit is. `adopted` when the branch was there already with this very tree."""

    branch: str
    sha: str
    adopted: bool


def clone(url: str, ref: str, token: SecretStr | None, into: Path) -> str:
    """Put the files of one commit into `into` and return its sha.

    `ref` is a full sha or a branch. What is left is a plain tree: no `.git`, no remote, no token;
    large files of LFS stay pointers and submodules stay empty. `into` is emptied first, so that a
    killed clone can be repeated. Raises `GitHubRefused`, `GitHubUnavailable`, `GitFailed`; then
    `into` is gone.
    """
    if into.exists():
        shutil.rmtree(into)
    into.mkdir(parents=True)
    try:
        sha = _fetched(Remote(into, Access(url, token)), ref)
        Git(into).run("checkout", "--quiet", "--detach", sha)
        shutil.rmtree(into / ".git")
    except BaseException:
        shutil.rmtree(into, ignore_errors=True)
        raise
    return sha


def push_branch(
    url: str, token: SecretStr, commit: NewCommit, branch: str, otherwise: str
) -> Pushed:
    """Find or create a branch with exactly this one commit on its base.

    `branch` is used when it is free or holds the same tree on the same base; when somebody or an
    earlier run has put anything else there it is left alone and `otherwise` is used. Nothing is
    ever overwritten. Raises as `clone` does, `PatchDoesNotApply` when the diff does not fit.
    """
    with TemporaryDirectory(prefix="patchwright-push-") as name:
        remote = Remote(Path(name), Access(url, token))
        _fetched(remote, commit.base_sha)
        sha = _commit(remote.directory, commit)
        for candidate in (branch, otherwise):
            if remote.look(candidate) is None and remote.create(candidate, sha):
                return Pushed(candidate, sha, adopted=False)
            there = remote.look(candidate)
            if there is not None and (there == sha or _same_work(remote, there, sha)):
                return Pushed(candidate, there, adopted=True)
    raise GitHubRefused(
        f"The branches `{branch}` and `{otherwise}` hold something else: delete one of them and "
        "put the label again."
    )


def _fetched(remote: Remote, ref: str) -> str:
    Git(remote.directory).run("init", "--quiet", "--template=")
    return remote.fetch(ref)


def _commit(place: Path, commit: NewCommit) -> str:
    """The sha of the commit, made in the repository at `place`."""
    git = Git(place)
    git.run("checkout", "--quiet", "--detach", commit.base_sha)
    diff = commit.diff.encode("utf-8", "surrogateescape")
    git.run("apply", "--index", "--whitespace=nowarn", "-", given=diff)
    tree = git.run("write-tree")
    if tree == git.run("rev-parse", f"{commit.base_sha}^{{tree}}"):
        raise PatchDoesNotApply("the diff changes nothing")
    when = commit.when or int(git.run("show", "--no-patch", "--format=%ct", commit.base_sha))
    dated = Git(place, extra=_identity(commit.author, when))
    return dated.run("commit-tree", tree, "-p", commit.base_sha, given=commit.message.encode())


def _identity(author: Author, when: int) -> dict[str, str]:
    parts = {"NAME": author.name, "EMAIL": author.email, "DATE": f"{when} +0000"}
    return {
        f"GIT_{role}_{part}": value
        for role in ("AUTHOR", "COMMITTER")
        for part, value in parts.items()
    }


def _same_work(remote: Remote, there: str, ours: str) -> bool:
    """Whether the branch's commit has our tree and our only parent."""
    remote.fetch(there)
    git = Git(remote.directory)
    # Read raw: a commit at a shallow boundary shows no parents otherwise.
    one, other = (git.run("cat-file", "commit", sha).splitlines() for sha in (there, ours))
    return _headers(one) == _headers(other)


def _headers(commit: list[str]) -> list[str]:
    end = commit.index("") if "" in commit else len(commit)
    return [line for line in commit[:end] if line.startswith(("tree ", "parent "))]
