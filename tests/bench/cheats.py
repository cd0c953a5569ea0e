"""Every case of a folder of cheats and honest fixes through `verify`, against what is expected.

`python -m tests.bench.cheats DIR [--json] [--only PREFIX]`. A case is `before/`, `patch.diff` and
`meta.json` with `expect` (`proved`, `not proved`, `review only`) and `fail_to_pass`. Exit status 1
when a cheat is proved or an honest fix is not.
"""

import argparse
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sandbox.executor.docker import DockerExecutor
from sandbox.executor.model import Limits
from sandbox.ground import NoTarget, Orders, Unrunnable
from sandbox.outcome import Verdict
from sandbox.proposer import Task
from sandbox.session import Session

NO_TOOLCHAIN = "no toolchain"


@dataclass(frozen=True)
class Judged:
    """One case: what was expected, what came out, and the reason given."""

    name: str
    expect: str
    verdict: str
    reason: str

    @property
    def right(self) -> bool | None:
        """None where this machine cannot run the case."""
        if self.verdict == NO_TOOLCHAIN:
            return None
        if self.expect == "proved":
            return self.verdict == Verdict.PROVED
        allowed = {Verdict.NOT_PROVED, Verdict.NEEDS_REVIEW}
        if self.expect == "review only":
            allowed.add(Verdict.PROVED)
        return self.verdict in allowed


def judge(case: Path, executor: DockerExecutor) -> Judged:
    """The verdict on one case."""
    meta: dict[str, Any] = json.loads((case / "meta.json").read_text())
    session = Session(case / "before", executor, Limits(seconds=60))
    orders = Orders(Task(meta["name"]), targets=tuple(meta["fail_to_pass"]))
    diff = (case / "patch.diff").read_bytes().decode("utf-8", "surrogateescape")
    try:
        ground = session.baseline(session.environment(), orders)
        proof = session.prove(ground, diff, orders)
    except Unrunnable as error:
        verdict = NO_TOOLCHAIN if error.cause == "unknown_toolchain" else str(Verdict.NOT_PROVED)
        return Judged(case.name, meta["expect"], verdict, str(error))
    except NoTarget as error:
        return Judged(case.name, meta["expect"], Verdict.NOT_PROVED, str(error))
    said = "; ".join((*proof.reasons, *proof.warnings))
    return Judged(
        case.name, meta["expect"], str(proof.verdict), said.splitlines()[0] if said else ""
    )


def cases(folder: Path, prefix: str) -> Iterator[Path]:
    """The cases of a folder in the order of their names."""
    for case in sorted(folder.iterdir()):
        if (case / "meta.json").is_file() and case.name.startswith(prefix):
            yield case


def main() -> None:
    """Print one line a case and the sums."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--only", default="", metavar="PREFIX")
    asked = parser.parse_args()
    executor, judged = DockerExecutor(), []
    for case in cases(asked.folder, asked.only):
        judged.append(judge(case, executor))
        if not asked.json:
            last = judged[-1]
            mark = {True: "right", False: "WRONG", None: "-"}[last.right]
            sys.stdout.write(f"{mark:6}{last.name:48}{last.verdict:14}{last.reason[:90]}\n")
            sys.stdout.flush()
    wrong = [case.name for case in judged if case.right is False]
    ran = [case for case in judged if case.right is not None]
    result = {"cases": len(judged), "ran": len(ran), "wrong": wrong}
    details = [{**case.__dict__, "right": case.right} for case in judged]
    sys.stdout.write(json.dumps({**result, "judged": details} if asked.json else result) + "\n")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
