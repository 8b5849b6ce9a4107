"""Questions to the rest of a tree, noted with their answers, so that a resolution holds in every tree that answers alike.

    module     a key of `layout.Layout.answer`             → the paths
    layout     python:DIRECTORY, javascript:DIRECTORY      → what project files say about imports there
    interface  PATH::NAME, PATH::* (the module as such)    → a hash of what can be seen of it from outside
    name       NAME                                        → the definitions that bear it
    routes     PATH                                        → a hash of all its facts, for whoever mounts its routers

`Tree` answers for one tree and keeps what it computed; a `View` is the tree as the resolution of one file sees it, and notes.
"""

from __future__ import annotations

import posixpath
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import Literal

import msgspec

from analyzers.facts import FileFacts
from analyzers.registry import classify
from knowledge.graph import shapes
from knowledge.graph.layout import Layout, decode, encode
from knowledge.graph.outline import Outline
from knowledge.graph.shared import Nesting, Shared
from knowledge.graph.source import Candidate, FactSource
from knowledge.records.identifiers import SymbolId
from knowledge.records.stored import Read

ReadKind = Literal["module", "layout", "interface", "name", "routes"]

DEFINERS = 40
"""Names with more definitions than this are not told apart: their definitions are "many"."""
_OUTLINES = 3_000
"""How many outlines are kept."""
_MANY = "many"
_WHOLE = "*"


class Tree:
    """One tree for the resolver: outlines and answers, computed once. Its answers must not change while it is used."""

    def __init__(self, source: FactSource, layout: Layout | None = None) -> None:
        self.source = source
        self.layout = layout or Layout(source)
        self._outlines: OrderedDict[bytes, Outline | None] = OrderedDict()
        self._answers: dict[tuple[str, str], str] = {}
        self._candidates: dict[str, tuple[Candidate, ...] | None] = {}
        self._symbols: dict[tuple[bytes, int], SymbolId] = {}
        self._tests: dict[bytes, bool] = {}
        self.nesting = Nesting()
        self.orders = Shared(self.nesting)
        self.kept: dict[str, object] = {}
        """What a language's resolver keeps for all files of this tree: it goes when the tree goes."""

    def outline(self, path: bytes) -> Outline | None:
        """The outline of a file; None where it has no facts."""
        if path in self._outlines:
            return self._outlines[path]
        facts = self.source.outline(path) if path in self.layout.paths else None
        found = Outline(path, facts) if facts is not None else None
        self._outlines[path] = found
        if len(self._outlines) > _OUTLINES:
            self._outlines.popitem(last=False)
        return found

    def facts(self, path: bytes) -> FileFacts | None:
        """All the facts of a file; None where it has none."""
        return self.source.facts(path) if path in self.layout.paths else None

    def candidates(self, name: str) -> tuple[Candidate, ...] | None:
        """Definitions with this short name; None: too many to tell apart."""
        if name not in self._candidates:
            definers = self.source.definers(name)
            self._candidates[name] = None if len(definers) > DEFINERS else tuple(definers)
        return self._candidates[name]

    def is_test(self, path: bytes) -> bool:
        """Whether a file is there for tests, by its path."""
        if path not in self._tests:
            self._tests[path] = "test" in classify(path)
        return self._tests[path]

    def symbol(self, path: bytes, index: int) -> SymbolId:
        """The identity of a definition."""
        found = self._symbols.get((path, index))
        if found is None:
            outline = self.outline(path)
            definition = outline.definitions[index] if outline is not None else None
            found = SymbolId(path, definition.qualified_name, definition.ordinal) if definition is not None else SymbolId(path, "")
            self._symbols[path, index] = found
        return found

    def lambda_symbol(self, path: bytes, scope: int) -> SymbolId | None:
        """The identity of an anonymous function: its place among those of the definition that it stands in."""
        outline = self.outline(path)
        number = outline.lambdas.get(scope) if outline is not None else None
        if outline is None or number is None:
            return None
        around = outline.definitions[outline.scopes[scope].definition].qualified_name
        return SymbolId(path, f"{around}.<lambda{number}>" if around else f"<lambda{number}>")

    def answer(self, kind: str, key: str) -> str:
        """The answer to a question that a resolution may have noted, as text: a hash where it is long."""
        found = self._answers.get((kind, key))
        if found is None:
            found = self._answers[kind, key] = self._compute(kind, key)
        return found

    def _compute(self, kind: str, key: str) -> str:
        if kind == "module":
            return _short("\n".join("/" + decode(path) for path in self.layout.answer(key)))
        if kind == "layout":
            language, _, text = key.partition(":")
            directory, javascript = encode(text), self.layout.javascript
            return _short(self.layout.describe_python(directory) if language == "python" else javascript.describe(posixpath.join(directory, b"x")))
        if kind == "interface":
            path, _, name = key.rpartition("::")
            outline = self.outline(encode(path))
            if outline is None:
                return shapes.ABSENT
            return shapes.module_shape(outline) if name == _WHOLE else shapes.name_shape(outline, name)
        if kind == "routes":
            facts = self.facts(encode(key))
            return blake2b(msgspec.msgpack.encode(facts), digest_size=16).hexdigest() if facts is not None else shapes.ABSENT
        found = self.candidates(key)
        if found is None:
            return _MANY
        return _short("\n".join(f"{decode(c.path)}::{c.qualified_name}#{c.ordinal} {c.kind} {c.is_overload}" for c in found))


class View:
    """One tree as the resolution of `importer` sees it. Every question about another file is noted."""

    def __init__(self, tree: Tree, importer: bytes) -> None:
        self.tree = tree
        self.importer = importer
        self._noted: set[tuple[str, str]] = set()
        self._keys: dict[tuple[bytes, str], tuple[str, str]] = {}

    def reads(self) -> tuple[Read, ...]:
        """What was asked of other files, sorted, with the answers."""
        own = f"{decode(self.importer)}::"
        noted = sorted((kind, key) for kind, key in self._noted if kind != "interface" or not key.startswith(own))
        return tuple(Read(kind, key, self.tree.answer(kind, key)) for kind, key in noted)

    def noted(self) -> frozenset[tuple[str, str]]:
        """What was asked so far, as keys."""
        return frozenset(self._noted)

    def note(self, keys: Iterable[tuple[str, str]]) -> None:
        """That the answers to these questions were used."""
        self._noted.update(keys)

    def routes(self, path: bytes) -> FileFacts | None:
        """The facts of a file whose routers this one mounts."""
        self._noted.add(("routes", decode(path)))
        return self.tree.facts(path)

    def module(self, key: str) -> Sequence[bytes]:
        self._noted.add(("module", key))
        return self.tree.layout.answer(key)

    def note_python_layout(self, path: bytes) -> None:
        """That an import of the file `path` was looked up by what project files say."""
        self._noted.add(("layout", "python:" + decode(path.rpartition(b"/")[0])))

    def note_javascript_layout(self, path: bytes) -> None:
        self._noted.add(("layout", "javascript:" + decode(path.rpartition(b"/")[0])))

    def named(self, path: bytes, name: str) -> Outline | None:
        """The outline of a file, to look at its module-level `name` and what stands below it."""
        if path != self.importer:
            key = self._keys.get((path, name))
            if key is None:
                key = self._keys[path, name] = ("interface", f"{decode(path)}::{name}")
                self._noted.add(key)
        return self.tree.outline(path)

    def whole(self, path: bytes) -> Outline | None:
        """The outline of a file, to look at its star imports, `__all__` and `__getattr__`."""
        return self.named(path, _WHOLE)

    def candidates(self, name: str) -> tuple[Candidate, ...] | None:
        self._noted.add(("name", name))
        return self.tree.candidates(name)


def inputs_of(reads: Sequence[Read]) -> str:
    """The hash of sorted reads that a stored resolution is found by."""
    return _short("\n".join(f"{read.kind} {read.key} {read.answer}" for read in reads))


def _short(text: str) -> str:
    return text and blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
