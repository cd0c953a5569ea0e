"""Run the real git against the local GitHub."""

import subprocess
from pathlib import Path

IDENTITY = ("-c", "user.name=bot", "-c", "user.email=bot@example.org")


def run_git(*arguments: str, cwd: Path | None = None) -> "subprocess.CompletedProcess[str]":
    """Run git without any configuration of this machine; never asks for a password."""
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": "/nonexistent",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    return subprocess.run(
        ["git", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def git(*arguments: str, cwd: Path | None = None) -> str:
    """What git printed; fails the test when git fails."""
    done = run_git(*arguments, cwd=cwd)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def with_token(url: str, token: str, user: str = "x-access-token") -> str:
    """The address with the token as a password."""
    return url.replace("http://", f"http://{user}:{token}@")


def commit_file(work: Path, path: str, content: str, message: str = "change") -> str:
    """Write a file and commit it; returns the sha."""
    target = work / path
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(content)
    git("add", "--all", cwd=work)
    git(*IDENTITY, "commit", "--quiet", "-m", message, cwd=work)
    return git("rev-parse", "HEAD", cwd=work)
