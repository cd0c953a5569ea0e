"""Which files of the checkout a model is shown, the likeliest first, within a budget."""

import os
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from app.agent.clean import visible
from app.models.search.files import is_test
from app.models.search.index import Index
from app.models.search.source import Source
from app.models.search.traceback import frames
from sandbox.proposer import Situation

_SECRET_NAMES = (
    ".env*",
    "*.env",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    "*.asc",
    "*.gpg",
    "id_rsa*",
    "id_dsa*",
    "id_ecdsa*",
    "id_ed25519*",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".htpasswd",
    ".git-credentials",
    "*credential*.json",
    "*secret*.json",
    "*secret*.y*ml",
    "*.tfstate*",
    "*.tfvars",
)
_SECRET_UNLESS_CODE = ("credentials", "credentials.*", "secrets", "secrets.*")
_CODE = frozenset({".py", ".js", ".ts", ".go", ".rs", ".java", ".rb", ".php", ".c", ".h", ".cpp"})
_SECRET_TEXT = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----|\bgh[pousr]_[A-Za-z0-9]{30,}|\bAKIA[0-9A-Z]{16}\b"
    r"|\bAIza[0-9A-Za-z_-]{30,}"
)
_SKIPPED = frozenset(
    {".git", ".hg", "node_modules", ".venv", "venv", "__pycache__", ".tox", "dist", "build"}
)
_LARGEST_FILE = 400_000
_MOST_FILES = 5_000
_WORD = re.compile(r"[A-Za-z_][\w./-]{2,}")
_FRAME, _IMPORTED, _TEST, _NAMED, _STEM, _WORDS = 10.0, 6.0, 5.0, 8.0, 2.0, 0.2


@dataclass(frozen=True, slots=True)
class Shown:
    """One file as shown: `text` may be the beginning only, then `whole` is False."""

    path: str
    text: str
    whole: bool


@dataclass(frozen=True, slots=True)
class Context:
    """`paths` lists the checkout; `files` are the likeliest. An empty checkout says so."""

    paths: tuple[str, ...]
    files: tuple[Shown, ...]

    @property
    def empty(self) -> bool:
        """Whether there is no file at all to change."""
        return not self.paths


def gather(situation: Situation, most: int = 80_000, first: tuple[str, ...] = ()) -> Context:
    """At most `most` characters of files; those of `first` (paths that exist) before all others."""
    root = situation.workspace
    paths = tuple(sorted(_readable(root)))
    known = set(paths)
    ranked = _ranked(situation, paths)
    wanted = list(dict.fromkeys([*(path for path in first if path in known), *ranked]))
    return Context(paths, tuple(_packed(root, wanted, most)))


def is_secret(path: str) -> bool:
    """Whether a file is kept from every prompt by its name."""
    name = path.rsplit("/", 1)[-1].lower()
    code = Path(name).suffix in _CODE
    patterns = _SECRET_NAMES if code else (*_SECRET_NAMES, *_SECRET_UNLESS_CODE)
    return any(fnmatch(name, pattern) for pattern in patterns)


def text_of(root: Path, path: str) -> str | None:
    """The text to show; None for binaries, giants, links, and files that hold a key."""
    file = root / path
    if file.is_symlink() or file.stat().st_size > _LARGEST_FILE:
        return None
    data = file.read_bytes()
    text = data.decode("utf-8", "replace")
    if b"\0" in data or _SECRET_TEXT.search(text):
        return None
    return visible(text)


def _readable(root: Path) -> Iterator[str]:
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(set(folders) - _SKIPPED)
        for name in sorted(names):
            path = (Path(folder) / name).relative_to(root).as_posix()
            if not is_secret(path) and count < _MOST_FILES:
                count += 1
                yield path


def _ranked(situation: Situation, paths: tuple[str, ...]) -> list[str]:
    """Paths with any sign that they matter, the best first; ties by path."""
    scores: defaultdict[str, float] = defaultdict(float)
    messages = [case.message for case in situation.last.cases if case.id in set(situation.targets)]
    for message in messages:
        for frame in frames(message, set(paths)):
            scores[frame.path] += _FRAME
    tests = {path for path in paths for target in situation.targets if _holds(target, path)}
    for path in tests:
        scores[path] += _TEST
    for imported in _imports(situation.workspace, tests, paths):
        scores[imported] += _IMPORTED
    _from_words(f"{situation.task.title}\n{situation.task.body}", paths, scores)
    signs = {path: score for path, score in scores.items() if score > 0}
    return sorted(signs, key=lambda path: (-signs[path], path))


def _holds(target: str, path: str) -> bool:
    """Whether the id of a test begins with this file, as a path or as a dotted module."""
    dotted = path.removesuffix(".py").replace("/", ".")
    return target == path or target.startswith((f"{path}::", f"{dotted}.", f"{dotted}::"))


def _imports(root: Path, tests: set[str], paths: tuple[str, ...]) -> set[str]:
    """The files of the checkout from which the Python files among `tests` import."""
    if not any(path.endswith(".py") for path in tests):
        return set()
    sources = (Source.read(root, each) for each in paths if each.endswith(".py"))
    index = Index.of(source for source in sources if source is not None)
    found = (index.near(path) for path in tests if path in index.modules)
    return set().union(*found) - tests


def _from_words(issue: str, paths: tuple[str, ...], scores: defaultdict[str, float]) -> None:
    words = {word.strip("./-") for word in _WORD.findall(issue)}
    small = {word.lower() for word in words}
    for path in paths:
        name = path.rsplit("/", 1)[-1]
        dotted = path.rsplit(".", 1)[0].replace("/", ".")
        if path in words or name in words or dotted in words:
            scores[path] += _NAMED
        elif name.rsplit(".", 1)[0].lower() in small:
            scores[path] += _STEM
        parts = set(re.split(r"[/._-]", path.lower()))
        scores[path] += _WORDS * len(parts & small) * (0.5 if is_test(path) else 1.0)


def _packed(root: Path, wanted: list[str], most: int) -> Iterator[Shown]:
    left = most
    for path in wanted:
        text = text_of(root, path)
        if not text:
            continue
        share = min(left, max(most // 2, 2_000))
        if share < 500:
            return
        whole = len(text) <= share
        shown = text if whole else text[:share].rpartition("\n")[0]
        left -= len(shown)
        yield Shown(path, shown, whole)
