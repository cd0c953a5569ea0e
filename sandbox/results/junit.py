"""Reader of JUnit XML as a second witness; sizes are capped before, a DOCTYPE is refused."""

import json
from xml.etree.ElementTree import ParseError

from junitparser import Error, Failure, JUnitXml, Properties, TestCase, TestSuite

ID_PROPERTY = "patchwright_id"


class BadReport(Exception):
    """The report is not one that the runner writes; the message says what is wrong with it."""


def red_ids(content: bytes) -> frozenset[str]:
    """Ids of the test cases with a failure or an error.

    Raises `BadReport`, also for a DOCTYPE: entities of a report grow in any XML parser.
    """
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise BadReport("the JUnit report declares a document type")
    try:
        root = JUnitXml.fromstring(content)
    except (ParseError, ValueError, AttributeError, TypeError) as error:
        raise BadReport(f"the JUnit report cannot be parsed: {error}") from error
    suites = [root] if root._tag == TestSuite._tag else list(root)
    cases = [case for suite in suites for case in suite if isinstance(case, TestCase)]
    known = {_name(case): named for case in cases if (named := _id(case)) is not None}
    red = (case for case in cases if any(isinstance(r, (Failure, Error)) for r in case.result))
    return frozenset(_id(case) or known.get(_name(case)) or ".".join(_name(case)) for case in red)


def _id(case: TestCase) -> str | None:
    """The launcher's id, in JSON; None for the first part of a test that pytest reports in two,
    because its tear-down failed as well."""
    for properties in case.iterchildren(Properties):
        for held in properties:
            if held.name == ID_PROPERTY:
                return _decoded(str(held.value))
    return None


def _decoded(value: str) -> str:
    try:
        return str(json.loads(value))
    except ValueError as error:
        raise BadReport("the JUnit report names a test as no launcher does") from error


def _name(case: TestCase) -> tuple[str, str]:
    return str(case.classname), str(case.name)
