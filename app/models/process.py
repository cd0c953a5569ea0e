"""Runs an operator's command: allow-listed environment, own group, deadline, bounded output."""

import os
import selectors
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic

_ALLOWED = frozenset({"PATH", "HOME", "LANG", "LANGUAGE", "TMPDIR", "TERM", "TZ"})
_ALLOWED_PREFIX = "LC_"
_ERRORS_KEPT = 4000
_CHUNK = 65_536
_GLANCE = 0.05


class TimedOut(Exception):
    """The deadline passed; the command and its children were killed."""


class TooMuchOutput(Exception):
    """More bytes than allowed came; the command and its children were killed."""


@dataclass(frozen=True, slots=True)
class Finished:
    """`status` is negative when a signal ended it; `errors` is the end of standard error."""

    status: int
    output: bytes
    errors: str


def allowed(environment: Mapping[str, str]) -> dict[str, str]:
    """What a program needs to find its files and its language, and no secret."""
    return {
        name: value
        for name, value in environment.items()
        if name in _ALLOWED or name.startswith(_ALLOWED_PREFIX)
    }


def run(
    arguments: Sequence[str],
    given: bytes,
    *,
    environment: Mapping[str, str],
    timeout: float,
    cap: int,
) -> Finished:
    """Run without a shell; `given` is its whole standard input, `cap` the most bytes of output.

    Whatever is left of its process group is killed when it ends, however it ends. A child that
    leaves the group is not followed. Raises `TimedOut`, `TooMuchOutput`, `OSError`.
    """
    with tempfile.TemporaryFile() as written:
        # A file and not a pipe: who never reads its input cannot block us.
        written.write(given)
        written.seek(0)
        process = subprocess.Popen(
            list(arguments),
            stdin=written,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,
        )
    with process:
        try:
            output, errors = _Reader(process, monotonic() + timeout, cap).read()
        finally:
            _kill_group(process)
    text = errors.decode("utf-8", "replace")
    return Finished(process.returncode, output, text)


class _Reader:
    """Reads both streams until the command has ended, the deadline, or the cap."""

    def __init__(self, process: "subprocess.Popen[bytes]", deadline: float, cap: int) -> None:
        self._process = process
        self._deadline = deadline
        self._cap = cap
        self._output = bytearray()
        self._errors = bytearray()

    def read(self) -> tuple[bytes, bytes]:
        """All of standard output and the end of standard error."""
        with selectors.DefaultSelector() as selector:
            for stream, sink in (
                (self._process.stdout, self._output),
                (self._process.stderr, self._errors),
            ):
                assert stream is not None  # noqa: S101 # both were asked for as pipes
                selector.register(stream, selectors.EVENT_READ, sink)
            while selector.get_map():
                ended = self._process.poll() is not None
                # A child may hold the pipe open: once the command is gone, only what is there.
                ready = selector.select(0 if ended else _GLANCE)
                if ended and not ready:
                    break
                self._take(selector, ready)
                if monotonic() > self._deadline:
                    raise TimedOut
        self._wait()
        return bytes(self._output), bytes(self._errors)

    def _take(
        self,
        selector: selectors.BaseSelector,
        ready: list[tuple[selectors.SelectorKey, int]],
    ) -> None:
        for key, _ in ready:
            data = os.read(key.fd, _CHUNK)
            if not data:
                selector.unregister(key.fileobj)
            key.data.extend(data)
        del self._errors[:-_ERRORS_KEPT]
        if len(self._output) > self._cap:
            raise TooMuchOutput

    def _wait(self) -> None:
        try:
            self._process.wait(max(self._deadline - monotonic(), 0))
        except subprocess.TimeoutExpired:
            raise TimedOut from None


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
