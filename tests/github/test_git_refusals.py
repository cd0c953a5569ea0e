"""What git says in failing, and what it means."""

import pytest

from app.github.client import GitHubRefused, GitHubUnavailable
from app.github.gitrefusals import GitFailed, PatchDoesNotApply, git_error

# Wordings of git 2.39 and of GitHub's receive-pack.
REFUSED = {
    "fatal: Authentication failed for 'https://github.com/a/b.git/'": "permission `contents`",
    "fatal: unable to access 'https://x/': The requested URL returned error: 403": "`contents`",
    "remote: Write access to repository not granted.": "permission `contents`",
    "fatal: repository 'https://github.com/a/b.git/' not found": "no such repository",
    "fatal: couldn't find remote ref refs/heads/x": "not in the repository",
    "fatal: remote error: upload-pack: not our ref 0000": "not in the repository",
    " ! [remote rejected] x -> x (refusing to allow a GitHub App to create or update workflow "
    "`.github/workflows/a.yml` without `workflows` permission)": "workflow file",
    " ! [remote rejected] x -> x (protected branch hook declined)\nerror: failed to push some "
    "refs": "protected branch hook declined",
}
GONE = [
    "fatal: unable to access 'https://x/': Could not resolve host: x",
    "fatal: unable to access 'https://x/': Failed to connect to x port 443: Connection refused",
    "fatal: unable to access 'https://x/': The requested URL returned error: 502",
    "error: RPC failed; curl 56 GnuTLS recv error\nfatal: early EOF",
    "fatal: the remote end hung up unexpectedly",
]


@pytest.mark.parametrize(("told", "words"), REFUSED.items())
def test_refusals(told: str, words: str) -> None:
    error = git_error("push", told)
    assert isinstance(error, GitHubRefused)
    assert words in str(error)
    assert "\n" not in str(error)


@pytest.mark.parametrize("told", GONE)
def test_absences(told: str) -> None:
    assert isinstance(git_error("fetch", told), GitHubUnavailable)


def test_everything_else_is_our_own_fault() -> None:
    assert type(git_error("write-tree", "fatal: disk full")) is GitFailed
    assert isinstance(git_error("apply", "error: patch failed: x:1"), PatchDoesNotApply)
