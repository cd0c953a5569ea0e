"""Which language, image and runner a repository has: data from `manifests/toolchains`."""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from importlib.resources import files
from pathlib import Path

LAUNCHERS = Path(__file__).parent / "launchers"
SKIPPED = frozenset({".git", ".venv", "venv", "node_modules", ".tox", "build", "dist"})
READ_AT_MOST = 200_000
LISTED = "tests.json"


class NoToolchain(Exception):
    """Nothing that Patchwright knows how to test; the message says what was looked for."""


@dataclass(frozen=True, slots=True)
class Runner:
    """One test runner: `signs` are patterns of its use, `test_files` where its tests live."""

    name: str
    launcher: str
    signs: tuple[str, ...]
    test_files: tuple[str, ...]
    canary: str
    canary_template: str
    canary_id: str

    def tools(self, tests: Sequence[str] = ()) -> dict[str, bytes]:
        """The launcher, its record and the ids of `tests`, to be laid root-owned in the
        container."""
        laid = {name: (LAUNCHERS / name).read_bytes() for name in (self.launcher, "record.py")}
        return {**laid, LISTED: json.dumps(list(tests)).encode()} if tests else laid

    def argv(self, *, some: bool = False, seed: int | None = None) -> tuple[str, ...]:
        """The command of a run of the whole suite or of `some` tests, in order or shuffled.

        `-s` and a clean environment stand for `-I`, which would drop PYTHONHASHSEED as well.
        """
        shuffled = () if seed is None else ("--seed", str(seed))
        listed = ("--tests", f"/opt/patchwright/{LISTED}") if some else ()
        launcher = f"/opt/patchwright/{self.launcher}"
        return ("python3", "-s", launcher, "--report", "/report", *shuffled, *listed)


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A language with its protected patterns; `runner` is the one that the repository uses.

    `protected` are (pattern, kind), `lint` (why, regular expression of a suspicious line).
    """

    name: str
    image: str
    runner: Runner
    protected: tuple[tuple[str, str], ...]
    runner_modules: frozenset[str]
    lint: tuple[tuple[str, str], ...]


@cache
def _manifest(name: str) -> dict[str, object]:
    found = files("manifests").joinpath("toolchains", f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(found)


def detect(tree: Path) -> Toolchain:
    """The toolchain of a plain tree. Raises `NoToolchain` when no manifest matches."""
    return load("python", tree) if _is_python(tree) else _unknown(tree)


def _is_python(tree: Path) -> bool:
    detect_by = _manifest("python")["detect"]
    assert isinstance(detect_by, dict)  # noqa: S101 - the manifests ship with this code
    named = any((tree / name).is_file() for name in detect_by["files"])
    return named or any(True for _ in sources(tree, tuple(detect_by["suffixes"])))


def _unknown(tree: Path) -> Toolchain:
    if not any(tree.iterdir()):
        raise NoToolchain("the repository is empty")
    raise NoToolchain("no Python project was found: that is the only language known so far")


def sources(tree: Path, suffixes: tuple[str, ...] = (".py",)) -> Iterator[Path]:
    """Regular files of these suffixes, in a stable order, without vendored folders."""
    for entry in sorted(tree.iterdir()):
        if entry.is_symlink():
            continue
        if entry.is_dir():
            if entry.name not in SKIPPED:
                yield from sources(entry, suffixes)
        elif entry.suffix in suffixes:
            yield entry


def load(name: str, tree: Path) -> Toolchain:
    """The manifest `name` with the runner whose signs `tree` shows, the last one if none."""
    manifest = _manifest(name)
    runners = [_runner(table) for table in _tables(manifest["runners"])]
    protected = manifest["protected"]
    assert isinstance(protected, dict)  # noqa: S101 - as above
    return Toolchain(
        name=name,
        image=str(manifest["image"]),
        runner=_choose(runners, tree),
        protected=tuple((pattern, kind) for kind in protected for pattern in protected[kind]),
        runner_modules=frozenset(map(str, _list(manifest["runner_modules"]))),
        lint=tuple((str(t["why"]), str(t["pattern"])) for t in _tables(manifest["lint"])),
    )


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _tables(value: object) -> list[dict[str, object]]:
    return [table for table in _list(value) if isinstance(table, dict)]


def _runner(table: dict[str, object]) -> Runner:
    return Runner(
        name=str(table["name"]),
        launcher=str(table["launcher"]),
        signs=tuple(map(str, _list(table["signs"]))),
        test_files=tuple(map(str, _list(table["test_files"]))),
        canary=str(table["canary"]),
        canary_template=str(table["canary_template"]),
        canary_id=str(table["canary_id"]),
    )


def _choose(runners: list[Runner], tree: Path) -> Runner:
    texts = list(_telling(tree, runners))
    for runner in runners:
        signs = [re.compile(sign, re.MULTILINE) for sign in runner.signs]
        if any(sign.search(text) for text in texts for sign in signs):
            return runner
    return runners[0]


def _telling(tree: Path, runners: list[Runner]) -> Iterator[str]:
    """Configuration and test files, the only ones whose words tell the runner."""
    patterns = {pattern for runner in runners for pattern in runner.test_files} | {"conftest.py"}
    for name in ("pyproject.toml", "setup.cfg", "tox.ini", "pytest.ini"):
        if (tree / name).is_file():
            yield (tree / name).read_text(errors="replace")[:READ_AT_MOST]
    for path in sources(tree):
        if any(fnmatch(path.name, pattern) for pattern in patterns):
            yield path.read_text(errors="replace")[:READ_AT_MOST]
