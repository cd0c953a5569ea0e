"""Runs a folder of diff cases through the engine, git apply and GNU patch and counts outcomes."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from tests.bench._cases import Case, Verdict, judge, load_cases
from tests.bench._tools import TOOLS

SHARED = Path(__file__).parents[3] / "shared" / "data" / "diffs"
_COLUMNS = ("right", "refused", "wrong", "dirty", "lies")


def run(cases: list[Case], names: list[str]) -> dict[str, Any]:
    """Counts per tool, for cases to apply and cases to refuse, and what went wrong by name."""
    report: dict[str, Any] = {}
    for name in names:
        apply: Counter[str] = Counter()
        refuse: Counter[str] = Counter()
        controls: Counter[str] = Counter()
        misses: dict[str, str] = {}
        for case in cases:
            verdict, claim = judge(case, TOOLS[name])
            (apply if case.reason is None else refuse)[verdict.value] += 1
            if case.control:
                controls[verdict.value] += 1
            if verdict is not Verdict.RIGHT:
                misses[case.name] = f"{verdict.value} {claim.reason or ''}".strip()
        report[name] = {
            "apply": dict(apply),
            "refuse": dict(refuse),
            "controls": dict(controls),
            "misses": misses,
        }
    return report


def main(arguments: list[str] | None = None) -> int:
    """The command line: `python -m tests.bench.patches [DIR] [--json] [--tool NAME]`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", default=SHARED)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--tool", action="append", choices=sorted(TOOLS))
    options = parser.parse_args(arguments)
    if options.folder == SHARED and not SHARED.is_dir():
        sys.stdout.write("no folder given, and no shared cases beside the checkout: not measured\n")
        return 0
    cases = load_cases(options.folder) if options.folder.is_dir() else []
    if not cases:
        parser.error(f"no cases in {options.folder}: expected DIR/NAME/diff.patch")
    names = options.tool or [
        name for name in TOOLS if name != "patch --fuzz=3" or shutil.which("patch")
    ]
    report = run(cases, names)
    out = json.dumps({"cases": len(cases), "tools": report}) if options.json else _table(report)
    sys.stdout.write(out + "\n")
    return 0


def _table(report: dict[str, Any]) -> str:
    head = f"{'tool':22}{'kind':9}{'n':>5}" + "".join(f"{column:>9}" for column in _COLUMNS)
    rows = [head + f"{'reason?':>9}"]
    for name, counts in report.items():
        for kind in ("apply", "refuse", "controls"):
            found = counts[kind]
            cells = "".join(f"{found.get(column, 0):9d}" for column in _COLUMNS)
            rows.append(
                f"{name:22}{kind:9}{sum(found.values()):5d}{cells}{found.get('wrong_reason', 0):9d}"
            )
    first = next(iter(report.values()))
    rows += [f"  {case}: {what}" for case, what in first["misses"].items()]
    rows.append("right: applied byte for byte, or refused with the tree untouched where due")
    return "\n".join(rows)


if __name__ == "__main__":
    sys.exit(main())
