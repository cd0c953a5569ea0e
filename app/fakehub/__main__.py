"""Run the local GitHub by hand: `python -m app.fakehub --port N --data DIR`."""

import argparse
import signal
import sys
import threading
from pathlib import Path

from app.fakehub.hub import FakeHub


def main() -> None:
    """Serve until interrupted, with one person and an empty repository to begin with."""
    parser = argparse.ArgumentParser(prog="python -m app.fakehub", description=__doc__)
    parser.add_argument("--port", type=int, default=8043, help="port on 127.0.0.1 (default 8043)")
    parser.add_argument("--data", type=Path, required=True, help="directory for the repositories")
    parser.add_argument("--source", type=Path, help="directory to serve as ada/demo")
    chosen = parser.parse_args()
    over = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: over.set())
    with FakeHub(chosen.data, port=chosen.port) as hub:
        token = hub.create_user("ada")
        hub.create_repository("ada", "demo", chosen.source)
        sys.stdout.write(f"{hub.url}/ada/demo\nAPI {hub.api_url}, token of ada: {token}\n")
        sys.stdout.flush()
        over.wait()


if __name__ == "__main__":
    main()
