"""A repository on GitHub as git sees it: fetch one commit, look at a branch, create a branch."""

from dataclasses import dataclass
from pathlib import Path

from app.github.errors import GitHubRefused
from app.github.gitcommand import Access, Git

SHA_CHARS = 40
HERE = "refs/patchwright/fetched"
ONE_COMMIT = (
    "fetch",
    "--quiet",
    "--depth=1",
    "--no-tags",
    "--no-recurse-submodules",
    "--no-write-fetch-head",
)


@dataclass(frozen=True, slots=True)
class Remote:
    """Works from a repository at `directory` that has no remote: the address is never stored.

    Every method raises `GitHubRefused`, `GitHubUnavailable` or `GitFailed`.
    """

    directory: Path
    access: Access

    def fetch(self, ref: str) -> str:
        """Bring one commit, by full sha or by branch, and return its sha."""
        plain = Git(self.directory)
        source = ref if _is_sha(ref) else f"refs/heads/{ref}"
        self._git.run(*ONE_COMMIT, self.access.url, f"+{source}:{HERE}")
        sha = plain.run("rev-parse", f"{HERE}^{{commit}}")
        plain.run("update-ref", "-d", HERE)
        return sha

    def look(self, branch: str) -> str | None:
        """The sha that a branch points at, None when there is no such branch."""
        listed = self._git.run("ls-remote", self.access.url, f"refs/heads/{branch}").split()
        return listed[0] if listed else None

    def create(self, branch: str, sha: str) -> bool:
        """Make a branch. False when somebody made it in between: it is never overwritten."""
        full = f"refs/heads/{branch}"
        lease = f"--force-with-lease={full}:"  # empty: it must not be there
        try:
            self._git.run("push", "--quiet", "--no-verify", lease, self.access.url, f"{sha}:{full}")
        except GitHubRefused as refused:
            if "stale info" in str(refused) or "already exists" in str(refused):
                return False
            raise
        return True

    @property
    def _git(self) -> Git:
        return Git(self.directory, self.access)


def _is_sha(ref: str) -> bool:
    return len(ref) == SHA_CHARS and all(letter in "0123456789abcdef" for letter in ref)
