"""What a commit costs the store: CPU of one process that stays open, beside parsing what changed, on a tenth of a large repository and on all of it.

The repository is made of real ones: the Python packages of those under --mirror that have some, as they were some commits ago, repeated under
other names until there are --files files; then their own commits, one after the other, each in one of the copies. Claims of all classes are
drawn over all of it.

p50_ms, p95_ms: one commit's invalidation. parse_ms: parsing what a commit changed, which is not in them (median). replay_s: all the commits,
parsing too. growth: p50 on all of it by p50 on the tenth. peak_mb: of the process so far; kept_mb: how much its memory grew over the second
half of the commits.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mirrors import ROOT, arguments, git, report, repositories

sys.path.insert(0, str(ROOT))

from drawn_claims import drafts_of

from analyzers.parsing import parse
from knowledge.operations.initialize import initialize
from knowledge.operations.project import Project, open_project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.record import store_many

HISTORY = 120
"""How many commits of each repository are gone back."""
PARTS = ("src/", "lib/")
"""Where packages stand."""
RECORDED_AT_ONCE = 5_000


@dataclass(frozen=True)
class Past:
    """One repository: its files long ago, and what each commit since then wrote and removed. Paths begin with the package."""

    files: dict[str, str]
    steps: tuple[dict[str, str | None], ...]


def past_of(source: Path) -> Past | None:
    """The Python packages of a repository, by blob id; None where it has none."""
    commits = git(source, "rev-list", "--first-parent", f"--max-count={HISTORY + 1}", "HEAD").split()[::-1]
    first = {path: blob for blob, path in _rows(git(source, "ls-tree", "-r", "-z", commits[0]))}
    steps = []
    for older, newer in itertools.pairwise(commits):
        rows = git(source, "diff-tree", "-r", "-z", "--no-renames", older, newer).split("\0")
        step = {
            name: None if row.split()[4] == "D" else row.split()[3]
            for row, path in zip(rows[::2], rows[1::2], strict=False)
            if (name := _inside(path))
        }
        if step:
            steps.append(step)
    return Past(first, tuple(steps)) if len(first) > 5 and steps else None


def _rows(listed: str) -> Iterator[tuple[str, str]]:
    for row in filter(None, listed.split("\0")):
        head, _, path = row.partition("\t")
        if name := _inside(path):
            yield head.split()[2], name


def _inside(path: str) -> str:
    """A Python file's path below the folder of packages; "" for any other."""
    part = next((p for p in PARTS if path.startswith(p)), "")
    return path[len(part) :] if part and path.endswith(".py") else ""


class Repository:
    """The repository that is measured: copies of packages, and commits that go on in one after the other."""

    def __init__(self, folder: Path, pasts: list[Past], mirrors: list[Path], files: int) -> None:
        self.path = folder
        git(folder.parent, "init", "--quiet", "--bare", str(folder))
        (folder / "objects" / "info" / "alternates").write_text("".join(f"{path.resolve()}/objects\n" for path in mirrors))
        self._index = folder / "bench-index"
        rows: list[str] = []
        self._copies: list[tuple[str, Past]] = []
        for number in itertools.count():
            past = pasts[number % len(pasts)]
            if len(rows) + len(past.files) > files and len(self._copies) >= len(pasts):
                break
            self._copies.append((f"part{number:03}", past))
            rows += [f"100644 {blob}\tpart{number:03}/{path}" for path, blob in past.files.items()]
        self.files = len(rows)
        self._commit("\n".join(rows))

    def commits(self) -> Iterator[list[str]]:
        """Make one commit after the other: the blobs that each wrote."""
        turns = itertools.cycle([(name, iter(past.steps)) for name, past in self._copies])
        idle = 0
        while idle < len(self._copies):
            name, steps = next(turns)
            step = next(steps, None)
            if step is None:
                idle += 1
                continue
            idle = 0
            self._commit("\n".join(f"{'0' if blob is None else '100644'} {blob or '0' * 40}\t{name}/{path}" for path, blob in step.items()))
            yield [blob for blob in step.values() if blob is not None]

    def _commit(self, rows: str) -> None:
        person = {f"GIT_{who}_{what}": "bench@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
        env = {**os.environ, **person, "GIT_INDEX_FILE": str(self._index), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull}

        def run(*words: str, text: str = "") -> str:
            done = subprocess.run(["git", "-C", str(self.path), *words], input=text, check=True, capture_output=True, text=True, env=env)
            return done.stdout.strip()

        run("update-index", "--index-info", text=rows + "\n")
        parent = ["-p", "HEAD"] if (self.path / "refs" / "heads" / "bench").exists() else []
        revision = run("commit-tree", run("write-tree"), *parent, "-m", "step")
        run("update-ref", "refs/heads/bench", revision)
        run("symbolic-ref", "HEAD", "refs/heads/bench")


def measure(asked: argparse.Namespace, folder: Path, part: int) -> dict[str, Any]:
    """The figures of a repository with a part of the files and claims that were asked for."""
    mirrors = [path for _, path in repositories(asked)]
    pasts = {path: past for path in mirrors if (past := past_of(path)) is not None}
    made = Repository(folder / "repo", list(pasts.values()), list(pasts), asked.files // part)
    initialize(made.path)
    with open_project(made.path) as project:
        claims = record(project, asked.claims // part)
        spent, parsed, sizes = replay(project, made, asked.commits)
    spent.sort()
    return {
        "files": made.files,
        "claims": claims,
        "commits": len(spent),
        "p50_ms": 1000 * statistics.median(spent),
        "p95_ms": 1000 * spent[int(len(spent) * 0.95)],
        "parse_ms": 1000 * statistics.median(parsed),
        "replay_s": sum(spent) + sum(parsed),
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "kept_mb": sizes[-1] - sizes[len(sizes) // 2],
    }


def record(project: Project, count: int) -> int:
    """Record claims of all classes drawn over the tree; how many there are."""
    drafts = drafts_of(Reading(project).trees.at("HEAD"), count)
    for start in range(0, len(drafts), RECORDED_AT_ONCE):
        store_many(project, Reading(project), drafts[start : start + RECORDED_AT_ONCE])
    return len(drafts)


def replay(project: Project, made: Repository, most: int) -> tuple[list[float], list[float], list[float]]:
    """CPU seconds of each commit's invalidation, of parsing what it changed, and megabytes in use after it."""
    spent, parsed, sizes = [], [], []
    gc.collect()
    for blobs in itertools.islice(made.commits(), most):
        tree = project.repository.tree("HEAD")
        contents = [tree.read(blob) for blob in blobs]
        opened = time.process_time()
        for content in contents:
            parse(content, "python")
        done = time.process_time()
        reconcile(project)
        parsed.append(done - opened)
        spent.append(max(0.0, time.process_time() - done - (done - opened)))
        sizes.append(_resident_mb())
    return spent, parsed, sizes


def _resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--files", type=int, default=3_000)
    parser.add_argument("--claims", type=int, default=100_000)
    parser.add_argument("--commits", type=int, default=1_000)
    parser.add_argument("--part", type=int, action="append", default=[], help="only this part of it: 1 for all, 10 for a tenth")


def main() -> None:
    """Measure a tenth of the repository, then all of it."""
    asked = arguments(__doc__ or "", more=_options)
    figures: dict[str, Any] = {}
    for part in asked.part or [10, 1]:
        folder = Path(tempfile.mkdtemp(prefix="knowledge-scale-"))
        try:
            figures["all" if part == 1 else f"1/{part}"] = measure(asked, folder, part)
        finally:
            shutil.rmtree(folder)
    first, last = (list(figures.values())[i] for i in (0, -1))
    last["growth"] = last["p50_ms"] / first["p50_ms"]
    report(asked, figures, ["files", "claims", "commits", "p50_ms", "p95_ms", "growth", "parse_ms", "replay_s", "peak_mb", "kept_mb"])


if __name__ == "__main__":
    main()
