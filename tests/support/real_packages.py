"""Facts of a few packages on the index: historic bugs, and operators whose flip a test notices.

Names, versions, checksums, places and counts, measured with plain pytest and `python -m unittest`;
no line of the packages themselves.
"""

from dataclasses import dataclass
from pathlib import Path

from tests.support.distributions import Release
from tests.support.history import Facts

H11 = Facts(
    Release("h11", "0.15.0", "2a7db2d2beffd4e6c6bbe3a64305ab77d89087976e8aed8fdcff4b054744e72f"),
    Release("h11", "0.16.0", "4e35b956cf45792e4caa5885e69fba00bdbc6ffafbfa020300e549b208ee5ff1"),
    source="h11",
    tests="h11/tests",
    failing=("h11/tests/test_io.py::test_ChunkedReader",),
    passing=77,
)
CACHETOOLS = Facts(
    Release(
        "cachetools", "5.5.1", "70f238fbba50383ef62e55c6aff6d9673175fe59f7c6782c7a0b9e38f4a9df95"
    ),
    Release(
        "cachetools", "5.5.2", "1a661caa9175d26759571b2e19580f9d6393969e5dfca11fdb1f947a23e640d4"
    ),
    source="src/cachetools",
    tests="tests",
    failing=("tests.test_cached.CacheWrapperTest.test_decorator_lock_info",),
    passing=215,
)
PARSE = Facts(
    Release("parse", "1.20.1", "09002ca350ad42e76629995f71f7b518670bcf93548bdde3684fd55d2be51975"),
    Release("parse", "1.20.2", "b41d604d16503c79d81af5165155c0b20f6c8d6c559efa66b4b695c3e5a0a0ce"),
    source="parse.py",
    tests="tests",
    failing=(
        "tests/test_parse.py::test_hyphen_inside_field_name",
        "tests/test_parse.py::test_hyphen_inside_field_name_collision_handling",
    ),
    passing=94,
    skipped=1,
)
XMLTODICT = Facts(
    Release(
        "xmltodict", "0.14.1", "338c8431e4fc554517651972d62f06958718f6262b04316917008e8fd677a6b0"
    ),
    Release(
        "xmltodict", "0.14.2", "201e7c28bb210e374999d1dde6382923ab0ed1a8a5faeece48ab525b7810a553"
    ),
    source="xmltodict.py",
    tests="tests",
    failing=(
        "tests.test_xmltodict.XMLToDictTestCase.test_keep_whitespace",
        "tests.test_xmltodict.XMLToDictTestCase.test_skip_whitespace",
    ),
    passing=58,
)
TABULATE = Facts(
    Release(
        "tabulate", "0.8.8", "26f2589d80d332fefd2371d396863dedeb806f51b54bdb4b264579270b621e92"
    ),
    Release(
        "tabulate", "0.8.9", "eb1d13f25760052e8931f2ef80aaf6045a6cceb47514db8beab24cded16f13a7"
    ),
    source="tabulate.py",
    tests="test",
    failing=(
        "test/test_regression.py::"
        "test_string_with_comma_between_digits_without_floatfmt_grouping_option",
    ),
    passing=155,
    skipped=20,
)
SQLPARSE = Facts(
    Release(
        "sqlparse", "0.5.1", "bb6b4df465655ef332548e24f08e205afc81b9ab86cb1c45657a7ff173a3a00e"
    ),
    Release(
        "sqlparse", "0.5.2", "9e37b35e16d1cc652a2545f0997c1deb23ea28fa1f3eefe609eee3063c3b105f"
    ),
    source="sqlparse",
    tests="tests",
    failing=("tests/test_format.py::TestFormat::test_strip_comments_preserves_hint",),
    passing=460,
)


@dataclass(frozen=True, slots=True)
class Flip:
    """One operator of a release, at this line, once, and what it is turned into."""

    release: Release
    path: str
    line: int
    old: str
    new: str

    def __str__(self) -> str:
        """For the name of a test's case."""
        return f"{self.release.name}:{self.line}"

    def into(self, root: Path) -> None:
        """Turn it in the release's files below `root`."""
        lines = (root / self.path).read_bytes().splitlines(keepends=True)
        old, new = f" {self.old} ".encode(), f" {self.new} ".encode()
        assert lines[self.line - 1].count(old) == 1, self
        lines[self.line - 1] = lines[self.line - 1].replace(old, new)
        (root / self.path).write_bytes(b"".join(lines))


FLIPS = (
    Flip(CACHETOOLS.after, "src/cachetools/__init__.py", 81, "-", "+"),
    Flip(CACHETOOLS.after, "src/cachetools/__init__.py", 409, "<", "<="),
    Flip(CACHETOOLS.after, "src/cachetools/__init__.py", 556, "<", "<="),
    Flip(XMLTODICT.after, "xmltodict.py", 65, "==", "!="),
    Flip(XMLTODICT.after, "xmltodict.py", 92, ">=", ">"),
    Flip(XMLTODICT.after, "xmltodict.py", 112, "==", "!="),
)
