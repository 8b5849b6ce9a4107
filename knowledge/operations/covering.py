"""From what a run told of itself to records: which definitions ran, which calls were taken, what each test rests on, in the tree that was run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from analyzers.facts import Call, FileFacts
from analyzers.registry import language_of
from knowledge.claims.covered import content_of, imported_of, names_of
from knowledge.claims.imported import parse
from knowledge.claims.masking import mask
from knowledge.facts.importers.observer import Code, Seen, SeenCall, SeenTest
from knowledge.facts.importers.reports import ReportedTest
from knowledge.invalidation.retesting import opened_hash, shown, symbol_of
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.analyses import AnalysedFile
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId, show_path
from knowledge.records.runs import BAD, MEANWHILE, Coverage, CoveredFile, CoveredSymbol, CoveredTest, TestResult

OBSERVER = "knowledge-observer"
_NOT_CALLED = frozenset({"<lambda>", "<genexpr>", "<listcomp>", "<setcomp>", "<dictcomp>", "<module>"})
_CONSTRUCTORS = frozenset({"__init__", "__new__"})
_BY_ITSELF = frozenset({"__del__"})
"""Run by the interpreter at any moment, so that whoever is interrupted is no caller."""
_MOST_MESSAGE = 600


class Mapped:
    """Code objects as symbols of a tree, each looked up once. changed: paths whose content was another at the end of the run."""

    def __init__(self, view: IndexedTree, changed: Iterable[bytes] = ()) -> None:
        self.view, self.changed = view, frozenset(changed)
        self._symbols: dict[Code, SymbolId | None] = {}
        self._paths: dict[str, bytes | None] = {}

    def path(self, shown_path: str) -> bytes | None:
        """The path in the tree; None for a file that it does not have, or that changed meanwhile."""
        if shown_path not in self._paths:
            path = shown_path.encode("utf-8", "surrogateescape")
            self._paths[shown_path] = path if self.view.has_path(path) and path not in self.changed else None
        return self._paths[shown_path]

    def symbol(self, code: Code) -> SymbolId | None:
        """The definition that a code object is of; None for what is not of the tree."""
        if code not in self._symbols:
            path = self.path(code.path)
            self._symbols[code] = symbol_of(path, code.name, code.line, self.view) if path is not None else None
        return self._symbols[code]


def results_of(seen: Seen, run_id: str, mapped: Mapped) -> list[TestResult]:
    """What each test came to. One with several attempts of which some failed and the last did not is flaky."""
    found = []
    for test in seen.tests.values():
        symbol = _own_symbol(test, mapped)
        is_flaky = "failed" in test.attempts and test.outcome in ("passed", "xfailed", "xpassed")
        given = (*([f"[{test.parameters}]"] if test.parameters else []), *test.fixtures)
        message = mask(test.message)[:_MOST_MESSAGE]
        found.append(
            TestResult(run_id, test.test, test.outcome, test.seconds, message, shown(symbol) if symbol else "", given, is_flaky)  # type: ignore[arg-type]
        )
    return found


def reported_results(reported: Iterable[ReportedTest], run_id: str, mapped: Mapped, known: frozenset[str]) -> list[TestResult]:
    """What reports say of tests that nothing else told of. One that is told twice with different outcomes is flaky; what failed is kept."""
    found: dict[str, TestResult] = {}
    for test in reported:
        if test.test in known:
            continue
        path = mapped.path(test.path or test.test.partition("::")[0])
        names = [part.partition("[")[0] for part in test.test.split("::")[1:]]
        symbol = symbol_of(path, ".".join(names), test.line, mapped.view) if path is not None and names else None
        shown_symbol = shown(symbol) if symbol is not None and symbol.qualified_name else ""
        result = TestResult(run_id, test.test, test.outcome, test.seconds, mask(test.message)[:_MOST_MESSAGE], shown_symbol)
        other = found.get(test.test)
        if other is None:
            found[test.test] = result
        elif other.outcome != test.outcome:
            worse = result if test.outcome in BAD else other
            found[test.test] = replace(worse, is_flaky={other.outcome, test.outcome} & BAD != set() and "passed" in (other.outcome, test.outcome))
    return list(found.values())


def _own_symbol(test: SeenTest, mapped: Mapped) -> SymbolId | None:
    path = mapped.path(test.path) if test.path else None
    return symbol_of(path, test.name, test.line + 1, mapped.view) if path is not None else None


def coverage_of(seen: Seen, mapped: Mapped, settings: str) -> Coverage:
    """What each test rests on, by the content of the tree."""
    view = mapped.view
    numbers: dict[SymbolId, int] = {}

    def positions(codes: Iterable[Code], besides: SymbolId | None = None) -> tuple[int, ...]:
        symbols = {symbol for code in codes if (symbol := _covering(code, mapped)) is not None} | ({besides} if besides else set())
        return tuple(sorted(numbers.setdefault(symbol, len(numbers)) for symbol in symbols))

    loaded = {name for name in seen.loaded if _is_changed(name, mapped)}
    tests = {}
    for test in seen.tests.values():
        own = _own_symbol(test, mapped)
        opened = {path: digest for path in sorted(test.opened) if (digest := opened_hash(path, view))}
        opened |= {f"{folder}/": opened_hash(f"{folder}/", view) for folder in sorted(test.folders)}
        tests[test.test] = CoveredTest(positions(test.ran, own), opened, _unseen(test, mapped, loaded))
    # Class bodies and module bodies are what the hash of the import is for.
    at_import = positions(code for code in seen.at_import if code.is_function)
    paths = {path for name in seen.loaded if (path := mapped.path(name)) is not None} | {symbol.path for symbol in numbers}
    files = tuple(_file(path, view) for path in sorted(paths))
    symbols = tuple(CoveredSymbol(shown(symbol), content_of(symbol, view)) for symbol in numbers)
    return Coverage(files, symbols, at_import, tests, settings)


def _covering(code: Code, mapped: Mapped) -> SymbolId | None:
    """What a test rests on for having run a code object: a definition; of a file as such only what its import runs."""
    symbol = mapped.symbol(code)
    if symbol is None or not symbol.qualified_name:
        return symbol
    return symbol if code.is_function else SymbolId(symbol.path, "")


def _is_changed(name: str, mapped: Mapped) -> bool:
    return name.encode("utf-8", "surrogateescape") in mapped.changed


def _unseen(test: SeenTest, mapped: Mapped, loaded: Iterable[str]) -> tuple[str, ...]:
    """Why a test may rest on more than was seen. loaded: files that changed while the run went on, and that any test may have imported."""
    found = sorted(test.flags)
    if test.outcome in ("crashed", "unfinished"):
        found.append("it did not end")
    meanwhile = {*loaded, *(name for name in {*(code.path for code in test.ran), *test.opened} if _is_changed(name, mapped))}
    return (*found, *(f"{path}{MEANWHILE}" for path in sorted(meanwhile)[:3]))


def _file(path: bytes, view: IndexedTree) -> CoveredFile:
    facts = view.facts(path)
    parsed = parse(view.text(path) or b"") if language_of(path) == "python" else None
    names, pieces = names_of(facts) if facts is not None else (), tuple(parsed.pieces) if parsed is not None else ()
    return CoveredFile(show_path(path), view.blob_id(path), imported_of(path, view), names, pieces)


# ── observed edges ──


@dataclass(frozen=True, slots=True)
class _Site:
    """Where in the caller's file a call was written, and how sure that is."""

    reason: str
    start: int
    end: int
    row: int
    column: int
    name: str


def observed_edges(seen: Seen, mapped: Mapped) -> list[AnalysedFile]:
    """The calls that were taken, as edges of the tree that was run, file by file, pinned to the content of both ends.

    reason: `call` (the call is written there), `implicit` (an operator, a property, a with statement … calls it), `through-native` (native code was
    called there, to which it may have been passed), `awaited` (a coroutine or generator that is called there), `unplaced` (the line is not known).
    """
    edges: dict[tuple[SymbolId, SymbolId, int], Edge] = {}
    placed = set()
    for call in sorted(seen.calls, key=lambda c: (c.caller.path, c.line, c.column, c.callee.path, c.callee.line)):
        subject, target = mapped.symbol(call.caller), mapped.symbol(call.callee)
        if subject is None or target is None or not _is_call(call, subject, target):
            continue
        site = _site(call, mapped)
        if site is None:
            continue
        edge = Edge(subject, "calls", target, "observed", site.reason, site.start, site.end, site.row, site.column, site.name)
        if site.reason != "unplaced":
            placed.add((subject, target))
        edges[subject, target, site.start] = edge
    by_file: dict[bytes, list[Edge]] = {}
    for (subject, target, _), edge in edges.items():
        if edge.reason != "unplaced" or (subject, target) not in placed:
            by_file.setdefault(subject.path, []).append(edge)
    blob_id = mapped.view.blob_id
    return [
        AnalysedFile(path, blob_id(path), tuple(found), {e.object.path: blob_id(e.object.path) for e in found if e.object.path != path})
        for path, found in sorted(by_file.items())
    ]


def _is_call(call: SeenCall, subject: SymbolId, target: SymbolId) -> bool:
    last = call.callee.name.rpartition(".")[2]
    is_part = not call.callee.is_function or last in _NOT_CALLED or call.callee.name.endswith(">")
    return not is_part and last not in _BY_ITSELF and bool(target.qualified_name)


def _site(call: SeenCall, mapped: Mapped) -> _Site | None:
    path = call.caller.path.encode("utf-8", "surrogateescape")
    facts, text = mapped.view.facts(path), mapped.view.text(path)
    if facts is None or text is None:
        return None
    names = _called_as(call.callee.name)
    if call.line < 1:
        return _by_name(call, facts, names, mapped)
    starts = _line_starts(text)
    start, end = _offset(starts, call.line, call.column), _offset(starts, call.last_line, call.last_column)
    within = [c for c in facts.calls if start <= c.name_span.start and c.name_span.end <= max(end, start)]
    exact = [c for c in within if c.expression.start == start]
    if call.callee.is_resumed:
        # Whoever resumes it is no caller, unless the call stands at that very place.
        fitting = [c for c in within if c.expression.name in names or _callee_name(c) in names]
        return _written(max(fitting, key=lambda c: c.name_span.start), "awaited") if fitting else None
    if exact:
        outermost = max(exact, key=lambda c: c.name_span.start)
        return _written(outermost, "through-native" if call.is_native else "call")
    row, column = call.line - 1, max(call.column, 0)
    return _Site("through-native" if call.is_native else "implicit", start, end, row, column, "")


def _by_name(call: SeenCall, facts: FileFacts, names: frozenset[str], mapped: Mapped) -> _Site | None:
    """Where the line is not known: the one call in the caller that names the callee."""
    subject = mapped.symbol(call.caller)
    definition = next((d for d in facts.definitions if subject and (d.qualified_name, d.ordinal) == (subject.qualified_name, subject.ordinal)), None)
    if definition is None:
        return None
    inside = [c for c in facts.calls if definition.span.start <= c.name_span.start < definition.span.end and _callee_name(c) in names]
    if len(inside) == 1:
        return _written(inside[0], "awaited" if call.callee.is_resumed else "call")
    if call.callee.is_resumed:
        return None
    span = definition.name_span
    return _Site("unplaced", span.start, span.end, span.row, span.column, "")


def _written(call: Call, reason: str) -> _Site:
    span = call.name_span
    return _Site(reason, span.start, span.end, span.row, span.column, _callee_name(call))


def _callee_name(call: Call) -> str:
    callee = call.expression.parts[0] if call.expression.kind in ("call", "new") and call.expression.parts else call.expression
    return callee.name


def _called_as(name: str) -> frozenset[str]:
    """The names by which a function is called: a constructor by its class's."""
    *owners, last = name.replace(".<locals>", "").split(".")
    return frozenset({last, *(owners[-1:] if last in _CONSTRUCTORS else ())})


def _line_starts(text: bytes) -> list[int]:
    starts = [0]
    for line in text.split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    return starts


def _offset(starts: list[int], line: int, column: int) -> int:
    return starts[min(line, len(starts)) - 1] + max(column, 0) if line >= 1 else -1


def counts(results: Iterable[TestResult]) -> Mapping[str, int]:
    """Outcome → how many tests."""
    found: dict[str, int] = {}
    for result in results:
        found[result.outcome] = found.get(result.outcome, 0) + 1
    return dict(sorted(found.items()))
