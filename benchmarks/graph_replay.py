"""Does the graph that is brought up to date commit by commit equal one that is built from scratch?

For every repository under --mirror the last --commits first-parent commits are gone through; at each, edges and limitations of all files
are held against those of a cold resolution of that commit's tree. `differing` counts commits where they are not the same; `resolved` is
how many files a commit makes the resolver look at, on average, of `files`.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mirrors import ROOT, arguments, git, report, repositories

sys.path.insert(0, str(ROOT))

from callgraph_files import Files, Known, contents_of

from knowledge.graph.build import Key, plan, resolve_all
from knowledge.graph.reads import Tree
from knowledge.graph.resolution import Resolution


class Steps:
    """The resolutions of a tree that changes commit by commit."""

    def __init__(self, contents: dict[bytes, bytes]) -> None:
        self.known: Known = {}
        self.files = Files(contents, self.known)
        self.resolutions = cold(self.files)

    def change(self, contents: dict[bytes, bytes]) -> int:
        """Goes on to these files; how many were resolved anew."""
        before = self.files.contents
        changed = {path for path in (*before, *contents) if before.get(path) != contents.get(path)}
        files = Files(contents, self.known)
        new = Tree(files)
        found = plan(Tree(self.files), new, changed, self._readers)
        for path in changed:
            self.resolutions.pop(path, None)
        self.resolutions.update((resolution.path, resolution) for resolution in resolve_all(new, found.resolve))
        self.files = files
        return len(found.resolve)

    def _readers(self, keys: Iterable[Key]) -> set[bytes]:
        wanted = set(keys)
        return {path for path, found in self.resolutions.items() if any((read.kind, read.key) in wanted for read in found.reads)}


def cold(files: Files) -> dict[bytes, Resolution]:
    """Every file's resolution, from scratch."""
    return {found.path: found for found in resolve_all(Tree(files), sorted(path for path in files.paths() if files.facts(path) is not None))}


def replay(repository: Path, count: int) -> dict[str, Any]:
    """The figures of one repository."""
    commits = git(repository, "rev-list", "--first-parent", f"--max-count={count + 1}", "HEAD").split()[::-1]
    started = time.process_time()
    steps = Steps(contents_of(repository, commits[0]))
    differing: list[str] = []
    resolved = 0
    for commit in commits[1:]:
        resolved += steps.change(contents_of(repository, commit))
        scratch = cold(steps.files)
        paths = [path for path in {*scratch, *steps.resolutions} if not _same(scratch.get(path), steps.resolutions.get(path))]
        if paths:
            differing.append(commit)
            print(commit, *sorted(paths)[:5], file=sys.stderr)
    return {
        "commits": len(commits) - 1,
        "differing": len(differing),
        "resolved": resolved / max(1, len(commits) - 1),
        "files": len(steps.resolutions),
        "cpu_s": time.process_time() - started,
    }


def _same(one: Resolution | None, other: Resolution | None) -> bool:
    return one is not None and other is not None and (one.edges, one.limitations) == (other.edges, other.limitations)


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--commits", type=int, default=100, help="how many commits of each repository")


def main() -> None:
    """Replay every repository under --mirror."""
    asked = arguments(__doc__ or "", more=_options)
    figures = {name: replay(path, asked.commits) for name, path in repositories(asked)}
    report(asked, figures, ["commits", "differing", "resolved", "files", "cpu_s"])


if __name__ == "__main__":
    main()
