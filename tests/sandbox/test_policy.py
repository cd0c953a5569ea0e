"""Protected paths: decided on the applied tree, whatever the diff's text looked like."""

import unicodedata
from pathlib import Path

import pytest

from sandbox.policy import Policy
from sandbox.proposer import Refusal
from sandbox.toolchain import load
from sandbox.workspace import Workspace
from tests.support.repositories import CALC, FIX, TESTS, calc, diff_of

GREEN = TESTS.replace("== 3", "== -1")
CHEATS = {
    "edits the test": diff_of("tests/test_calc.py", TESTS, GREEN),
    "deletes the test": diff_of("tests/test_calc.py", TESTS, None),
    "adds a conftest": diff_of("conftest.py", None, "collect_ignore = ['tests']\n"),
    "adds a conftest in another case": diff_of("Conftest.PY", None, "x = 1\n"),
    "adds a conftest in a full-width spelling": diff_of("\uff43onftest.py", None, "x = 1\n"),
    "adds pytest.toml": diff_of("pytest.toml", None, "[pytest]\naddopts = '-k mul'\n"),
    "adds .pytest.toml": diff_of(".pytest.toml", None, "[pytest]\n"),
    "adds pyproject.toml": diff_of("pyproject.toml", None, "[tool.pytest.ini_options]\n"),
    "adds a plugin's entry point": diff_of(
        "zz-1.0.dist-info/entry_points.txt", None, "[pytest11]\nzz = zz\n"
    ),
    "adds a workflow": diff_of(".github/workflows/x.yml", None, "on: push\n"),
    "adds git attributes": diff_of(".gitattributes", None, "* filter=x\n"),
    "shadows the standard library": diff_of("json.py", None, "dumps = repr\n"),
    "shadows the runner": diff_of("pytest.py", None, "x = 1\n"),
    "shadows it from src": diff_of("src/unittest/__init__.py", None, "x = 1\n"),
    "adds sitecustomize": diff_of("sitecustomize.py", None, "import os\n"),
    "adds npm settings": diff_of(".npmrc", None, "script-shell=/bin/true\n"),
    "adds cargo settings": diff_of(".cargo/config.toml", None, "[build]\n"),
    "changes a lock file": diff_of("uv.lock", None, "version = 1\n"),
    "hides a name": diff_of("tests\u200b.txt", None, "x\n"),
    "beside an honest fix": FIX + diff_of("tests/test_calc.py", TESTS, GREEN),
}


def workspace(tmp_path: Path, *, guarded: bool = True) -> Workspace:
    source = calc(tmp_path / "source")
    policy = Policy.of(load("python", source), source) if guarded else Policy([])
    return Workspace(source, tmp_path / "home", policy)


@pytest.mark.parametrize("diff", CHEATS.values(), ids=CHEATS.keys())
def test_a_protected_path_refuses_the_whole_diff(tmp_path: Path, diff: str) -> None:
    guarded = workspace(tmp_path)
    refused = guarded.apply(diff)
    assert isinstance(refused, Refusal)
    assert refused.reason == "protected_path", refused.message
    assert guarded.diff() == ""
    assert (guarded.root / "calc.py").read_text() == CALC


OPEN_WITHOUT_GUARD = {
    name: diff
    for name, diff in CHEATS.items()
    if not name.startswith(("hides", "shadows", "adds a conftest in a full"))
}


@pytest.mark.parametrize("diff", OPEN_WITHOUT_GUARD.values(), ids=OPEN_WITHOUT_GUARD.keys())
def test_control_without_the_guard_the_same_diff_is_applied(tmp_path: Path, diff: str) -> None:
    applied = workspace(tmp_path, guarded=False).apply(diff)
    assert isinstance(applied, str), applied


def test_an_honest_fix_passes(tmp_path: Path) -> None:
    guarded = workspace(tmp_path)
    assert isinstance(guarded.apply(FIX), str)


HONEST = [
    diff_of("helpers.py", None, "def double(a):\n    return 2 * a\n"),
    diff_of("calc/attest.py", None, "x = 1\n"),
    diff_of("protest.py", None, "x = 1\n"),
    diff_of("docs/testing-guide.md", None, "text\n"),
    diff_of("contest/latest.py", None, "x = 1\n"),
]


@pytest.mark.parametrize("diff", HONEST)
def test_names_that_only_look_like_tests_are_source(tmp_path: Path, diff: str) -> None:
    assert isinstance(workspace(tmp_path).apply(diff), str)


def test_every_refused_path_is_told_once_with_its_reason(tmp_path: Path) -> None:
    diff = CHEATS["edits the test"] + CHEATS["adds a conftest"]
    refused = workspace(tmp_path).apply(diff)
    assert isinstance(refused, Refusal)
    assert sorted(refused.paths) == ["conftest.py", "tests/test_calc.py"]
    assert refused.message.count("conftest.py") == 1


@pytest.mark.parametrize(
    "statement",
    ["from web.test.client import Client\n", "from .test import client\n", "import web.test\n"],
)
def test_a_folder_called_test_that_the_source_imports_is_source(
    tmp_path: Path, statement: str
) -> None:
    """`django/test` holds a test client, `numpy/testing` assertions: people fix bugs there."""
    source = calc(
        tmp_path / "source",
        **{
            "web/__init__.py": statement,
            "web/test/__init__.py": "",
            "web/test/client.py": "Client = 1\n",
            "web/test/test_client.py": "def test_a():\n    pass\n",
        },
    )
    guarded = Workspace(source, tmp_path / "home", Policy.of(load("python", source), source))
    assert isinstance(
        guarded.apply(diff_of("web/test/client.py", "Client = 1\n", "Client = 2\n")), str
    )
    guarded.restore(guarded.base)
    test = "def test_a():\n    pass\n"
    assert isinstance(guarded.apply(diff_of("web/test/test_client.py", test, "x = 1\n")), Refusal)
    assert isinstance(guarded.apply(diff_of("tests/data.py", None, "x = 1\n")), Refusal)


def test_a_test_that_imports_its_folder_does_not_make_it_source(tmp_path: Path) -> None:
    source = calc(
        tmp_path / "source",
        **{
            "tests/helper.py": "VALUE = 3\n",
            "tests/__init__.py": "",
            "tests/test_h.py": "from tests.helper import VALUE\n",
            "test_root.py": "from tests.helper import VALUE\n",
            "pkg/__init__.py": "from . import tests\n",
            "pkg/tests/__init__.py": "",
        },
    )
    guarded = Workspace(source, tmp_path / "home", Policy.of(load("python", source), source))
    assert isinstance(
        guarded.apply(diff_of("tests/helper.py", "VALUE = 3\n", "VALUE = -1\n")), Refusal
    )


OWN = {
    "packaging/__init__.py": "",
    "src/email/__init__.py": "",
    "code/notes.txt": "x\n",
    unicodedata.normalize("NFD", "caf\u00e9.py"): "x = 1\n",
}
ITS_OWN_AFFAIR = [
    diff_of("packaging/more.py", None, "x = 1\n"),
    diff_of("src/email/more.py", None, "x = 1\n"),
    diff_of("code/more.txt", None, "x\n"),
    diff_of(unicodedata.normalize("NFD", "caf\u00e9.py"), "x = 1\n", "x = 2\n"),
]


@pytest.mark.parametrize("diff", ITS_OWN_AFFAIR)
def test_names_that_the_base_has_already_are_its_own_affair(tmp_path: Path, diff: str) -> None:
    """`pypa/packaging` has a package that the runner uses, too; macOS writes names decomposed."""
    source = calc(tmp_path / "source", **OWN)
    guarded = Workspace(source, tmp_path / "home", Policy.of(load("python", source), source))
    applied = guarded.apply(diff)
    assert isinstance(applied, str), applied


SHADOWS = ["code/__init__.py", "src/json/__init__.py", "lib/pluggy.py", "email/__init__.py"]


@pytest.mark.parametrize("path", SHADOWS)
def test_a_folder_that_becomes_a_package_shadows(tmp_path: Path, path: str) -> None:
    source = calc(tmp_path / "source", **OWN)
    guarded = Workspace(source, tmp_path / "home", Policy.of(load("python", source), source))
    refused = guarded.apply(diff_of(path, None, "x = 1\n"))
    assert isinstance(refused, Refusal)
    assert "shadows the module" in refused.message


def test_who_imports_the_tests_to_run_them_does_not_open_them(tmp_path: Path) -> None:
    """A script, or a package's own command for its tests; and data is never imported."""
    held = {
        "run_tests.py": "import tests.helper\nfrom tests import helper\n",
        "tests/__init__.py": "",
        "tests/helper.py": "VALUE = 3\n",
        "tests/expected.json": "3\n",
        "web/__init__.py": "from web.test import client\n",
        "web/test/__init__.py": "",
        "web/test/client.py": "Client = 1\n",
        "web/test/expected.json": "3\n",
    }
    source = calc(tmp_path / "source", **held)
    guarded = Workspace(source, tmp_path / "home", Policy.of(load("python", source), source))
    for path in ("tests/helper.py", "tests/expected.json", "web/test/expected.json"):
        refused = guarded.apply(diff_of(path, held[path], held[path].replace("3", "-1")))
        assert isinstance(refused, Refusal), path
