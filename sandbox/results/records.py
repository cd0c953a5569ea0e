"""Reader of the launchers' line-by-line record."""

import json
from dataclasses import dataclass
from typing import Any

from sandbox.results.junit import BadReport
from sandbox.results.model import CaseResult, Result


@dataclass(frozen=True, slots=True)
class Records:
    """`returned` is None where the explicit end is missing."""

    cases: tuple[CaseResult, ...]
    uncollectable: tuple[tuple[str, str], ...]
    returned: int | None
    count: int


def read_records(content: bytes) -> Records:
    """Raises `BadReport` for anything that a launcher does not write."""
    cases: list[CaseResult] = []
    uncollectable: list[tuple[str, str]] = []
    end: dict[str, Any] | None = None
    for line in content.splitlines():
        if end is not None:
            raise BadReport("the record goes on after its end")
        fields = _fields(line)
        if fields["kind"] == "case":
            cases.append(_case(fields))
        elif fields["kind"] == "collection_error":
            uncollectable.append((str(fields["id"]), _printable(str(fields["message"]))))
        else:
            end = fields
    returned = int(end["returned"]) if end else None
    return Records(tuple(cases), tuple(uncollectable), returned, int(end["count"]) if end else 0)


def _fields(line: bytes) -> dict[str, Any]:
    try:
        fields = json.loads(line)
    except ValueError as error:
        raise BadReport("a line of the record is not JSON") from error
    kinds = {
        "case": {"id", "result", "seconds", "message", "file"},
        "collection_error": {"id", "message"},
        "end": {"returned", "count"},
    }
    if not isinstance(fields, dict) or set(fields) - {"kind"} != kinds.get(fields.get("kind", "")):
        raise BadReport("a line of the record has other fields than a launcher writes")
    return fields


def _case(fields: dict[str, Any]) -> CaseResult:
    try:
        return CaseResult(
            id=str(fields["id"]),
            result=Result(fields["result"]),
            seconds=float(fields["seconds"]),
            message=_printable(str(fields["message"])),
            file=str(fields["file"]),
        )
    except (TypeError, ValueError) as error:
        raise BadReport(f"a test of the record has no proper result: {error}") from error


def _printable(message: str) -> str:
    """Text that can be stored and sent: halves of characters, which no encoding has, go."""
    return message.encode("utf-8", "replace").decode("utf-8")
