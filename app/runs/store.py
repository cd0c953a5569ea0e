"""The App's own SQLite: the inbox that the door writes, and what each run says and becomes."""

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from time import time
from typing import Any, Literal
from weakref import finalize

from app.errors import UserError
from app.runs.rows import FINAL, EventRow, RunRow, RunState
from handlers.intents import StartRun
from sandbox.outcome import Outcome

__all__ = ["EventRow", "RunEnded", "RunRow", "RunState", "Store", "UnknownRun"]

Accepted = Literal["accepted", "duplicate", "leased"]

SCHEMA_VERSION = 1
BUSY_SECONDS = 10.0
COLUMNS = tuple(RunRow.__dataclass_fields__)
CHANGEABLE = frozenset(
    {"state", "outcome", "reason", "sentence", "base_sha", "pull_number", "comment_id", "title"}
)


class UnknownRun(LookupError):
    """No run has this id."""


class RunEnded(RuntimeError):
    """A run in a final state was told to go on: its issue may already belong to another run."""


class Store:
    """One connection for each call, so that any thread of either process may use it."""

    def __init__(self, path: Path) -> None:
        """Create the file and its tables where they are missing.

        Raises `UserError` for a file that a newer Patchwright has written.
        """
        self._path = path
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with self._connection() as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            self._prepare(connection)
        self._keep_open()

    def _keep_open(self) -> None:
        """Hold one idle connection: when the last one closes, SQLite folds its log away and
        syncs, which made each delivery eight times as slow."""
        idle = sqlite3.connect(self._path, timeout=BUSY_SECONDS, check_same_thread=False)
        idle.execute("PRAGMA user_version").fetchone()
        finalize(self, idle.close)

    def _prepare(self, connection: sqlite3.Connection) -> None:
        found = connection.execute("PRAGMA user_version").fetchone()[0]
        if found > SCHEMA_VERSION:
            raise UserError(
                f"The database `{self._path.name}` in the data directory was written by a newer "
                "Patchwright: use that one, or point `PATCHWRIGHT_DATA_DIR` at another directory."
            )
        schema = files("app.runs").joinpath("schema.sql").read_text(encoding="utf-8")
        connection.executescript(
            f"BEGIN IMMEDIATE;\n{schema}\nPRAGMA user_version = {SCHEMA_VERSION};\nCOMMIT;"
        )

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self._path, timeout=BUSY_SECONDS, isolation_level=None)
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA foreign_keys = ON")
            yield connection
        finally:
            connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._connection() as connection:
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def accept(self, delivery_id: str, intent: StartRun, run_id: str) -> Accepted:
        """Delivery, issue lease and run in one transaction, or nothing at all.

        "duplicate": this delivery was recorded before. "leased": another run on the issue is
        still live; the delivery is recorded and starts nothing, now or when it comes again.
        """
        with self._transaction() as connection:
            if _known_delivery(connection, delivery_id):
                return "duplicate"
            holder = _lease_holder(connection, intent)
            if holder is None:
                _insert_run(connection, delivery_id, intent, run_id)
            connection.execute(
                "INSERT INTO deliveries (delivery_id, result, run_id, at) VALUES (?, ?, ?, ?)",
                (delivery_id, "leased" if holder else "accepted", holder or run_id, time()),
            )
            return "leased" if holder else "accepted"

    def undispatched(self) -> list[RunRow]:
        """Live runs not yet turned into workflows, oldest first."""
        with self._connection() as connection:
            rows = connection.execute(
                "SELECT * FROM runs WHERE dispatched = 0 AND state = 'queued' ORDER BY created"
            ).fetchall()
        return [_run_row(row) for row in rows]

    def mark_dispatched(self, run_id: str) -> None:
        """Say that the workflow with this id exists; saying it twice is harmless."""
        with self._transaction() as connection:
            connection.execute("UPDATE runs SET dispatched = 1 WHERE run_id = ?", (run_id,))

    def run(self, run_id: str) -> RunRow:
        """Raises `UnknownRun`."""
        with self._connection() as connection:
            return _run_row(_find(connection, run_id))

    def runs(self, limit: int = 100) -> list[RunRow]:
        """The newest runs first."""
        with self._connection() as connection:
            rows = connection.execute(
                "SELECT * FROM runs ORDER BY created DESC, rowid DESC LIMIT ?", (limit,)
            ).fetchall()
        return [_run_row(row) for row in rows]

    def update(self, run_id: str, **fields: object) -> None:
        """Change fields of a run; a final state gives the issue free in the same transaction.

        Raises `UnknownRun`, `RunEnded` for another state after a final one, `ValueError` for a
        field that cannot be changed, `sqlite3.IntegrityError` for an outcome without `done` or
        the reverse.
        """
        if unknown := fields.keys() - CHANGEABLE:
            raise ValueError(f"not a field of a run that changes: {', '.join(sorted(unknown))}")
        with self._transaction() as connection:
            before = RunState(_find(connection, run_id)["state"])
            after = RunState(str(fields.get("state", before)))
            if before in FINAL and after is not before:
                raise RunEnded(f"run {run_id} is {before} and cannot become {after}")
            names = [*fields, "updated"]
            connection.execute(
                f"UPDATE runs SET {', '.join(f'{name} = ?' for name in names)} WHERE run_id = ?",  # noqa: S608 - names are from CHANGEABLE
                (*fields.values(), time(), run_id),
            )
            if after in FINAL:
                connection.execute("DELETE FROM leases WHERE run_id = ?", (run_id,))

    def add_event(
        self, run_id: str, stage: str, text: str, data: Mapping[str, Any] | None = None
    ) -> int:
        """Append what a run says and return its number. Raises `UnknownRun`."""
        with self._transaction() as connection:
            _find(connection, run_id)
            seq: int = connection.execute(
                "SELECT coalesce(max(seq), 0) + 1 FROM events WHERE run_id = ?", (run_id,)
            ).fetchone()[0]
            connection.execute(
                "INSERT INTO events (run_id, seq, at, stage, text, data) VALUES (?, ?, ?, ?, ?, ?)",
                (run_id, seq, time(), stage, text, json.dumps(dict(data or {}))),
            )
            return seq

    def events(self, run_id: str, after: int = 0) -> list[EventRow]:
        """Events with a number above `after`, in order; none for an unknown run."""
        with self._connection() as connection:
            rows = connection.execute(
                "SELECT * FROM events WHERE run_id = ? AND seq > ? ORDER BY seq", (run_id, after)
            ).fetchall()
        return [
            EventRow(row["seq"], row["at"], row["stage"], row["text"], json.loads(row["data"]))
            for row in rows
        ]


def _known_delivery(connection: sqlite3.Connection, delivery_id: str) -> bool:
    found = connection.execute("SELECT 1 FROM deliveries WHERE delivery_id = ?", (delivery_id,))
    return found.fetchone() is not None


def _lease_holder(connection: sqlite3.Connection, intent: StartRun) -> str | None:
    row = connection.execute(
        "SELECT run_id FROM leases WHERE owner = ? AND repo = ? AND issue = ?",
        (intent.owner, intent.repo, intent.issue),
    ).fetchone()
    return None if row is None else str(row["run_id"])


def _insert_run(
    connection: sqlite3.Connection, delivery_id: str, intent: StartRun, run_id: str
) -> None:
    now = time()
    connection.execute(
        "INSERT INTO runs (run_id, delivery_id, installation_id, owner, repo, issue, title,"
        " sender, sender_type, label, created, updated) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)",
        (
            run_id,
            delivery_id,
            intent.installation_id,
            intent.owner,
            intent.repo,
            intent.issue,
            intent.title,
            intent.sender,
            intent.sender_type,
            intent.label,
            now,
            now,
        ),
    )
    connection.execute(
        "INSERT INTO leases (owner, repo, issue, run_id) VALUES (?, ?, ?, ?)",
        (intent.owner, intent.repo, intent.issue, run_id),
    )


def _find(connection: sqlite3.Connection, run_id: str) -> sqlite3.Row:
    row = connection.execute("SELECT * FROM runs WHERE run_id = ?", (run_id,)).fetchone()
    if row is None:
        raise UnknownRun(run_id)
    found: sqlite3.Row = row
    return found


def _run_row(row: sqlite3.Row) -> RunRow:
    values = {name: row[name] for name in COLUMNS}
    values["state"] = RunState(values["state"])
    values["outcome"] = None if values["outcome"] is None else Outcome(values["outcome"])
    return RunRow(**values)
