"""dbos on SQLite, set up so that a killed worker's runs are found again by the next one."""

import fcntl
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from dbos import DBOS, DBOSConfig, DBOSPortableJSONSerializer

from app.errors import UserError

# Bumped by hand when steps are added, removed or reordered: runs in flight belong to a version.
VERSION = "1"
EXECUTOR = "worker"
BUSY = 30.0


class _Connection(sqlite3.Connection):
    """dbos opens its own connections, and how hard SQLite syncs is set for each."""

    def __init__(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - sqlite3's own
        super().__init__(*args, **options)
        self.execute("PRAGMA synchronous = NORMAL")


@contextmanager
def sole_worker(data_dir: Path, wait: float) -> Iterator[None]:
    """Hold the data directory: two workers with one executor id would do the same run twice.

    Raises `UserError` when another worker still holds it after `wait` seconds.
    """
    data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (data_dir / "worker.lock").open("w") as lock:
        deadline = monotonic() + wait
        while not _locked(lock.fileno()):
            if monotonic() > deadline:
                raise UserError(
                    "Another Patchwright worker uses this data directory: stop it, or give this "
                    "one its own with `PATCHWRIGHT_DATA_DIR`."
                )
            sleep(0.1)
        yield


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def configure(data_dir: Path) -> None:
    """Make dbos ready; workflows are registered after this and before the launch."""
    database = data_dir / "dbos.db"
    connection = sqlite3.connect(database, timeout=BUSY)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    config: DBOSConfig = {
        "name": "patchwright",
        "system_database_url": f"sqlite:///{database}",
        "application_version": VERSION,
        "executor_id": EXECUTOR,
        "serializer": DBOSPortableJSONSerializer(),
        "db_engine_kwargs": {"connect_args": {"factory": _Connection}},
        "log_level": "WARNING",
        "enable_otlp": False,
        "run_migrations": True,
    }
    DBOS(config=config)
