"""Tests that must fail, laid beside the targets: who hides failures hides these too."""

import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from sandbox.results import TestRun
from sandbox.toolchain import Runner


@dataclass(frozen=True, slots=True)
class Canaries:
    """Files to lay over the tree and the ids that the runner must report as failed."""

    overlay: Mapping[str, bytes]
    ids: frozenset[str]


def plant(runner: Runner, tree: Path, run: TestRun, targets: Iterable[str]) -> Canaries:
    """One canary in each folder that holds a target, under a name nobody can know before.

    None where the runner does not say in which file a target lives.
    """
    wanted = set(targets)
    files = sorted({case.file for case in run.cases if case.id in wanted and case.file})
    beside = {PurePosixPath(file).parent: PurePosixPath(file) for file in files}
    overlay, ids = dict[str, bytes](), set[str]()
    for folder, sibling in sorted(beside.items()):
        token = "c" + secrets.token_hex(8)
        path = folder / _name(sibling, token)
        overlay[path.as_posix()] = runner.canary_template.format(token=token).encode()
        module = _module(tree, path)
        ids.add(runner.canary_id.format(path=path.as_posix(), token=token, module=module))
    return Canaries(overlay, frozenset(ids))


def _name(sibling: PurePosixPath, token: str) -> str:
    """A name that whatever pattern collects the sibling should collect too."""
    if sibling.stem.endswith(("_test", "_tests")):
        return f"{token}_{sibling.name}"
    return f"{sibling.stem}_{token}{sibling.suffix}"


def _module(tree: Path, path: PurePosixPath) -> str:
    """The dotted name under which the file is imported: up to the topmost package."""
    parts, folder = [path.stem], path.parent
    while folder.parts and (tree / folder / "__init__.py").is_file():
        parts.insert(0, folder.name)
        folder = folder.parent
    return ".".join(parts)
