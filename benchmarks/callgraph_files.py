"""A tree's files in memory, as the resolver asks for them: for benchmarks of the call graph."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Collection, Mapping
from pathlib import Path

from mirrors import ROOT

sys.path.insert(0, str(ROOT))

from analyzers.analysis import analyze
from analyzers.facts import FileFacts, Skipped
from analyzers.interface import interface_hash
from analyzers.registry import LANGUAGES, language_of
from knowledge.graph.source import Candidate, candidate
from knowledge.repository.opening import open_repository

Known = dict[tuple[str, bytes], tuple[FileFacts | None, str]]
"""(language, content) → its facts and the hash of its interface"""


class Files:
    """A tree's files in memory, as the resolver asks for them."""

    def __init__(self, contents: Mapping[bytes, bytes], known: Known | None = None) -> None:
        """known: what was read of other trees, and is read of this one, where interfaces are asked for."""
        self.contents = contents
        self._facts: dict[bytes, FileFacts | None] = {}
        self._interfaces: dict[bytes, str] = {}
        self._definers: dict[str, list[Candidate]] = defaultdict(list)
        for path in sorted(contents):
            facts = self._facts[path] = _facts_of(path, contents[path]) if known is None else self._known(path, known)
            for index, definition in enumerate(facts.definitions if facts is not None else ()):
                if index:
                    self._definers[definition.name].append(candidate(path, index, definition))

    def paths(self) -> Collection[bytes]:
        return self.contents.keys()

    def language(self, path: bytes) -> str:
        return language_of(path)

    def outline(self, path: bytes) -> FileFacts | None:
        return self.facts(path)

    def facts(self, path: bytes) -> FileFacts | None:
        return self._facts.get(path)

    def interface(self, path: bytes) -> str:
        return self._interfaces.get(path, "")

    def _known(self, path: bytes, known: Known) -> FileFacts | None:
        key = (language_of(path), self.contents[path])
        if key not in known:
            facts = _facts_of(path, self.contents[path])
            known[key] = (facts, interface_hash(facts) if facts is not None else "")
        facts, self._interfaces[path] = known[key]
        return facts

    def definers(self, name: str) -> list[Candidate]:
        return self._definers.get(name, [])

    def text(self, path: bytes) -> bytes | None:
        return self.contents.get(path)


def _facts_of(path: bytes, content: bytes) -> FileFacts | None:
    language = language_of(path)
    if not language or LANGUAGES[language].kind != "code":
        return None
    found = analyze(content, language)
    return None if isinstance(found, Skipped) else found


def contents_of(repository: Path, revision: str, below: tuple[str, ...] = ("",)) -> dict[bytes, bytes]:
    """Every file of a revision below these folders; those that a partial mirror does not have are left out."""
    tree = open_repository(repository).tree(revision)
    folders = tuple(folder.encode() for folder in below)
    wanted = {path: entry.blob_id for path, entry in tree.entries().items() if entry.kind in ("file", "executable") and path.startswith(folders)}
    contents = dict(tree.read_many(dict.fromkeys(wanted.values())))
    return {path: content for path, blob in wanted.items() if (content := contents.get(blob)) is not None}
