"""Container state, record, JUnit report and exit status agree, or the run is no result."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from sandbox.executor.model import Finished
from sandbox.results import Cause, Status, TestRun
from sandbox.results.read import read


def record(*lines: Mapping[str, Any]) -> bytes:
    return b"".join(json.dumps(line).encode() + b"\n" for line in lines)


def case(test_id: str, result: str) -> dict[str, Any]:
    return {
        "kind": "case", "id": test_id, "result": result,
        "seconds": 0.1, "message": "", "file": "t.py",
    }  # fmt: skip


def end(returned: int, count: int) -> dict[str, Any]:
    return {"kind": "end", "returned": returned, "count": count}


def junit(**results: str) -> bytes:
    cases = "".join(
        f'<testcase classname="t" name="{name}"><properties>'
        f"<property name=\"patchwright_id\" value='{json.dumps(name)}'/></properties>"
        f"{'<failure/>' if result == 'failed' else ''}</testcase>"
        for name, result in results.items()
    )
    return f"<testsuites><testsuite>{cases}</testsuite></testsuites>".encode()


def finished(status: int, records: bytes | None, report: bytes | None, **more: bool) -> Finished:
    files = {"records.jsonl": records, "junit.xml": report}
    present = {name: content for name, content in files.items() if content is not None}
    return Finished(status, b"output", present, {}, 1.0, **more)


RED = record(case("a", "passed"), case("b", "failed"), end(1, 2))
RED_JUNIT = junit(a="passed", b="failed")
GREEN = record(case("a", "passed"), end(0, 1))


def test_agreement_is_a_result() -> None:
    run = read(finished(1, RED, RED_JUNIT))
    assert (run.status, run.signature) == (Status.FAIL, "b")
    assert read(finished(0, GREEN, junit(a="passed"))).status is Status.PASS


BROKEN = {
    "lying exit status": (finished(0, RED, RED_JUNIT), Cause.DISAGREEMENT),
    "lying record": (finished(0, GREEN, junit(a="failed")), Cause.DISAGREEMENT),
    "lying report": (finished(1, RED, junit(a="passed", b="passed")), Cause.DISAGREEMENT),
    "another test is red": (finished(1, RED, junit(a="failed", b="passed")), Cause.DISAGREEMENT),
    "no JUnit": (finished(0, GREEN, None), Cause.DISAGREEMENT),
    "no record": (finished(0, None, RED_JUNIT), Cause.NO_REPORT),
    "no end": (finished(0, record(case("a", "passed")), junit(a="passed")), Cause.INCOMPLETE),
    "goes on after the end": (finished(0, GREEN + GREEN, junit(a="passed")), Cause.BAD_REPORT),
    "wrong count": (
        finished(0, record(case("a", "passed"), end(0, 2)), junit(a="passed")), Cause.BAD_REPORT,
    ),
    "a test twice": (
        finished(0, record(case("a", "passed"), case("a", "passed"), end(0, 2)), junit(a="passed")),
        Cause.DISAGREEMENT,
    ),
    "no JSON": (finished(0, b"PASSED\n", junit(a="passed")), Cause.BAD_REPORT),
    "invented result": (
        finished(0, record(case("a", "great"), end(0, 1)), junit(a="passed")), Cause.BAD_REPORT,
    ),
    "invented field": (
        finished(0, record({**case("a", "passed"), "x": 1}, end(0, 1)), junit()), Cause.BAD_REPORT,
    ),
    "entities": (
        finished(0, GREEN, b'<!DOCTYPE x [<!ENTITY a "b">]><testsuite/>'), Cause.BAD_REPORT,
    ),
    "an id that no launcher writes": (
        finished(1, RED, junit(a="passed", b="failed").replace(b'"b"', b"b", 2)), Cause.BAD_REPORT,
    ),
    "another end than the exit": (
        finished(0, record(case("a", "passed"), end(5, 1)), junit(a="passed")), Cause.DISAGREEMENT,
    ),
    "no XML": (finished(0, GREEN, b"<testsuite"), Cause.BAD_REPORT),
    "no tests": (finished(5, record(end(5, 0)), junit()), Cause.NO_TESTS),
    "no tests, status 0": (finished(0, record(end(0, 0)), junit()), Cause.NO_TESTS),
    "usage": (finished(4, record(end(4, 0)), None), Cause.COLLECTION),
    "deadline": (finished(137, RED, RED_JUNIT, timed_out=True), Cause.TIMEOUT),
    "memory": (finished(0, GREEN, junit(a="passed"), out_of_memory=True), Cause.OUT_OF_MEMORY),
    "flood": (finished(0, GREEN, junit(a="passed"), output_capped=True), Cause.OUTPUT_LIMIT),
    "disk": (finished(0, GREEN, junit(a="passed"), disk_capped=True), Cause.DISK_LIMIT),
    "signal": (finished(139, RED, RED_JUNIT), Cause.KILLED),
}  # fmt: skip


@pytest.mark.parametrize(("ended", "cause"), BROKEN.values(), ids=BROKEN.keys())
def test_anything_else_is_unusable_with_its_cause(ended: Finished, cause: Cause) -> None:
    run = read(ended)
    assert (run.status, run.cause) == (Status.UNUSABLE, cause), run.detail
    assert run.detail


def test_control_the_exit_status_alone_calls_it_green() -> None:
    """Each of these ends with status 0, which a naive runner takes for success."""
    fooled = [name for name, (ended, _) in BROKEN.items() if ended.exit_status == 0]
    assert len(fooled) >= 12


def test_a_signature_survives_order_and_times() -> None:
    other = record(case("b", "failed"), {**case("a", "passed"), "seconds": 9.0}, end(1, 2))
    assert (
        read(finished(1, other, RED_JUNIT)).signature == read(finished(1, RED, RED_JUNIT)).signature
    )


def test_half_a_character_in_a_message_can_be_stored() -> None:
    broken = {**case("b", "failed"), "message": "it said \udc80 and \ud800"}
    run = read(finished(1, record(case("a", "passed"), broken, end(1, 2)), RED_JUNIT))
    assert run.status is Status.FAIL
    assert run.cases[1].message == "it said ? and ?"
    assert TestRun.from_json(json.loads(json.dumps(run.to_json()))) == run


def test_a_runner_that_does_not_start_is_quoted() -> None:
    said = b"ERROR: usage: x [options]\nx: error: unrecognized arguments: --cov=calc\n"
    ended = Finished(4, said, {"records.jsonl": record(end(4, 0))}, {}, 1.0)
    assert read(ended).detail.endswith("x: error: unrecognized arguments: --cov=calc")
