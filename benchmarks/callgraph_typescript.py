"""Are JavaScript's and TypeScript's edges what TypeScript's own checker says? Every call of a tree, held against the declarations that it finds.

Needs node, and a folder in which `npm install typescript` was run. A call is judged where the checker knows a declaration, and where that is not a
parameter, a variable of a function or a member of a type without a name, which have no symbols. An edge is right where it names one of the
declarations, or what they are only further names of (`{ create: createMiddleware }`): that is what runs. Where the checker knows a signature alone
(a member of an interface), an edge to a function of that name elsewhere is not judged: the signature says what can be called, not what runs. Files
that are skipped (too large, minified) do not count.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from callgraph_files import Files, contents_of

from knowledge.graph.build import resolve_all
from knowledge.graph.reads import Tree
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId

LANGUAGES = frozenset({"javascript", "typescript", "tsx"})
Place = tuple[str, int]


class Declared:
    """Where symbols are declared, as the checker says it: by the places of their names."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._places: dict[bytes, dict[str, set[int]]] = {}

    def places(self, symbol: SymbolId) -> set[Place]:
        """All declarations of a qualified name count: overloads, merged declarations, what is assigned to it later."""
        if symbol.path not in self._places:
            found: dict[str, set[int]] = defaultdict(set)
            facts, content = self._files.facts(symbol.path), self._files.contents[symbol.path]
            for definition in facts.definitions[1:] if facts is not None else ():
                span = definition.name_span if definition.name_span.end > definition.name_span.start else definition.span
                found[definition.qualified_name].add(span.start)
                statement = span.start - len(b"export ")
                if definition.name == "default" and content[max(0, statement) : span.start] == b"export ":
                    # An expression that is exported has no name: the checker gives the whole statement's place.
                    found[definition.qualified_name].add(statement)
            self._places[symbol.path] = found
        path = symbol.path.decode("utf-8", "replace")
        return {(path, start) for start in self._places[symbol.path].get(symbol.qualified_name, ())}


def truth(contents: Mapping[bytes, bytes], modules: Path) -> Iterator[dict[str, Any]]:
    """What the checker says of a tree. modules: a node_modules folder with typescript in it."""
    with tempfile.TemporaryDirectory(prefix="knowledge-typescript-") as folder:
        for path, content in contents.items():
            target = Path(folder, os.fsdecode(path))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
        command = ["node", "--max-old-space-size=6000", str(Path(__file__).with_suffix(".js")), folder]
        done = subprocess.run(command, check=True, capture_output=True, env={**os.environ, "NODE_PATH": str(modules)})
        yield from (json.loads(line) for line in done.stdout.splitlines())


class Wanted(NamedTuple):
    """Where what a call calls is declared, nowhere: outside of the tree. name: as it is called; is_signature: the checker knows no body of it."""

    places: frozenset[Place]
    name: str
    is_signature: bool


def judged_calls(rows: Iterator[dict[str, Any]]) -> dict[Place, Wanted]:
    """What the checker says of each call that is judged, by the call's place."""
    judged: dict[Place, Wanted] = {}
    for row in rows:
        inside = [target for target in row["targets"] if target["path"]]
        if row["targets"] and not (inside and all(target["is_local"] for target in inside)):
            further = [target for target in row["behind"] if target["path"]]
            places = frozenset((target["path"], target["start"]) for target in (*inside, *further))
            judged[row["path"], row["start"]] = Wanted(places, row["name"], row["is_signature"] and bool(inside))
    return judged


def typescript(repository: Path, modules: Path) -> dict[str, Any]:
    """The figures of one repository."""
    contents = contents_of(repository, "HEAD")
    started = time.process_time()
    files = Files(contents)
    tree = Tree(files)
    paths = sorted(path for path in contents if files.language(path) in LANGUAGES and files.facts(path) is not None)
    edges: dict[Place, list[Edge]] = defaultdict(list)
    for resolution in resolve_all(tree, paths):
        for edge in resolution.edges:
            if edge.predicate == "calls" and edge.object.path:
                edges[resolution.path.decode("utf-8", "replace"), edge.start].append(edge)
    seconds = time.process_time() - started
    read = {path.decode("utf-8", "replace") for path in paths}
    judged = {place: wanted for place, wanted in judged_calls(truth(contents, modules)).items() if place[0] in read}
    return {**figures(edges, judged, Declared(files)), "cpu_s": seconds}


def figures(edges: Mapping[Place, list[Edge]], judged: Mapping[Place, Wanted], declared: Declared) -> dict[str, Any]:
    """Precision and recall of the resolved edges and of all; precision of each label."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    hit = {"resolved": 0, "all": 0}
    signatures = {place for wanted in judged.values() if wanted.is_signature for place in wanted.places}
    for place, wanted in judged.items():
        right: set[str] = set()
        for edge in edges.get(place, ()):
            places = declared.places(edge.object)
            is_right = bool(places & wanted.places)
            is_body = wanted.is_signature and not places & signatures and edge.object.qualified_name.rpartition(".")[2] == wanted.name
            if not is_right and is_body:
                continue
            right |= {edge.confidence_kind} if is_right else set()
            for label in (edge.confidence_kind, "all", f"{edge.confidence_kind} {edge.reason}"):
                counts[label][0] += is_right
                counts[label][1] += 1
        hit["resolved"] += "resolved" in right
        hit["all"] += bool(right)
    sites = sum(bool(wanted.places) for wanted in judged.values())
    calls = {
        kind: {"precision": counts[kind][0] / max(1, counts[kind][1]), "recall": hit[kind] / max(1, sites), "edges": counts[kind][1]} for kind in hit
    }
    labels = {label: {"precision": right / total, "edges": total} for label, (right, total) in sorted(counts.items()) if " " in label}
    return {"calls": {**calls, "wanted": sites}, "labels": labels}
