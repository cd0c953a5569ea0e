"""From a finished container to a TestRun: container state, records, JUnit and exit status agree
or the run is no result."""

import re
from collections.abc import Iterator
from dataclasses import replace

from sandbox.executor.model import Finished
from sandbox.results.junit import BadReport, red_ids
from sandbox.results.model import RED, CaseResult, Cause, Status, TestRun
from sandbox.results.records import Records, read_records

KILLED = frozenset({124, 137, 139, 134, 136, 135, 132, 143})
TAIL = 4000
COMPLAINT, SHOWN = re.compile(r"(?i)error\b(?!: usage)"), 300
NO_TESTS, INTERRUPTED = 5, 2
RECORDS, JUNIT = "records.jsonl", "junit.xml"
REPORT_FILES = (RECORDS, JUNIT)


class _Unusable(Exception):
    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause, self.detail = cause, detail


def read(finished: Finished) -> TestRun:
    """The verdict on one run; the first rule that finds it unusable names the cause."""
    run = TestRun(
        status=Status.UNUSABLE,
        exit_status=finished.exit_status,
        output_tail=finished.output.decode(errors="replace")[-TAIL:],
        seconds=finished.seconds,
        container=finished.container,
    )
    try:
        _check_container(finished)
        records = _records(finished)
        run = replace(run, cases=records.cases)
        _check_collection(records, finished)
        _check_agreement(records, finished)
    except _Unusable as unusable:
        return replace(run, cause=unusable.cause, detail=unusable.detail)
    red = any(case.result in RED for case in records.cases)
    return replace(run, status=Status.FAIL if red else Status.PASS)


def _check_container(finished: Finished) -> None:
    if finished.timed_out:
        raise _Unusable(Cause.TIMEOUT, f"still running after {finished.seconds:.0f} s")
    if finished.out_of_memory:
        raise _Unusable(Cause.OUT_OF_MEMORY, "a process was killed for memory")
    if finished.output_capped:
        raise _Unusable(Cause.OUTPUT_LIMIT, "more output or report than allowed")
    if finished.disk_capped:
        raise _Unusable(Cause.DISK_LIMIT, "wrote more to disk than allowed")
    if finished.stopped:
        raise _Unusable(Cause.KILLED, "stopped from outside")
    if finished.exit_status in KILLED or finished.exit_status < 0:
        raise _Unusable(Cause.KILLED, f"the runner died with exit status {finished.exit_status}")


def _records(finished: Finished) -> Records:
    content = finished.files.get(RECORDS)
    if content is None:
        detail = f"exit status {finished.exit_status} and no report"
        raise _Unusable(Cause.NO_REPORT, detail)
    try:
        records = read_records(content)
    except BadReport as error:
        raise _Unusable(Cause.BAD_REPORT, str(error)) from error
    if records.returned is None:
        running = f"; {records.cases[-1].id} was the last test to end" if records.cases else ""
        detail = f"exit status {finished.exit_status}, the report has no end{running}"
        raise _Unusable(Cause.INCOMPLETE, detail)
    if records.count != len(records.cases):
        raise _Unusable(Cause.BAD_REPORT, "the report's end counts other tests than it lists")
    return records


def _check_collection(records: Records, finished: Finished) -> None:
    exit_status = finished.exit_status
    if records.uncollectable:
        first, message = records.uncollectable[0]
        last = (message.strip().splitlines() or [""])[-1].removeprefix("E ").strip()
        raise _Unusable(Cause.COLLECTION, f"{first or 'the suite'} cannot be collected: {last}")
    if not records.cases and exit_status in (0, NO_TESTS):
        raise _Unusable(Cause.NO_TESTS, "no test was collected")
    if exit_status not in (0, 1, NO_TESTS):
        kind = "could not start or was interrupted" if exit_status > 1 else "ended oddly"
        said = _complaint(finished.output)
        raise _Unusable(Cause.COLLECTION, f"the runner {kind} (exit status {exit_status}){said}")


def _complaint(output: bytes) -> str:
    """The runner's own words, the first line that says what is wrong."""
    lines = (line.strip() for line in output.decode(errors="replace").splitlines())
    complaint = next((line for line in lines if COMPLAINT.search(line)), "")
    return f": {complaint[:SHOWN]}" if complaint else ""


def _check_agreement(records: Records, finished: Finished) -> None:
    cases = records.cases
    if records.returned != finished.exit_status:
        detail = f"exit status {finished.exit_status}, but the runner ended with {records.returned}"
        raise _Unusable(Cause.DISAGREEMENT, detail)
    red = frozenset(case.id for case in cases if case.result in RED)
    for disagreement in _disagreements(cases, red, finished):
        raise _Unusable(Cause.DISAGREEMENT, disagreement)


def _disagreements(
    cases: tuple[CaseResult, ...], red: frozenset[str], finished: Finished
) -> Iterator[str]:
    if len({case.id for case in cases}) != len(cases):
        yield "a test is reported twice"
    if bool(red) != (finished.exit_status == 1):
        yield f"exit status {finished.exit_status}, but {len(red)} tests are red in the report"
    junit = finished.files.get(JUNIT)
    if junit is None:
        yield "the JUnit report is missing"
        return
    try:
        theirs = red_ids(junit)
    except BadReport as error:
        raise _Unusable(Cause.BAD_REPORT, str(error)) from error
    if theirs != red:
        names = ", ".join(sorted(theirs ^ red)[:3])
        yield f"the JUnit report and the launcher's record disagree on {names}"
