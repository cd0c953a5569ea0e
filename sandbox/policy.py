"""Which paths of an applied tree may differ: decided on what git says changed, path by path."""

import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pathspec import PathSpec
from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

from sandbox.collected import Collected, loses_examples
from sandbox.imports import from_import_root, is_imported
from sandbox.proposer import Refusal
from sandbox.results import CaseResult
from sandbox.toolchain import Toolchain
from sandbox.tree import ABSENT, Change

LINK, SUBMODULE, EXECUTABLE, PLAIN, NONE = "120000", "160000", "100755", "100644", "000000"
EVERYWHERE = (
    (".git*", "git settings"), (".git/", "git settings"),
    (".github/", "CI"), (".gitlab-ci.yml", "CI"), (".circleci/", "CI"), ("codeowners", "CI"),
    (".travis.yml", "CI"), ("azure-pipelines.yml", "CI"), (".pre-commit-config.yaml", "CI"),
    ("dockerfile*", "environment"), (".env*", "environment"), (".envrc", "environment"),
    (".tool-versions", "environment"), (".npmrc", "environment"), (".cargo/", "environment"),
    ("*.snap", "snapshot"), ("node_modules/", "vendored"), (".venv/", "vendored"),
)  # fmt: skip
MODULES = frozenset({".py", ".so", ".pyd"})
ODD_CATEGORIES = frozenset({"Cf", "Cc", "Cs", "Co", "Cn", "Zl", "Zp"})
WORDS = {
    "tests": "a test or its data",
    "configuration": "configuration that decides what runs",
    "manifests": "a manifest or lock file",
}


@dataclass(frozen=True, slots=True)
class Refused:
    """One path that must not differ, and why."""

    path: str
    why: str


def fold(path: str) -> str:
    """The form in which paths are compared: NFKC, no case."""
    return unicodedata.normalize("NFKC", path).casefold()


class Policy:
    """The protected paths of one repository. `patterns` are (gitignore pattern, kind)."""

    def __init__(
        self,
        patterns: Iterable[tuple[str, str]],
        runner_modules: frozenset[str] = frozenset(),
        root: Path | None = None,
        collected: Collected | None = None,
    ) -> None:
        self._specs = [
            (PathSpec([GitIgnoreSpecPattern(fold(pattern))]), pattern, kind)
            for pattern, kind in patterns
        ]
        self._shadowing = runner_modules | sys.stdlib_module_names
        self._root = root
        self._collected = collected or Collected()

    @classmethod
    def of(cls, toolchain: Toolchain, root: Path, cases: Iterable[CaseResult] = ()) -> "Policy":
        """What is protected everywhere, what the toolchain adds, and what the runner collected
        (`cases` of the baseline), for the base tree `root`."""
        patterns = (*EVERYWHERE, *toolchain.protected)
        return cls(patterns, toolchain.runner_modules, root, Collected.of(cases, root))

    def protects(self, path: str) -> str | None:
        """The kind of protected path this is, None when it is source."""
        folded = fold(path)
        for spec, pattern, kind in self._specs:
            if spec.match_file(folded) and not self._imported_folder(pattern, kind, path):
                return kind
        return "tests" if path in self._collected.tests else None

    def _imported_folder(self, pattern: str, kind: str, path: str) -> bool:
        """A module in a folder that is called like tests, but that the source itself uses.

        Only inside of a package: whoever imports a top-level `tests` runs them.
        """
        if kind != "tests" or not pattern.endswith("/") or self._root is None:
            return False
        parts = from_import_root(PurePosixPath(path).parts)
        names = [n for n, part in enumerate(parts[:-1]) if fold(part) == pattern.rstrip("/")]
        inside = bool(names) and names[0] > 0 and path.endswith(".py")
        return inside and is_imported(self._root, parts[: names[-1] + 1])

    def check(
        self, changes: Iterable[Change], blob: Callable[[str], bytes], base_paths: Iterable[str]
    ) -> tuple[Refused, ...]:
        """Each refused path once, with the first reason found."""
        folded_base = {fold(path): path for path in base_paths}
        found = ((c.path, self._why(c, blob, folded_base)) for c in changes)
        return tuple(Refused(path, why) for path, why in found if why)

    def _why(
        self, change: Change, blob: Callable[[str], bytes], folded_base: dict[str, str]
    ) -> str | None:
        reasons = (
            self._by_path(change),
            _by_name(change, folded_base),
            _by_mode(change),
            self._by_shadow(change, folded_base),
            _by_content(change, blob),
            self._by_examples(change, blob),
        )
        return next((reason for reason in reasons if reason), None)

    def _by_path(self, change: Change) -> str | None:
        kind = self.protects(change.path)
        return None if kind is None else WORDS.get(kind, kind)

    def _by_shadow(self, change: Change, folded_base: dict[str, str]) -> str | None:
        """A new top-level module that is found before the standard library's or the runner's.

        A package of that name that is there already stays what it is; a folder is none without
        its `__init__`.
        """
        if change.old_mode != NONE:
            return None
        whole = PurePosixPath(change.path)
        parts = from_import_root(whole.parts)
        name = parts[0].partition(".")[0]
        package = len(parts) > 1 and parts[1].partition(".")[0] == "__init__"
        module = package or (len(parts) == 1 and whole.suffix in MODULES)
        root = PurePosixPath(*whole.parts[: len(whole.parts) - len(parts)])
        there = any(fold(str(root / name / "__init__.py")) == path for path in folded_base)
        shadows = module and not there and name in self._shadowing
        return f"shadows the module {name}" if shadows else None

    def _by_examples(self, change: Change, blob: Callable[[str], bytes]) -> str | None:
        """A doctest is a test, wherever it stands; the source around it is not."""
        if change.path not in self._collected.doctests or change.old_mode == NONE:
            return None
        new = b"" if change.new_mode == NONE else blob(change.new_blob)
        python = change.path.endswith(".py")
        lost = loses_examples(blob(change.old_blob), new, python=python)
        return "a doctest, whose examples must stay as they are" if lost else None


def _by_name(change: Change, folded_base: dict[str, str]) -> str | None:
    """A path that the diff brings in; what the base calls its files is its own affair."""
    if change.old_mode != NONE:
        return None
    odd = [sign for sign in change.path if unicodedata.category(sign) in ODD_CATEGORIES]
    if odd or change.path != unicodedata.normalize("NFKC", change.path):
        return "a path with invisible or look-alike characters"
    twin = folded_base.get(fold(change.path))
    if twin and twin != change.path:
        return f"differs from {twin} only in case"
    return None


def _by_mode(change: Change) -> str | None:
    if LINK in (change.old_mode, change.new_mode):
        return "a symbolic link"
    if SUBMODULE in (change.old_mode, change.new_mode):
        return "a submodule"
    if change.old_mode == NONE and change.new_mode == EXECUTABLE:
        return "a new executable"
    if NONE not in (change.old_mode, change.new_mode) and change.old_mode != change.new_mode:
        return "a changed file mode"
    return None


def _by_content(change: Change, blob: Callable[[str], bytes]) -> str | None:
    if change.new_blob == ABSENT or change.new_mode == NONE:
        return None
    return "binary content" if b"\0" in blob(change.new_blob) else None


def refusal(refused: tuple[Refused, ...]) -> Refusal:
    """The whole diff's refusal, with each path and its reason."""
    return Refusal("protected_path", "\n".join(_lines(refused)), tuple(r.path for r in refused))


def _lines(refused: tuple[Refused, ...]) -> Iterator[str]:
    yield "The diff was refused whole, because it touches what may not be changed:"
    yield from (f"- {one.path}: {one.why}" for one in refused)
    yield "Fix the source and leave these paths as they are."
