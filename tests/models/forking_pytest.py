"""A process that has pytest loaded and forks for each run: real pytest runs at a tenth of the cost.

One request a line on stdin, `[folder, [argument, …]]`; one exit status a line on stdout.
"""

import json
import os
import signal
import sys

import pytest

SECONDS = 20


def child(folder: str, arguments: list[str]) -> None:
    """Run pytest in `folder` and leave; the answer channel is not the tests' standard output."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(nothing, number)
    signal.alarm(SECONDS)
    os.chdir(folder)
    sys.path[:0] = [folder, f"{folder}/src"]
    os._exit(int(pytest.main(arguments)))


def serve() -> None:
    """Until stdin ends."""
    for line in sys.stdin:
        folder, arguments = json.loads(line)
        process = os.fork()
        if process == 0:
            child(folder, arguments)
        _, status = os.waitpid(process, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
