"""What dbos is asked to be: durable at the price of one sync, readable, and alone."""

import json
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from app.errors import UserError
from app.runs.durable import sole_worker

ROOT = Path(__file__).parents[2]

# A workflow of two steps; the process kills itself in the second until a file tells it not to.
PROGRAM = """
import os, signal, sys
from pathlib import Path
from threading import Event
from time import monotonic, sleep
from dbos import DBOS, SetWorkflowID, StepOptions
from app.runs.durable import configure

data = Path(sys.argv[1])
configure(data)
done = Event()

@DBOS.workflow(name="run", max_recovery_attempts=3)
def run(word: str) -> None:
    DBOS.run_step(StepOptions(name="one"), lambda: note("one", {"said": word}))
    DBOS.run_step(StepOptions(name="two"), lambda: note("two", None))
    done.set()

def note(name, answer):
    with (data / "did").open("a") as log:
        log.write(name + " ")
    if name == "two" and not (data / "spare").exists():
        os.kill(os.getpid(), signal.SIGKILL)
    return answer

DBOS.launch()
with SetWorkflowID("w1"):
    DBOS.start_workflow(run, "hello")
ended = done.wait(20)
from dbos._dbos import _get_dbos_instance
with _get_dbos_instance()._sys_db.engine.connect() as connection:
    pragmas = [connection.exec_driver_sql(f"PRAGMA {name}").scalar()
               for name in ("journal_mode", "synchronous")]
deadline = monotonic() + 20  # the end of a workflow is recorded after its function returned
while (status := DBOS.get_workflow_status("w1").status) == "PENDING" and monotonic() < deadline:
    sleep(0.05)
print(*pragmas, status if ended else "stuck", flush=True)
os._exit(0)
"""


def program(data: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(data)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )


def rows(data: Path, query: str) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(data / "dbos.db")
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def test_a_killed_workflow_goes_on_at_the_step_it_died_in(tmp_path: Path) -> None:
    first = program(tmp_path)
    assert first.returncode == -signal.SIGKILL, first.stderr
    (tmp_path / "spare").touch()
    second = program(tmp_path)
    assert second.stdout.split() == ["wal", "1", "SUCCESS"], second.stderr
    assert (tmp_path / "did").read_text().split() == ["one", "two", "two"]


def test_records_are_json_and_belong_to_a_constant_version_and_worker(tmp_path: Path) -> None:
    (tmp_path / "spare").touch()
    assert program(tmp_path).returncode == 0
    [(version, executor, form, inputs)] = rows(
        tmp_path,
        "SELECT application_version, executor_id, s.serialization, coalesce(i.inputs, s.inputs)"
        " FROM workflow_status s LEFT JOIN workflow_input i ON i.workflow_uuid = s.workflow_uuid",
    )
    assert (version, executor, form) == ("1", "worker", "portable_json")
    assert json.loads(str(inputs))
    outputs = rows(tmp_path, "SELECT output FROM operation_outputs ORDER BY function_id")
    assert [json.loads(str(output)) if output else None for (output,) in outputs] == [
        {"said": "hello"},
        None,
    ]


HOLD = """
import sys
from pathlib import Path
from app.runs.durable import sole_worker
with sole_worker(Path(sys.argv[1]), 0):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_two_workers_never_share_a_data_directory(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == b"held\n"
        with pytest.raises(UserError, match="PATCHWRIGHT_DATA_DIR"), sole_worker(tmp_path, 0.3):
            pytest.fail("both held it")
        other.kill()
        other.wait()
        with sole_worker(tmp_path, 5):
            pass
