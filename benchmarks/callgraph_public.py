"""The public call graph benchmarks for Python: PyCG's snippets, and Jarvis's six applications (what the program itself calls).

Both write callers and callees as dotted names. Only edges into the cases' own functions count; a class that is called is its `__init__`.
complete: cases without a wrong edge. sound: cases without a missing one.
"""

from __future__ import annotations

import json
import posixpath
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from callgraph_files import Files, contents_of

from knowledge.graph.build import resolve_all
from knowledge.graph.python_flow import PythonFlow
from knowledge.graph.reads import Tree, View
from knowledge.graph.resolution import Resolution
from knowledge.graph.values import Class, Function
from knowledge.records.edges import Edge
from knowledge.records.grades import rank_of
from knowledge.records.identifiers import SymbolId

Names = dict[tuple[str, str], str]
"""(caller, callee) → the strongest label that the edge has, as `kind reason`."""
Scored = tuple[str, set[tuple[str, str]], Names]
"""A case, the edges that it should have, and those that were found."""
_PYCG = "micro-benchmark/snippets/"
_MICRO_TRUTH = "Jarvis/ground_truth/micro_benchmark/"
_MICRO_FILES = "Jarvis/dataset/micro_benchmark/"
_JARVIS_TRUTH = "Jarvis/ground_truth/macro_benchmark/"
_JARVIS_FILES = "Jarvis/dataset/macro_benchmark/pj/"


class Case:
    """One program of a benchmark, resolved."""

    def __init__(self, contents: Mapping[bytes, bytes]) -> None:
        self.files = Files(contents)
        self.tree = Tree(self.files)
        self.paths = [path for path in sorted(contents) if self.files.facts(path) is not None]

    def functions(self) -> set[str]:
        """Dotted names of all functions and methods."""
        return {
            _dotted(self.tree.symbol(path, index))
            for path in self.paths
            for index, definition in enumerate(self.files.facts(path).definitions)  # type: ignore[union-attr]
            if index and definition.kind in ("function", "method", "property")
        }

    def edges(self) -> Names:
        """Every call as dotted names."""
        found: Names = {}
        for resolution in resolve_all(self.tree, self.paths):
            scopes = self._scopes(resolution)
            for edge in resolution.edges:
                if edge.predicate == "calls" and edge.object.path:
                    caller = _dotted(scopes.get(edge.start, edge.subject))
                    for callee in self._callees(resolution.path, edge):
                        key, label = (caller, callee), f"{edge.confidence_kind} {edge.reason}"
                        found[key] = min(found.get(key, label), label, key=lambda one: rank_of(*one.split(" ", 1)))
        return found

    def _scopes(self, resolution: Resolution) -> dict[int, SymbolId]:
        """Calls that stand in a lambda, by place: the lambda, which is their caller here."""
        facts = self.files.facts(resolution.path)
        found: dict[int, SymbolId] = {}
        for call in facts.calls if facts is not None else ():
            if facts is not None and facts.scopes[call.scope].kind == "lambda":
                symbol = self.tree.lambda_symbol(resolution.path, call.scope)
                if symbol is not None:
                    found[call.name_span.start] = symbol
        return found

    def _callees(self, importer: bytes, edge: Edge) -> Iterator[str]:
        outline = self.tree.outline(edge.object.path)
        defined = outline.defined(edge.object.qualified_name) if outline is not None else ()
        facts = self.files.facts(importer)
        if outline is None or facts is None or not defined or outline.definitions[defined[0]].kind != "class":
            yield _dotted(edge.object)
            return
        made = PythonFlow(View(self.tree, importer), facts).attribute(Class(edge.object.path, defined[-1]), "__init__")
        for value in made.values if made is not None else ():
            if isinstance(value, Function):
                yield _dotted(self.tree.symbol(value.path, value.index))


def _dotted(symbol: SymbolId) -> str:
    module = symbol.path.decode().removeprefix("src/").removesuffix(".py").replace("/", ".").removesuffix(".__init__")
    return f"{module}.{symbol.qualified_name}" if symbol.qualified_name else module


def pycg(repository: Path) -> dict[str, Any]:
    """PyCG's micro benchmark."""
    return _figures(edges for _, *edges in pycg_cases(repository))


def jarvis_micro(repository: Path) -> dict[str, Any]:
    """Jarvis's micro benchmark: PyCG's cases with the order of statements taken seriously, and some more."""
    return _figures(edges for _, *edges in jarvis_cases(repository))


def pycg_cases(repository: Path) -> Iterator[Scored]:
    """Every case of PyCG's micro benchmark."""
    yield from _cases(contents_of(repository, "HEAD", (_PYCG,)), _PYCG, _PYCG)


def jarvis_cases(repository: Path) -> Iterator[Scored]:
    """Every case of Jarvis's micro benchmark."""
    yield from _cases(contents_of(repository, "HEAD", (_MICRO_TRUTH, _MICRO_FILES)), _MICRO_TRUTH, _MICRO_FILES)


def _cases(contents: Mapping[bytes, bytes], truths: str, files: str) -> Iterator[Scored]:
    for path in sorted(contents):
        if path.decode().startswith(truths) and path.endswith(b"/callgraph.json"):
            name = posixpath.dirname(path.decode().removeprefix(truths))
            below = f"{files}{name}/".encode()
            case = Case({p[len(below) :]: content for p, content in contents.items() if p.startswith(below) and p.endswith(b".py")})
            modules = {_dotted(SymbolId(p, "")) for p in case.paths}
            truth = json.loads(contents[path])
            wanted = {(a, b) for a, callees in truth.items() for b in callees if _is_inside(b, modules)}
            yield name, wanted, case.edges()


def jarvis(repository: Path) -> dict[str, Any]:
    """Jarvis's macro benchmark: edges between functions that the application's own code has."""
    below = contents_of(repository, "HEAD", (_JARVIS_TRUTH, _JARVIS_FILES))
    contents = {path.decode("utf-8", "replace"): content for path, content in below.items()}
    rows = []
    for path, content in sorted(contents.items()):
        if not path.startswith(_JARVIS_TRUTH) or not path.endswith("/EA.json"):
            continue
        root = _JARVIS_FILES + path.removeprefix(_JARVIS_TRUTH).split("/")[0] + "/"
        usual = (".py", "pyproject.toml", "setup.cfg")
        case = Case({p.removeprefix(root).encode(): text for p, text in contents.items() if p.startswith(root) and p.endswith(usual)})
        functions, truth = case.functions(), json.loads(content)
        wanted = {(a, b) for a, callees in truth.items() for b in callees if b in functions}
        found = {key: label for key, label in case.edges().items() if key[0] in truth and key[1] in functions}
        rows.append((wanted, found))
    return _figures(rows)


def _is_inside(name: str, modules: Iterable[str]) -> bool:
    return not name.startswith("<") and any(name == module or name.startswith(module + ".") for module in modules)


def _figures(rows: Iterable[Sequence[Any]]) -> dict[str, Any]:
    counts: dict[str, int] = defaultdict(int)
    labels: dict[str, tuple[int, int]] = {}
    for wanted, found in rows:
        resolved = {key for key, label in found.items() if label.startswith("resolved ")}
        for key, label in found.items():
            right, total = labels.get(label, (0, 0))
            labels[label] = (right + (key in wanted), total + 1)
        counts["cases"] += 1
        counts["wanted"] += len(wanted)
        counts["found"] += len(found)
        counts["right"] += len(wanted & set(found))
        counts["resolved"] += len(resolved)
        counts["resolved right"] += len(wanted & resolved)
        counts["complete"] += not set(found) - wanted
        counts["sound"] += not wanted - set(found)
    return {
        "precision": counts["right"] / max(1, counts["found"]),
        "recall": counts["right"] / max(1, counts["wanted"]),
        "resolved": {
            "precision": counts["resolved right"] / max(1, counts["resolved"]),
            "recall": counts["resolved right"] / max(1, counts["wanted"]),
        },
        "complete": counts["complete"],
        "sound": counts["sound"],
        "cases": counts["cases"],
        "wanted": counts["wanted"],
        "labels": {label: {"precision": right / total, "edges": total} for label, (right, total) in sorted(labels.items())},
    }
