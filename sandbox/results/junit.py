"""Reader of JUnit XML as a second witness; sizes are capped before, a DOCTYPE is refused."""

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
    red = (case for case in cases if any(isinstance(r, (Failure, Error)) for r in case.result))
    return frozenset(_id(case) for case in red)


def _id(case: TestCase) -> str:
    for properties in case.iterchildren(Properties):
        for held in properties:
            if held.name == ID_PROPERTY:
                return str(held.value)
    return f"{case.classname}.{case.name}"
