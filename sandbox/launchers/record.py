"""The launchers' own record of a run: one line of JSON a test, an end line, then the exit.

Whatever is needed after the repository's code has run is taken hold of before it is imported.
"""

import argparse
import json
import os
import sys

_dumps, _write, _exit, _open = json.dumps, os.write, os._exit, os.open
REPO = "/repo"


class Record:
    """Writes `records.jsonl` into a fresh report directory through a descriptor of its own."""

    def __init__(self, directory):
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
        self._file = _open(os.path.join(directory, "records.jsonl"), flags, 0o600)
        self._count = 0

    def line(self, **fields):
        _write(self._file, _dumps(fields).encode("ascii") + b"\n")

    def case(self, test_id, result, seconds, message="", file=""):
        self._count += 1
        self.line(
            kind="case",
            id=test_id,
            result=result,
            seconds=seconds,
            message=message[-4000:],
            file=file,
        )

    def collection_error(self, where, message):
        self.line(kind="collection_error", id=where, message=message[-4000:])

    def end(self, returned):
        """The explicit end of the report, then the end of the process: no exit handler of the
        code under test has the last word on the exit status."""
        self.line(kind="end", returned=returned, count=self._count)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (AttributeError, OSError, ValueError):  # the tests closed or replaced it
                continue
        _exit(returned)


def asked():
    """What the host asks for. `tests` are ids, None for all: a file, because an argument list has
    a length, and a name may hold what no argument can."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--report", required=True)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--tests")
    given = parser.parse_args()
    if given.tests is not None:
        with open(given.tests, encoding="ascii") as listed:
            given.tests = json.load(listed)
    return given


def plain(test_id):
    """The id in characters that any XML document carries through unchanged."""
    return _dumps(test_id)


def forget_script_directory():
    """The launcher's own directory must not be importable for the repository."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if entry and os.path.abspath(entry) != here]


def show_repository():
    """Make the repository importable, in front, once the runner is loaded."""
    roots = [root for root in (REPO, REPO + "/src", REPO + "/lib") if os.path.isdir(root)]
    if not any(
        name.endswith(".py") or os.path.isdir(os.path.join(REPO + "/lib", name))
        for name in (os.listdir(REPO + "/lib") if REPO + "/lib" in roots else [])
    ):
        roots = [root for root in roots if root != REPO + "/lib"]
    sys.path[:0] = roots
