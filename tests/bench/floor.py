"""A warm run on the demo repository against the bare floor: one clone and as many plain runs.

`python -m tests.bench.floor [--json] [--repeats N]` prints the seconds of both and their ratio.
The floor is `git clone` from the same local GitHub and, one after the other, as many
`docker run` of the same image with pytest on the clone as the run started containers for tests.
"""

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from app.cli.demo import LABEL, OWNER, REPO, Stage, report_bug, stage
from sandbox.executor.docker import DockerExecutor

PYTEST = ("python3", "-m", "pytest", "-q", "-p", "no:cacheprovider")


def warm_run(at: Stage) -> tuple[float, int]:
    """Seconds from the label to the end of a run, and how many test containers it started."""
    number = report_bug(at.hub)
    began = time.monotonic()
    at.hub.label_issue(OWNER, REPO, number, LABEL, actor=OWNER)
    while True:
        rows = [row for row in at.store.runs(limit=5) if row.issue == number]
        if rows and rows[0].state.final:
            took = time.monotonic() - began
            return took, _containers(at.home / "data" / "runs" / rows[0].run_id)
        time.sleep(0.02)


def _containers(artifacts: Path) -> int:
    ledger = json.loads((artifacts / "worked.json").read_text())["ledger"]
    proof = json.loads((artifacts / "proof.json").read_text())
    return int(ledger["test_runs"] + ledger["candidate_runs"] + proof["test_runs"])


def floor(at: Stage, runs: int) -> float:
    """Seconds of one clone and `runs` plain runs."""
    image = DockerExecutor().image("python", lambda _: None).tag
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        url = f"{at.hub.url}/{OWNER}/{REPO}.git"
        subprocess.run(["git", "clone", "--quiet", "--depth=1", url, str(clone)], check=True)
        command = ["docker", "run", "--rm", "--network=none", f"--volume={clone}:/repo", image]
        for _ in range(runs):
            subprocess.run([*command, *PYTEST], check=False, capture_output=True, timeout=120)
    return time.monotonic() - began


def main() -> None:
    """Print the figures of one sitting; exit status 1 when the ratio is over 1.5."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeats", type=int, default=3)
    asked = parser.parse_args()
    ratios, figures = [], []
    with tempfile.TemporaryDirectory() as folder, stage(Path(folder), "search", "runc") as at:
        warm_run(at)
        for _ in range(asked.repeats):
            took, runs = warm_run(at)
            bare = floor(at, runs)
            ratios.append(took / bare)
            figures.append({"run": round(took, 2), "floor": round(bare, 2), "containers": runs})
    ratio = statistics.median(ratios)
    result = {"bench": "floor", "ratio": round(ratio, 3), "limit": 1.5, "sittings": figures}
    if asked.json:
        sys.stdout.write(json.dumps(result) + "\n")
    else:
        for figure in figures:
            sys.stdout.write(f"run {figure['run']} s, floor {figure['floor']} s, ")
            sys.stdout.write(f"{figure['containers']} containers\n")
        sys.stdout.write(f"ratio {ratio:.2f} (at most 1.5)\n")
    sys.exit(0 if ratio <= 1.5 else 1)


if __name__ == "__main__":
    main()
