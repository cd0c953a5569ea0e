"""Ends a supervised process when its supervisor is gone, however that ended."""

import os
import signal
import sys
from threading import Thread
from time import sleep

FLAG = "--supervised"
LOOK = 0.5


def end_with_parent() -> None:
    """Send this process SIGTERM once its parent is another; only if it was started with `FLAG`.

    A killed supervisor cannot end its children, and they would hold the port and the data.
    """
    if FLAG in sys.argv[1:]:
        Thread(target=_wait, args=(os.getppid(),), name="orphan", daemon=True).start()


def _wait(parent: int) -> None:
    while os.getppid() == parent:
        sleep(LOOK)
    os.kill(os.getpid(), signal.SIGTERM)
