"""Trees in memory for tests of the graph: texts by path, analyzed for real, resolved from scratch or step by step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from analyzers.analysis import analyze
from analyzers.facts import FileFacts, Skipped
from analyzers.interface import interface_hash
from analyzers.registry import language_of
from knowledge.graph.build import plan, resolve_all
from knowledge.graph.reads import Tree
from knowledge.graph.resolution import Resolution
from knowledge.graph.source import Candidate, candidate
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId

Key = tuple[str, str]


@lru_cache(maxsize=5_000)
def facts_of(text: str, language: str) -> FileFacts | None:
    """The facts of a text; None where it is skipped."""
    found = analyze(text.encode(), language)
    return None if isinstance(found, Skipped) else found


@lru_cache(maxsize=5_000)
def interface_of(text: str, language: str) -> str:
    facts = facts_of(text, language)
    return interface_hash(facts) if facts is not None else ""


class TextSource:
    """A FactSource over texts."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self._files = {path.encode(): text for path, text in files.items()}
        self._definers: dict[str, list[Candidate]] = defaultdict(list)
        for path in sorted(self._files):
            facts = self.facts(path)
            for index, definition in enumerate(facts.definitions if facts is not None else ()):
                if index:
                    self._definers[definition.name].append(candidate(path, index, definition))

    def paths(self) -> Collection[bytes]:
        return self._files.keys()

    def language(self, path: bytes) -> str:
        return language_of(path)

    def outline(self, path: bytes) -> FileFacts | None:
        return self.facts(path)

    def facts(self, path: bytes) -> FileFacts | None:
        language = language_of(path)
        return facts_of(self._files[path], language) if path in self._files and language else None

    def interface(self, path: bytes) -> str:
        language = language_of(path)
        return interface_of(self._files[path], language) if path in self._files and language else ""

    def definers(self, name: str) -> list[Candidate]:
        return self._definers.get(name, [])

    def text(self, path: bytes) -> bytes | None:
        return self._files[path].encode() if path in self._files else None


def tree_of(files: Mapping[str, str]) -> Tree:
    """A tree of these texts."""
    return Tree(TextSource(files))


def resolve_cold(files: Mapping[str, str]) -> dict[bytes, Resolution]:
    """Every file's resolution, from scratch."""
    tree = tree_of(files)
    return {found.path: found for found in resolve_all(tree, sorted(tree.layout.paths))}


class Incremental:
    """The resolutions of a tree that changes step by step, brought up to date by `build.plan` alone."""

    def __init__(self, files: Mapping[str, str]) -> None:
        self.files = dict(files)
        self.resolutions = resolve_cold(files)
        self.resolved: tuple[bytes, ...] = ()
        """What the last step resolved anew."""

    def change(self, files: Mapping[str, str]) -> None:
        """Goes on to a tree of these texts."""
        paths = {*self.files, *files}
        changed = {path.encode() for path in paths if self.files.get(path) != files.get(path)}
        old, new = tree_of(self.files), tree_of(files)
        found = plan(old, new, changed, self._readers)
        self.resolved = found.resolve
        for path in changed:
            self.resolutions.pop(path, None)
        self.resolutions.update((r.path, r) for r in resolve_all(new, found.resolve))
        self.files = dict(files)

    def _readers(self, keys: Iterable[Key]) -> set[bytes]:
        wanted = set(keys)
        return {path for path, found in self.resolutions.items() if any((read.kind, read.key) in wanted for read in found.reads)}


def edges_of(resolutions: Mapping[bytes, Resolution]) -> list[Edge]:
    return [edge for path in sorted(resolutions) for edge in resolutions[path].edges]


def written(edge: Edge) -> str:
    """An edge as cases write it: `subject predicate object · kind, reason`, with rivals where there are some."""
    rivals = f", {edge.rivals} rivals" if edge.rivals else ""
    return f"{_short(edge.subject)} {edge.predicate} {_short(edge.object)} · {edge.confidence_kind}, {edge.reason}{rivals}"


def _short(symbol: SymbolId) -> str:
    return str(symbol)
