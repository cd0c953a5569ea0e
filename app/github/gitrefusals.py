"""What a failed git command means: refused for good, gone for now, or our own mistake."""

import re

from app.github.errors import GitHubRefused, GitHubUnavailable

REJECTED = re.compile(r"! \[(?:remote )?rejected\][^\n]*\(([^\n]*)\)\s*$", re.MULTILINE)

GONE = re.compile(
    r"could not resolve host|failed to connect|connection (?:refused|reset|timed out)"
    r"|couldn't connect|error: 5\d\d|operation (?:too slow|timed out)|early eof"
    r"|remote end hung up|empty reply from server|transfer closed|rpc failed|unexpected disconnect",
    re.IGNORECASE,
)

REFUSALS: tuple[tuple[re.Pattern[str], int, str], ...] = (
    (
        re.compile(r"without `?workflows`? permission"),
        403,
        "GitHub refused the branch: the change touches a workflow file, and the App has no "
        "permission for `workflows`.",
    ),
    (
        re.compile(
            r"authentication failed|could not read Username|error: 40[13]"
            r"|permission to .* denied|write access to repository not granted",
            re.IGNORECASE,
        ),
        403,
        "GitHub does not let the App at this repository's contents: check that the App is "
        "installed on it with the permission `contents`.",
    ),
    (
        re.compile(r"error: 404|repository .*not found", re.IGNORECASE),
        404,
        "GitHub shows the App no such repository: check that it still exists and that the App is "
        "installed on it.",
    ),
    (
        re.compile(r"error: 30\d", re.IGNORECASE),
        301,
        "The repository has another name by now: put the label again to start under that name.",
    ),
    (
        re.compile(
            r"couldn't find remote ref|not our ref|no such remote ref|unadvertised object",
            re.IGNORECASE,
        ),
        404,
        "The branch or commit asked for is not in the repository.",
    ),
)


class GitFailed(RuntimeError):
    """git failed for a reason that is neither GitHub's refusal nor its absence."""


class PatchDoesNotApply(GitFailed):
    """The diff does not fit the commit that it is said to be made for."""


def git_error(verb: str, told: str) -> Exception:
    """The exception for a git command that failed with `told` on its standard error."""
    for pattern, status, sentence in REFUSALS:
        if pattern.search(told):
            return GitHubRefused(sentence, status)
    if rejected := REJECTED.search(told):
        return GitHubRefused(
            f"GitHub refused the branch: {rejected.group(1)}. Let the App push to "
            "`patchwright/*` in the repository's rules."
        )
    if GONE.search(told):
        return GitHubUnavailable(f"The connection to GitHub broke during `git {verb}`.")
    return PatchDoesNotApply(told) if verb == "apply" else GitFailed(f"git {verb} failed: {told}")
