"""Settings: keys held in data files, joined with what code asks for by name.

Code that asks `environ["DB_HOST"]` or `config["db"]["host"]` names a key, not the file that holds it. An edge to such a name is laid to every key
of the tree that bears it, inferred, with its rivals; where code names the file (a JSON import) the edge is to that file's key already.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from difflib import get_close_matches
from functools import cached_property

from analyzers.registry import LANGUAGES, classify, language_of
from knowledge.graph.resolution import RIVALS
from knowledge.graph.setting_reads import CONFIGURATION, ENVIRONMENT
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.edges import ConfidenceKind, Edge, Limitation
from knowledge.records.identifiers import SymbolId, external_symbol, parse_symbol, show_path

EdgesInto = Callable[[SymbolId, str], Sequence[Edge]]
"""Symbol, predicate → the edges to it."""
_NEAR = 5
MOST_FILES = 2_000
"""Data files of one tree that are looked into for keys."""
_SETTINGS_MODULE = re.compile(rb"(?:.*/)?(?:settings|config|configuration|conf)(?:/.*|\w*)?\.(?:py|[cm]?[jt]s)\Z")
_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*\Z")


class SettingKeys:
    """The keys that a tree's data files hold, read when first asked for."""

    def __init__(self, view: IndexedTree) -> None:
        self._view = view

    def is_key(self, symbol: SymbolId) -> bool:
        """Whether the symbol is a key of a data file."""
        return bool(symbol.qualified_name) and _is_data(symbol.path)

    def find(self, text: str) -> list[SymbolId]:
        """The keys that a text means: `path::key`, a whole key path, or its end; those that are it exactly before those that end so."""
        parsed = parse_symbol(text)
        if parsed is not None and not parsed.is_external:
            return [parsed] if _is_data(parsed.path) and parsed.qualified_name in self._keys_of(parsed.path) else []
        found = self._by_end.get(text, [])
        return [key for key in found if key.qualified_name == text] or found

    def asked_by_name(self, text: str) -> list[SymbolId]:
        """What code that asks for a key of this name refers to."""
        return [external_symbol(ENVIRONMENT, text), external_symbol(CONFIGURATION, text)]

    def near(self, text: str) -> list[str]:
        """Keys that a mistyped one may mean."""
        ends = get_close_matches(text.rpartition("::")[2], self._by_end, n=_NEAR)
        return list(dict.fromkeys(str(key) for end in ends for key in self._by_end[end]))[:_NEAR]

    def edges_into(self, key: SymbolId, edges_into: EdgesInto, predicate: str) -> Iterator[Edge]:
        """Uses of names that may mean a key of a data file, as inferred edges to it, each with as many rivals as there are other such keys."""
        for asked, reason in self._names_of(key):
            rivals = len(self._holders(asked)) - 1
            if rivals > RIVALS:
                continue
            kind: ConfidenceKind = "inferred"
            for edge in edges_into(asked, predicate):
                yield replace(edge, object=key, confidence_kind=kind, reason=reason, rivals=max(rivals, 0))

    def limitations(self, key: SymbolId) -> list[Limitation]:
        """What keeps uses of a key from being seen."""
        if not self._names_of(key):
            return []
        found = [Limitation("setting-by-name", "code asks for settings by name; a name put together at run time is not seen", key.path)]
        if any(len(self._holders(asked)) - 1 > RIVALS for asked, _ in self._names_of(key)):
            found.append(Limitation("too-many-candidates", f"so many files hold a key {key.name} that uses of the name are laid to none", key.path))
        if self._left_out:
            found.append(Limitation("settings-not-read", f"{self._left_out} data files of this tree were not looked into for keys"))
        return found

    def _names_of(self, key: SymbolId) -> list[tuple[SymbolId, str]]:
        """The names under which code may ask for a key, with the reason that an edge from there has."""
        if not self.is_key(key):
            is_setting = _VARIABLE.match(key.name) and _SETTINGS_MODULE.match(key.path)
            return [(external_symbol(CONFIGURATION, key.name), "settings-module")] if is_setting else []
        whole, last, file = key.qualified_name, key.name, show_path(key.path).rpartition("/")[2]
        names = [(external_symbol(f"{CONFIGURATION}:{file}", whole), "loaded-file"), (external_symbol(CONFIGURATION, whole), "settings-object")]
        names += [(external_symbol(CONFIGURATION, end), "key-end") for end in _ends(whole) if end != whole]
        if language_of(key.path) == "dotenv" or _VARIABLE.match(last):
            names.append((external_symbol(ENVIRONMENT, last), "environment"))
        return names

    def _holders(self, asked: SymbolId) -> Sequence[SymbolId]:
        """The keys that a name may mean."""
        found = self._by_end.get(asked.qualified_name, [])
        file = asked.package.partition(":")[2].encode()
        return [key for key in found if key.path.rpartition(b"/")[2] == file] if file else found

    def _keys_of(self, path: bytes) -> frozenset[str]:
        facts = self._view.facts(path)
        return frozenset(value.key for value in facts.values) if facts is not None else frozenset()

    @cached_property
    def _files(self) -> list[bytes]:
        return sorted(path for path in self._view.files if _is_data(path) and not classify(path) & {"vendored", "generated"})

    @property
    def _left_out(self) -> int:
        return max(0, len(self._files) - MOST_FILES)

    @cached_property
    def _by_end(self) -> dict[str, list[SymbolId]]:
        """Every end of every key path → the keys."""
        found: dict[str, list[SymbolId]] = defaultdict(list)
        for path in self._files[:MOST_FILES]:
            for key in sorted(self._keys_of(path)):
                for end in _ends(key):
                    found[end].append(SymbolId(path, key))
        return dict(found)


def _is_data(path: bytes) -> bool:
    spec = LANGUAGES.get(language_of(path)) if path else None
    return spec is not None and spec.kind == "data"


def _ends(key: str) -> Iterator[str]:
    """`a.b.c`, `b.c`, `c`."""
    yield key
    while "." in key:
        key = key.partition(".")[2]
        if key:
            yield key
