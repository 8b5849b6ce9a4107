"""Does a context pack name what a change needs? The goal is a commit's message, the tree its parent's: nothing of the commit itself is seen.

Of the source files that the commit then changed (one to five of them; no tests, documentation, examples), the share that the pack names among its
first five and ten; and of the functions that it changed, the share that a pack of 4,000 tokens names. Beside it BM25 over whole files, and, where
`--aider PYTHON` names an interpreter that has aider installed, its repository map for the same goal. Latencies are CPU milliseconds of one warm
pack after another in one process, each on a tree of its own that is indexed already.
"""

from __future__ import annotations

import argparse
import math
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mirrors import ROOT, arguments, bare_clone, git, report, repositories

sys.path.insert(0, str(ROOT))

from analyzers.registry import LANGUAGES, classify, language_of
from knowledge.operations.context_pack import context_pack
from knowledge.operations.project import Project, open_project
from knowledge.operations.reading import Reading
from knowledge.operations.tree_view import IndexedTree
from knowledge.recall.terms import index_terms
from knowledge.records.identifiers import read_path
from knowledge.records.packs import CallFrame, ContextPack

COMMITS = 150
FILES = range(1, 6)
BUDGET = 4_000
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? ")


@dataclass(frozen=True)
class Change:
    """A commit as a task: what was asked, on which tree, and what it came to. lines: file → the old lines that it changed."""

    goal: str
    parent: str
    files: tuple[str, ...]
    lines: dict[str, list[range]] = field(default_factory=dict)


def changes(directory: Path, count: int) -> Iterator[Change]:
    """The last commits that changed one to five source files that were there before, newest first."""
    log = git(directory, "log", "HEAD", "--no-merges", "--no-renames", "--diff-filter=M", "--name-only", "--format=%x01%H%x00%P%x00%B%x02")
    for block in log.split("\x01")[1:]:
        head, _, names = block.partition("\x02")
        revision, parents, message = head.split("\x00")
        files = tuple(name for name in names.split("\n") if _is_source(name))
        if len(files) in FILES and len(parents.split()) == 1 and count:
            count -= 1
            yield Change(message.strip(), parents, files, dict(_old_lines(directory, parents, revision, files)))


def _is_source(name: str) -> bool:
    language = language_of(name.encode())
    return bool(language) and LANGUAGES[language].kind == "code" and not classify(name.encode())


def _old_lines(directory: Path, parent: str, revision: str, files: Sequence[str]) -> Iterator[tuple[str, list[range]]]:
    for name in files:
        diff = git(directory, "diff", "--unified=0", "--no-renames", parent, revision, "--", name)
        yield name, [range(int(a), int(a) + max(1, int(n or 1))) for a, n in _HUNK.findall(diff)]


def functions_changed(change: Change, view: IndexedTree) -> set[tuple[str, str]]:
    """The innermost functions of the parent's tree in which the commit changed a line: (file, qualified name)."""
    found = set()
    for name, spans in change.lines.items():
        facts = view.facts(read_path(name))
        for span in spans:
            holding = [d for d in (facts.definitions if facts is not None else ()) if d.kind in ("function", "method")]
            holding = [d for d in holding if d.span.row + 1 <= span.start and span.stop - 1 <= d.span.end_row + 1]
            if holding:
                found.add((name, max(holding, key=lambda d: d.span.start).qualified_name))
    return found


class Bm25:
    """The rival: whole files by the goal's words, k1 = 1.2, b = 0.75. Each content is cut into terms once."""

    def __init__(self) -> None:
        self._terms: dict[str, Counter[str]] = {}

    def ranked(self, goal: str, view: IndexedTree) -> list[str]:
        """The code files of the tree, best first."""
        paths = [path for path in view.files if _is_source(path.decode("utf-8", "replace"))]
        missing = {view.blob_id(path): path for path in paths if view.blob_id(path) not in self._terms}
        for blob_id, path in missing.items():
            self._terms[blob_id] = Counter(index_terms((view.text(path) or b"").decode("utf-8", "replace")))
        texts = {path: self._terms[view.blob_id(path)] for path in paths}
        lengths = {path: sum(terms.values()) for path, terms in texts.items()}
        mean = sum(lengths.values()) / max(1, len(lengths))
        scores: Counter[bytes] = Counter()
        for term in set(index_terms(goal)):
            holders = [path for path in paths if term in texts[path]]
            rarity = math.log(1 + (len(paths) - len(holders) + 0.5) / (len(holders) + 0.5))
            for path in holders:
                often = texts[path][term]
                scores[path] += rarity * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * lengths[path] / mean))  # type: ignore[assignment]
        return [path.decode() for path, _ in scores.most_common()]


def aider_files(python: str, checkout: Path, goal: str) -> list[str]:
    """The files of aider's repository map for a goal, in its order. It reads the work tree."""
    script = (
        "import sys\nfrom pathlib import Path\nfrom aider.repomap import RepoMap\nfrom aider.io import InputOutput\n"
        "class Model:\n    def token_count(self, text):\n        return len(text) / 4\n"
        "root, goal = sys.argv[1:]\nfiles = [str(p) for p in Path(root).rglob('*') if p.is_file() and '.git' not in p.parts]\n"
        "words = {w.strip('.,:;()`\\'\"') for w in goal.split()}\n"
        "repo_map = RepoMap(map_tokens=4000, root=root, main_model=Model(), io=InputOutput(yes=True))\n"
        "text = repo_map.get_repo_map([], files, mentioned_idents=words) or ''\n"
        "print('\\n'.join(l.rstrip(':') for l in text.splitlines() if l and not l.startswith((' ', '│', '⋮'))))\n"
    )
    done = subprocess.run([python, "-c", script, str(checkout), goal], capture_output=True, text=True, check=False)
    return [line for line in done.stdout.splitlines() if line]


@dataclass
class Figures:
    """Sums over the changes of one repository."""

    shares: dict[str, list[float]] = field(default_factory=dict)

    def add(self, name: str, wanted: Sequence[Any], found: Sequence[Any]) -> None:
        """The share of `wanted` that is in `found`."""
        if wanted:
            self.shares.setdefault(name, []).append(sum(one in found for one in wanted) / len(wanted))

    def means(self) -> dict[str, float]:
        return {name: statistics.mean(values) for name, values in self.shares.items()}


def measure(directory: Path, home: Path, count: int, aider: str) -> dict[str, Any]:
    """The figures of one repository. The oldest change comes first, so that each tree is a small step from the one before."""
    figures, rival, spent = Figures(), Bm25(), []
    checkout = home / "checkout"
    if aider:
        git(directory, "clone", "--quiet", "--shared", str(directory), str(checkout))
    with open_project(directory, create=True, folder=home / "store") as project:
        for change in reversed(list(changes(directory, count))):
            view = Reading(project).trees.at(change.parent)
            pack = _pack(project, change)
            started = time.process_time()
            _pack(project, change)
            spent.append(1000 * (time.process_time() - started))
            files = [file.path for file in pack.relevant_files]
            ranked = rival.ranked(change.goal, view)
            for top in (5, 10):
                figures.add(f"pack{top}", change.files, files[:top])
                figures.add(f"bm25_{top}", change.files, ranked[:top])
            named = {(s.path, s.symbol.rpartition("::")[2].partition("#")[0]) for s in pack.relevant_symbols_and_source_ranges}
            figures.add("functions", sorted(functions_changed(change, view)), sorted(named))
            if aider:
                git(checkout, "checkout", "--quiet", "--detach", change.parent)
                mapped = aider_files(aider, checkout, change.goal)
                for top in (5, 10):
                    figures.add(f"aider{top}", change.files, mapped[:top])
    spent.sort()
    return {**figures.means(), "p50_ms": statistics.median(spent), "p95_ms": spent[int(len(spent) * 0.95)], "commits": len(spent)}


def _pack(project: Project, change: Change) -> ContextPack:
    return context_pack(project, CallFrame(change.goal, budget_tokens=BUDGET), at=change.parent)


def main() -> None:
    """Measure every repository under --mirror."""

    def more(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--commits", type=int, default=COMMITS, help="how many changes of each repository")
        parser.add_argument("--aider", default="", metavar="PYTHON", help="an interpreter with aider-chat, to measure its repository map beside")

    asked = arguments(__doc__ or "", more=more)
    figures: dict[str, Any] = {}
    for name, source in repositories(asked):
        with tempfile.TemporaryDirectory() as folder:
            home = Path(folder)
            directory = bare_clone(source, home / "bare.git", git(source, "rev-parse", "HEAD"))
            figures[name] = measure(directory, home, asked.commits, asked.aider)
    report(asked, figures, ["pack5", "pack10", "bm25_5", "bm25_10", "aider5", "aider10", "functions", "p50_ms", "p95_ms", "commits"])


if __name__ == "__main__":
    main()
