"""Which tests must run again: a test's earlier result holds while everything that it rests on is as it was.

What a test rests on: the functions that ran (its own body and its fixtures among them), what the import of the files that they stand in runs,
names that came or went and that they mention, files and folders that it opened, and the settings of the test runner. The method is that of
Ekstazi and pytest-testmon (dynamic dependencies, checked by hash), at functions instead of files (Gligoric, Eloussi, Marinov: Practical regression
test selection with dynamic file dependencies, ISSTA 2015), with names added so that a new override is noticed.

In doubt a test is to be run. What cannot be noticed is said in `CANNOT_NOTICE`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Protocol

from knowledge.claims.covered import content_of, hash_of, imported_of, names_of
from knowledge.claims.imported import Parsed, parse, read_newly, spread, tainted
from knowledge.claims.view import FactsView
from knowledge.records.identifiers import SymbolId, file_symbol, read_path, read_symbol, show_path
from knowledge.records.runs import Coverage, CoveredFile, CoveredTest

CANNOT_NOTICE = (
    "what no run showed: files whose absence was noticed, the network, the clock, programs outside of the repository",
    "what other processes that a test starts run: such tests are run again for any change of the code",
)
_MOST_REASONS = 6


class ListedView(FactsView, Protocol):
    """A tree whose folders can be listed."""

    def names_in(self, folder: bytes) -> Sequence[str]:
        """The names of the files and folders in a folder, sorted."""
        ...


Reach = Callable[[bytes], frozenset[bytes]]
"""Path → the files of the repository that importing it imports, itself among them."""


class Retesting:
    """One run's coverage held against one tree."""

    def __init__(self, coverage: Coverage, view: ListedView, reach: Reach, settings: str) -> None:
        self._coverage, self._view, self._reach = coverage, view, reach
        self._settings = settings
        self._symbols = [read_symbol(symbol.symbol) for symbol in coverage.symbols]
        self._numbers = {read_path(file.path): number for number, file in enumerate(coverage.files)}
        self._states: dict[int, bool] = {}
        self._masks: dict[bytes, int] = {}

    def reasons(self, test: str) -> tuple[str, ...]:
        """Why the test must run again; nothing where all that it rests on is as it was."""
        covered = self._coverage.tests[test]
        found = [f"{self._what(position)} changed" for position in covered.ran if self.differs(position)]
        found += [f"{self._what(position)}, run at import, changed" for position in self._changed_at_import]
        mask = self._mask_of(covered.ran)
        ran = frozenset(covered.ran)
        for number, (text, by) in self._imports.items():
            if mask >> number & 1 and (by is None or not by.isdisjoint(ran)):
                found.append(text)
        for (number, name), by in self._names.items():
            if (by is None and mask >> number & 1) or (by is not None and not by.isdisjoint(ran)):
                found.append(f"{name} of {self._coverage.files[number].path} came or went")
        found += [f"{path} changed, which it opens" for path, was in covered.opened.items() if self.opened(path) != was]
        found += self._by_imports(covered)
        if self._coverage.settings != self._settings:
            found.append("the settings of the test runner changed")
        if covered.unseen and not found and self._any_changed:
            found.append(f"code changed, and it may rest on more than was seen: {', '.join(covered.unseen)}")
        return tuple(dict.fromkeys(found))[:_MOST_REASONS]

    def _by_imports(self, covered: CoveredTest) -> Iterable[str]:
        """Of a test that was not observed: what of its imports, as the code has them, is otherwise."""
        for path, was in covered.rests_on.items():
            if (now := self._view.blob_id(read_path(path))) != was:
                yield f"{path} {'changed' if now else 'is gone'}, on which it rests by its imports"
        for path in covered.begins_in:
            for other in sorted(self._reach(read_path(path))):
                if show_path(other) not in covered.rests_on:
                    yield f"an import now leads to {show_path(other)}"

    def opened(self, path: str) -> str:
        """The hash of a file that a test opened, or of the names in a folder (`path/`)."""
        return opened_hash(path, self._view)

    def _what(self, position: int) -> str:
        symbol = self._symbols[position]
        return str(symbol) if symbol.qualified_name else f"what the import of {symbol} runs"

    def differs(self, position: int) -> bool:
        """Whether a covered symbol has another text here."""
        if position not in self._states:
            symbol = self._symbols[position]
            number = self._numbers.get(symbol.path)
            is_same_file = number is not None and self._view.blob_id(symbol.path) == self._coverage.files[number].blob_id
            was = self._coverage.symbols[position].content
            self._states[position] = not is_same_file and content_of(symbol, self._view) != was
        return self._states[position]

    @cached_property
    def _changed_at_import(self) -> list[int]:
        return [position for position in self._coverage.at_import if self.differs(position)]

    @cached_property
    def _changed_files(self) -> dict[int, CoveredFile]:
        files = self._coverage.files
        return {number: file for number, file in enumerate(files) if self._view.blob_id(read_path(file.path)) != file.blob_id}

    @property
    def _any_changed(self) -> bool:
        return bool(self._changed_files)

    @cached_property
    def _imports(self) -> dict[int, tuple[str, frozenset[int] | None]]:
        """Files of which what their import runs is not as it was: in words, and the functions that it bears on (None: all it is imported for)."""
        found: dict[int, tuple[str, frozenset[int] | None]] = {}
        for number, file in self._changed_files.items():
            path = read_path(file.path)
            if not self._view.has_path(path):
                found[number] = f"{file.path} is gone", None
            elif imported_of(path, self._view) != file.imported:
                names = self._tainted(file)
                if names is None:
                    found[number] = f"what the import of {file.path} runs changed", None
                elif names:
                    by, shown = self._mentioning(names), ", ".join(sorted(names)[:4])
                    # A function that ran while something was imported may have made anything of it.
                    is_read_at_import = not by.isdisjoint(self._coverage.at_import)
                    found[number] = f"what the import of {file.path} binds changed ({shown})", None if is_read_at_import else by
        return found

    def _tainted(self, file: CoveredFile) -> frozenset[str] | None:
        """The names through which alone the change of what a file's import runs is to be seen; None where it may do more."""
        parsed = self._parsed.get(read_path(file.path))
        if parsed is None or not file.pieces or None in self._parsed.values():
            return None
        names = tainted(file.pieces, parsed.pieces)
        if not names:
            return names
        words = read_newly(file.pieces, parsed)
        fresh = [path for path in self._reach(read_path(file.path)) if path not in self._numbers and not words.isdisjoint(_modules(path))]
        if not all(self._is_pure(path) for path in fresh):
            return None
        return spread(names, [one for one in self._parsed.values() if one is not None])

    @cached_property
    def _parsed(self) -> dict[bytes, Parsed | None]:
        return {path: parse(self._view.text(path) or b"") for path in self._numbers if path.endswith(b".py")}

    def _is_pure(self, path: bytes) -> bool:
        """Whether the import of a file does nothing but bind names."""
        parsed = parse(self._view.text(path) or b"")
        return parsed is not None and all(piece.is_pure for piece in parsed.pieces)

    @cached_property
    def _names(self) -> dict[tuple[int, str], frozenset[int] | None]:
        """(file, function that came or went) → the functions that mention it; None: all that the file is imported for."""
        found: dict[tuple[int, str], frozenset[int] | None] = {}
        for number, file in self._changed_files.items():
            facts = self._view.facts(read_path(file.path))
            if facts is None:
                continue
            for qualified_name in {*file.names} ^ {*names_of(facts)}:
                name = qualified_name.rpartition(".")[2]
                is_implicit = name.startswith("__") and name.endswith("__")
                found[number, qualified_name] = None if is_implicit else self._mentioning(frozenset({name}))
        return found

    def _mentioning(self, names: frozenset[str]) -> frozenset[int]:
        """The covered functions whose text has one of the names; those that are called so as well."""
        found = set()
        pattern = re.compile(rb"(?<!\w)(?:" + b"|".join(re.escape(name.encode()) for name in sorted(names)) + rb")(?!\w)")
        by_path: dict[bytes, list[int]] = {}
        for position, symbol in enumerate(self._symbols):
            by_path.setdefault(symbol.path, []).append(position)
        for path, positions in by_path.items():
            text = self._view.text(path) or b""
            if not pattern.search(text):
                continue
            facts = self._view.facts(path)
            spans = {(d.qualified_name, d.ordinal): d.span for d in facts.definitions} if facts is not None else {}
            for position in positions:
                span = spans.get((self._symbols[position].qualified_name, self._symbols[position].ordinal))
                if span is None or pattern.search(text[span.start : span.end]):
                    found.add(position)
        return frozenset(found)

    def _mask_of(self, positions: Iterable[int]) -> int:
        """The files that are imported for these functions, as bits."""
        mask = 0
        for path in {self._symbols[position].path for position in positions}:
            mask |= self._mask(path)
        return mask

    def _mask(self, path: bytes) -> int:
        if path not in self._masks:
            reached = {file for one in _with_packages(path) for file in self._reach(one)}
            reached |= {package for file in reached for package in _with_packages(file)}
            mask = 0
            for file in reached:
                number = self._numbers.get(file)
                mask |= 1 << number if number is not None else 0
            self._masks[path] = mask
        return self._masks[path]


def opened_hash(path: str, view: ListedView) -> str:
    """The hash of a file that was opened, or of the names in a folder (`path/`); "" where it is not there."""
    if path.endswith("/"):
        return hash_of("\0".join(view.names_in(read_path(path.rstrip("/")))).encode("utf-8", "surrogatepass"))
    return view.blob_id(read_path(path))


def _modules(path: bytes) -> set[str]:
    """The names under which a file's module is imported, last part alone."""
    return {part.removesuffix(".py") for part in show_path(path).split("/")[-2:]}


def _with_packages(path: bytes) -> list[bytes]:
    """A file, the package modules that its import runs first, and the conftest files that bear on it."""
    found = [path]
    folder = path
    while b"/" in folder:
        folder = folder.rpartition(b"/")[0]
        found += [folder + b"/__init__.py", folder + b"/conftest.py"]
    return [*found, b"conftest.py"]


def symbol_of(path: bytes, name: str, line: int, view: FactsView) -> SymbolId:
    """The definition that a code object is of, by its qualified name as Python says it and its first line (from 1).

    What is no function of its own (a lambda, a comprehension) is of the function around it; outside of any it is of the file.
    """
    facts = view.facts(path)
    if facts is None:
        return file_symbol(path)
    wanted = name.replace(".<locals>", "").split(".<")[0]
    row = line - 1
    bearing = [d for d in facts.definitions if d.qualified_name == wanted and d.kind in ("function", "method", "property", "class") and wanted]
    inside = [d for d in bearing if d.span.row <= row <= d.span.end_row]
    if not inside:
        inside = [d for d in facts.definitions if d.kind in ("function", "method", "property") and d.span.row <= row <= d.span.end_row]
    if not inside:
        return file_symbol(path)
    best = max(inside, key=lambda d: d.span.row)
    return SymbolId(path, best.qualified_name, best.ordinal)


def shown(symbol: SymbolId) -> str:
    """A symbol as coverage names it."""
    return str(symbol) if symbol.qualified_name else show_path(symbol.path)
