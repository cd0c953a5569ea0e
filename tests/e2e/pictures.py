"""The README's pictures, taken from the real pages: `python -m tests.e2e.pictures`.

Runs the demo's path once and photographs the issue before the label, the pull request and the
outcome comment with Chromium. Needs an engine and `chromium` on PATH.
"""

import subprocess
import tempfile
import time
from pathlib import Path

from app.cli.demo import LABEL, OWNER, REPO, report_bug, stage

TARGET = Path(__file__).parents[2] / "docs" / "images"
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--hide-scrollbars",
)  # fmt: skip


def photograph(url: str, name: str, height: int) -> None:
    """One page at a width of 1000 pixels."""
    with tempfile.TemporaryDirectory() as profile:
        size, shot = f"--window-size=1000,{height}", f"--screenshot={TARGET / name}"
        command = ["chromium", *FLAGS, f"--user-data-dir={profile}", size, shot, url]
        subprocess.run(command, check=True, capture_output=True, timeout=120)


def main() -> None:
    """Take all of them."""
    TARGET.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, stage(Path(folder), "search", "runc") as at:
        number = report_bug(at.hub)
        issue = f"{at.hub.url}/{OWNER}/{REPO}/issues/{number}"
        photograph(issue, "label.png", 590)
        at.hub.label_issue(OWNER, REPO, number, LABEL, actor=OWNER)
        while not any(row.state.final for row in at.store.runs(limit=1)):
            time.sleep(0.2)
        pull = at.hub.pulls(OWNER, REPO)[0].number
        photograph(f"{at.hub.url}/{OWNER}/{REPO}/pull/{pull}", "pull-request.png", 1230)
        photograph(issue, "outcome.png", 1080)


if __name__ == "__main__":
    main()
