"""Definitions and imports of all Python files of a checkout, found by name."""

import ast
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from app.models.search.source import Source

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """A function, method, class or assignment; `owner` is the class around it."""

    path: str
    name: str
    node: ast.stmt
    owner: str | None = None

    @property
    def lines(self) -> tuple[int, int]:
        """First line (decorators included) and last line."""
        marks = getattr(self.node, "decorator_list", [])
        first = min([self.node.lineno, *(mark.lineno for mark in marks)])
        return first, self.node.end_lineno or first


@dataclass(slots=True)
class Module:
    """What one file defines and where its names come from (`local name → module, name there`)."""

    source: Source
    definitions: list[Definition]
    imports: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)

    def around(self, line: int) -> Definition | None:
        """The innermost function, else the assignment, that holds `line`."""
        holding = [
            item
            for item in self.definitions
            if item.lines[0] <= line <= item.lines[1] and not isinstance(item.node, ast.ClassDef)
        ]
        return min(holding, key=lambda item: item.lines[1] - item.lines[0], default=None)


@dataclass(slots=True)
class Index:
    """All modules by path; definitions by name, by attribute they set, by global they touch."""

    modules: dict[str, Module] = field(default_factory=dict)
    by_name: dict[str, list[Definition]] = field(default_factory=lambda: defaultdict(list))
    stores: dict[str, list[Definition]] = field(default_factory=lambda: defaultdict(list))
    users: dict[tuple[str, str], list[Definition]] = field(
        default_factory=lambda: defaultdict(list)
    )
    by_tail: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    tests: frozenset[str] = frozenset()
    _near: dict[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, sources: Iterable[Source], tests: Iterable[str] = ()) -> "Index":
        """The index of `sources`; `tests` are the paths among them that hold tests."""
        index = cls(tests=frozenset(tests))
        for source in sources:
            index.add(source)
        return index

    def add(self, source: Source) -> None:
        """Put one more file into the index."""
        module = Module(source, list(_definitions(source)))
        for node in ast.walk(source.tree):
            _note_import(module, node)
        self.modules[source.path] = module
        self.by_tail[_dotted(source.path).rpartition(".")[2]].append(source.path)
        for item in module.definitions:
            self.by_name[item.name].append(item)
            if isinstance(item.node, Function):
                self._note_use(item)

    def _note_use(self, item: Definition) -> None:
        """Which function sets which attribute of `self`, and which touches which plain name."""
        stored = dict.fromkeys(
            node.attr
            for node in ast.walk(item.node)
            if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
        )
        for name in stored:
            self.stores[name].append(item)
        names = dict.fromkeys(n.id for n in ast.walk(item.node) if isinstance(n, ast.Name))
        for name in names:
            self.users[item.path, name].append(item)

    def module(self, dotted: str) -> str | None:
        """The file behind a dotted name: the shortest path that ends with it."""
        tail = dotted.rpartition(".")[2]
        fitting = [
            path
            for path in self.by_tail.get(tail, ())
            if f".{_dotted(path)}".endswith(f".{dotted}")
        ]
        return min(fitting, key=lambda path: (path.count("/"), path), default=None)

    def defined(self, path: str, name: str, hops: int = 3) -> list[Definition]:
        """Where the module-level `name` of the file `path` is defined, re-exports followed."""
        module = self.modules[path]
        own = [item for item in module.definitions if item.name == name and item.owner is None]
        if own or hops == 0:
            return own
        if name in module.imports:
            return self.imported(*module.imports[name], hops - 1)
        for star in module.stars:
            behind = self.module(star)
            found = self.defined(behind, name, hops - 1) if behind else []
            if found:
                return found
        return []

    def near(self, path: str) -> frozenset[str]:
        """The file itself and the files that it imports from, re-exports followed."""
        if path not in self._near:
            self._near[path] = frozenset(self._neighbours(self.modules[path]))
        return self._near[path]

    def _neighbours(self, module: Module) -> Iterator[str]:
        yield module.source.path
        for dotted, name in module.imports.values():
            yield from (item.path for item in self.imported(dotted, name))
            for full in (dotted, f"{dotted}.{name}"):
                yield from filter(None, [self.module(full)])
        yield from filter(None, map(self.module, module.stars))

    def imported(self, dotted: str, name: str | None, hops: int = 3) -> list[Definition]:
        """What `from dotted import name` brings, when it comes from this checkout."""
        behind = self.module(dotted)
        return self.defined(behind, name, hops) if behind and name else []


def _definitions(source: Source) -> Iterator[Definition]:
    yield from _in_body(source.path, source.tree.body, None)


def _in_body(path: str, body: list[ast.stmt], owner: str | None) -> Iterator[Definition]:
    for node in body:
        if isinstance(node, Function):
            yield Definition(path, node.name, node, owner)
        elif isinstance(node, ast.ClassDef):
            yield Definition(path, node.name, node, owner)
            yield from _in_body(path, node.body, node.name)
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            yield from (Definition(path, name, node, owner) for name in _assigned(node))
        elif isinstance(node, ast.If | ast.Try | ast.With):
            for part in ("body", "orelse", "finalbody"):
                yield from _in_body(path, getattr(node, part, []), owner)


def _assigned(node: ast.Assign | ast.AnnAssign | ast.AugAssign) -> list[str]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [
        part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)
    ]


def _note_import(module: Module, node: ast.AST) -> None:
    if isinstance(node, ast.Import):
        for alias in node.names:
            module.imports[alias.asname or alias.name.partition(".")[0]] = (
                alias.name if alias.asname else alias.name.partition(".")[0],
                None,
            )
    elif isinstance(node, ast.ImportFrom):
        base = _absolute(module.source.path, node)
        for alias in node.names:
            if alias.name == "*":
                module.stars.append(base)
            else:
                module.imports[alias.asname or alias.name] = (base, alias.name)


def _absolute(path: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    folders = path.split("/")[: -node.level]
    return ".".join([*folders, *([node.module] if node.module else [])])


def _dotted(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
