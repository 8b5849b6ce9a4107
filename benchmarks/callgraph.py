"""Are the graph's edges right on real code? Holds them against what independent resolvers agree on, and against calls that were seen to run.

--data: a folder with NAME.truth.jsonl.gz, NAME.runtime.jsonl.gz (optional) and a README.md that says "owner/NAME at REVISION".
An edge of the truth counts where at least two resolvers judged and all that did agree. precision: right edges of those at judged sites that have a
target in the repository. recall: judged sites with such a target where the right edge was found. observed: explicit call sites in src/ that ran,
of which a target that ran was found. A constructor counts as its class. cpu_s: reading all files and resolving them, imports excluded.
--typescript: the JavaScript and TypeScript repositories of --mirror too (see callgraph_typescript.py).
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import resource
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mirrors import ROOT, arguments, git, report, repositories

sys.path.insert(0, str(ROOT))

from callgraph_files import Files, contents_of
from callgraph_public import jarvis, jarvis_micro, pycg
from callgraph_typescript import LANGUAGES, typescript

from analyzers.registry import language_of
from knowledge.facts.pyrefly import TOOL, VERSION, run_pyrefly
from knowledge.graph.build import resolve_all
from knowledge.graph.layout import Layout, python_roots
from knowledge.graph.pyrefly_edges import pyrefly_edges
from knowledge.graph.reads import Tree
from knowledge.graph.resolution import Resolution
from knowledge.records.edges import Edge
from knowledge.records.grades import GRADES
from knowledge.records.identifiers import SymbolId

Site = tuple[str, int, int]
Target = tuple[str, str]
KINDS = {"calls": "calls", "implements": "inherits", "imports": "imports"}
_CONSTRUCTORS = ("__init__", "__new__", "constructor")
_REVISION = re.compile(r"([\w.-]+)/([\w.-]+) at ([0-9a-f]{7,40})")
_PUBLIC = (
    ("pycg", "vitsalis+PyCG", pycg),
    ("jarvis_micro", "pythonJaRvis+pythonJaRvis.github.io", jarvis_micro),
    ("jarvis_macro", "pythonJaRvis+pythonJaRvis.github.io", jarvis),
)
_NOT_EXPLICIT = ("computed", "decorator", "lambda")


@dataclass(frozen=True, slots=True)
class Found:
    """What the resolver found at one site. label: confidence kind and reason."""

    target: Target
    is_resolved: bool
    label: str


def found_edges(files: Files, resolutions: Iterable[Resolution]) -> dict[str, dict[Site, list[Found]]]:
    """Edges as the truth writes them: kind → site → targets. Implicit calls and computed callees have no site of that kind."""
    found: dict[str, dict[Site, list[Found]]] = {kind: defaultdict(list) for kind in KINDS.values()}
    for resolution in resolutions:
        lines = files.contents[resolution.path].split(b"\n")
        for edge in resolution.edges:
            kind = KINDS.get(edge.predicate)
            if kind is None or not edge.object.path or (kind == "imports" and edge.object.qualified_name):
                continue
            if kind == "calls" and not _is_explicit(edge):
                continue
            site = (resolution.path.decode(), edge.row + 1, len(lines[edge.row][: edge.column].decode("utf-8", "replace")))
            label = f"{edge.confidence_kind} {edge.reason}"
            found[kind][site].append(Found(_target(edge.object), edge.confidence_kind == "resolved", label))
    return found


def _is_explicit(edge: Edge) -> bool:
    return bool(edge.name) and edge.reason != "implicit" and edge.end - edge.start == len(edge.name.encode())


def _target(symbol: SymbolId) -> Target:
    owner, _, last = symbol.qualified_name.rpartition(".")
    return symbol.path.decode(), owner if owner and last in _CONSTRUCTORS else symbol.qualified_name or "<module>"


def rows(path: Path) -> Iterator[dict[str, Any]]:
    """The JSON lines of a compressed file; none where there is no such file."""
    if path.exists():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())


def _row_target(row: dict[str, Any]) -> Target | None:
    dst = row.get("dst")
    if not dst or dst["qualname"] == "<var>":
        return None
    owner, _, last = dst["qualname"].rpartition(".")
    return (dst["path"], owner if owner and last in _CONSTRUCTORS else dst["qualname"])


def _row_site(row: dict[str, Any]) -> Site:
    return row["site"]["path"], row["site"]["line"], row["site"]["col"]


def judged_sites(truth: Iterable[dict[str, Any]]) -> dict[str, dict[Site, Target | None]]:
    """kind → site → the target that all agree on; None: outside the repository."""
    judged: dict[str, dict[Site, Target | None]] = {kind: {} for kind in KINDS.values()}
    for row in truth:
        if row["kind"] in judged and len(row["by"]) > 1:
            judged[row["kind"]][_row_site(row)] = _row_target(row)
    return judged


def ran_sites(runtime: Iterable[dict[str, Any]]) -> dict[Site, set[Target | None]]:
    """Explicit call sites in src/ → what ran there."""
    ran: dict[Site, set[Target | None]] = defaultdict(set)
    for row in runtime:
        flags = [str(flag) for flag in row.get("flags") or ()]
        is_explicit = not any(flag.startswith(("implicit", "via_c")) or flag in _NOT_EXPLICIT for flag in flags)
        if row["kind"] == "calls" and row["src"]["path"].startswith("src/") and row.get("dst") and is_explicit:
            ran[_row_site(row)].add(_row_target(row))
    return ran


def score(found: Mapping[Site, list[Found]], judged: Mapping[Site, Target | None], only_resolved: bool) -> dict[str, float]:
    """precision and recall, of resolved edges or of all."""
    targets = {site: {f.target for f in edges if f.is_resolved or not only_resolved} for site, edges in found.items()}
    at_judged = [(site, target) for site, several in targets.items() if site in judged for target in several]
    wanted = [site for site, target in judged.items() if target]
    right = sum(judged[site] == target for site, target in at_judged)
    hit = sum(judged[site] in targets.get(site, ()) for site in wanted)
    return {"precision": right / max(1, len(at_judged)), "recall": hit / max(1, len(wanted)), "edges": len(at_judged), "wanted": len(wanted)}


def precision_of_labels(found: Mapping[Site, list[Found]], judged: Mapping[Site, Target | None]) -> dict[str, tuple[int, int]]:
    """label → (right, all) of the edges at judged sites."""
    counts: dict[str, tuple[int, int]] = {}
    for site, edges in found.items():
        for edge in edges if site in judged else ():
            right, total = counts.get(edge.label, (0, 0))
            counts[edge.label] = (right + (judged[site] == edge.target), total + 1)
    return counts


def measure(data: Path, name: str, repository: Path, revision: str) -> dict[str, Any]:
    """The figures of one repository."""
    contents = contents_of(repository, revision)
    started = time.process_time()
    files = Files(contents)
    tree = Tree(files)
    resolutions = list(resolve_all(tree, sorted(p for p in contents if files.facts(p) is not None)))
    seconds = time.process_time() - started
    return figures_of(files, resolutions, data, name) | {"cpu_s": seconds}


def measure_pyrefly(data: Path, name: str, repository: Path, revision: str) -> dict[str, Any]:
    """The figures of one repository where pyrefly answers alone; what it uses of the processor is its own."""
    contents = contents_of(repository, revision)
    files = Files(contents)
    sources = {path: content for path, content in contents.items() if path.endswith((b".py", b".pyi"))}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    report_of_it = run_pyrefly(sources, python_roots(Layout(files), sources))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    resolutions = [Resolution(path, (), tuple(edges), ()) for path, edges in pyrefly_edges(report_of_it, files).edges.items()]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return figures_of(files, resolutions, data, name) | {"cpu_s": seconds}


def figures_of(files: Files, resolutions: Iterable[Resolution], data: Path, name: str) -> dict[str, Any]:
    """Precision and recall of edges by kind and label."""
    found = found_edges(files, resolutions)
    judged = judged_sites(rows(data / f"{name}.truth.jsonl.gz"))
    figures: dict[str, Any] = {
        kind: {"resolved": score(found[kind], judged[kind], True), "all": score(found[kind], judged[kind], False)} for kind in KINDS.values()
    }
    ran = ran_sites(rows(data / f"{name}.runtime.jsonl.gz"))
    if ran:
        hit = sum(bool({f.target for f in found["calls"].get(site, ())} & targets) for site, targets in ran.items())
        figures["calls"]["observed"] = hit / len(ran)
    labels = precision_of_labels(found["calls"], judged["calls"])
    figures["labels"] = {label: {"precision": right / total, "edges": total} for label, (right, total) in sorted(labels.items())}
    return figures


def table(figures: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """One row for each repository and kind."""
    shown: dict[str, dict[str, Any]] = {}
    for name, row in figures.items():
        for kind in KINDS.values():
            resolved, both = row[kind]["resolved"], row[kind]["all"]
            shown[f"{name} {kind}"] = {
                "resolved P": resolved["precision"], "resolved R": resolved["recall"], "all P": both["precision"], "all R": both["recall"],
                "wanted": both["wanted"], "observed": row[kind].get("observed"), "cpu_s": row["cpu_s"] if kind == "calls" else None,
            }  # fmt: skip
    return shown


def _more(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--pyrefly", action="store_true", help="what pyrefly answers alone, in rows of its own (needs the extra)")
    parser.add_argument("--typescript", type=Path, help="a node_modules folder in which `npm install typescript` was run")


def _is_javascript(repository: Path) -> bool:
    """Whether most of a repository's files that have a resolver are JavaScript or TypeScript."""
    languages = [language_of(path.encode()) for path in git(repository, "ls-tree", "-r", "--name-only", "HEAD").splitlines()]
    return sum(language in LANGUAGES for language in languages) > languages.count("python")


def labels(figures: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The precision of every grade and label, strongest first, and of how many edges; one column for each benchmark."""
    shown: dict[str, dict[str, Any]] = {}
    for grade in GRADES:
        rows = {f"  {grade.confidence_kind} {reason}": {f"{grade.confidence_kind} {reason}"} for reason in grade.reasons}
        for title, names in {grade.name: {f"{grade.confidence_kind} {reason}" for reason in grade.reasons}, **rows}.items():
            row = {name: _precision_of(names, figure["labels"]) for name, figure in figures.items()}
            if any(row.values()):
                shown[title] = row
    return shown


def _precision_of(names: set[str], measured: Mapping[str, Any]) -> str | None:
    rows = [row for label, row in measured.items() if label in names]
    edges = sum(row["edges"] for row in rows)
    return f"{sum(row['precision'] * row['edges'] for row in rows) / edges:.3f} of {edges}" if edges else None


def main() -> None:
    """Measure every repository that --data has a truth for and --mirror has."""
    asked = arguments(__doc__ or "", "callgraph", _more)
    revisions = {name: (owner, revision) for owner, name, revision in _REVISION.findall((asked.data / "README.md").read_text(encoding="utf-8"))}
    figures: dict[str, Any] = {}
    for path in sorted(asked.data.glob("*.truth.jsonl.gz")):
        name = path.name.removesuffix(".truth.jsonl.gz")
        repository = next(iter(sorted(asked.mirror.glob(f"*+{name}/repo"))), None)
        if repository is None or (asked.only and not any(part in name for part in asked.only)):
            continue
        revision = revisions[name][1] if name in revisions else git(repository, "rev-parse", "HEAD")
        figures[name] = measure(asked.data, name, repository, revision)
        if asked.pyrefly:
            figures[f"{name}, {TOOL} {VERSION}"] = measure_pyrefly(asked.data, name, repository, revision)
    public: dict[str, Any] = {}
    for name, owner, measured in _PUBLIC:
        repository = asked.mirror / owner / "repo"
        if repository.is_dir() and (not asked.only or any(part in name for part in asked.only)):
            public[name] = measured(repository)
    checked = {
        name.partition("/")[2]: typescript(repository, asked.typescript)
        for name, repository in (repositories(asked) if asked.typescript else ())
        if _is_javascript(repository)
    }
    if asked.json:
        report(asked, figures | public | checked, [])
    else:
        shown = table(figures)
        for name, row in public.items():
            resolved = row["resolved"]
            shown[name] = {
                "resolved P": resolved["precision"], "resolved R": resolved["recall"], "all P": row["precision"], "all R": row["recall"],
                "wanted": row["wanted"],
            }  # fmt: skip
        for name, row in checked.items():
            resolved, both = row["calls"]["resolved"], row["calls"]["all"]
            shown[f"{name} calls"] = {
                "resolved P": resolved["precision"], "resolved R": resolved["recall"], "all P": both["precision"], "all R": both["recall"],
                "wanted": row["calls"]["wanted"], "cpu_s": row["cpu_s"],
            }  # fmt: skip
        report(asked, shown, ["resolved P", "resolved R", "all P", "all R", "wanted", "observed", "cpu_s"])
        print()
        everything = figures | public | checked
        report(asked, labels(everything), list(everything))


if __name__ == "__main__":
    main()
