"""Does any commit of any history crash it, and are statuses that are kept up to date right ones?

For every repository under --mirror: claims of all kinds of anchors, recorded at commits all over its history, then every pair (parent, commit), the
other parents of merges too: HEAD at the parent, HEAD at the commit, statuses brought up to date at both; a sample of the first-parent line first.
Every --look pairs a person looks: `stale`, `diff`, `why` and `history` of what fell; and statuses computed from nothing must equal the stored ones.

The work is done in a child process, so that one that is ended by the system is found too. It goes on where it was left: --folder keeps the store,
what is done and what was found; --seconds ends a piece of work. `crashes` and `differences` must be 0.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from mirrors import ROOT, arguments, bare_clone, git, report, repositories

sys.path.insert(0, str(ROOT))

from drawn_claims import drafts_of

from knowledge.operations.branch_diff import difference
from knowledge.operations.history import history
from knowledge.operations.initialize import initialize
from knowledge.operations.project import Project, open_project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.record import Draft, record_many
from knowledge.operations.stale import stale
from knowledge.operations.why import why
from knowledge.records.claims import ClaimStatus

CLAIMS, PLACES, SAMPLE = 12, 12, 100
"""claims recorded at each of so many commits; each so manieth pair of the first-parent line comes first."""
BRANCH = "refs/heads/knowledge-bench"
COLUMNS = ["pairs", "done", "looked", "claims", "crashes", "differences", "seconds"]


@dataclass(frozen=True, slots=True)
class Work:
    """Where the work on one repository is done, and how far it has come."""

    folder: Path
    look: int

    @property
    def repository(self) -> Path:
        """The bare clone with the store."""
        return self.folder / "repository"

    def load(self) -> dict[str, Any]:
        """What is done, and what was found."""
        path = self.folder / "progress.json"
        begun = {"done": 0, "looked": 0, "claims": 0, "seconds": 0.0, "crashes": [], "differences": []}
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else begun

    def save(self, progress: dict[str, Any]) -> None:
        """Keep it; a piece that is ended meanwhile leaves the one before."""
        part = self.folder / "progress.part"
        part.write_text(json.dumps(progress), encoding="utf-8")
        part.replace(self.folder / "progress.json")


def pairs_of(repository: Path) -> list[tuple[str, str]]:
    """Every (parent, commit) that HEAD reaches: a sample of the first-parent line, then all in the order of history."""
    rows = [row.split() for row in git(repository, "rev-list", "--topo-order", "--reverse", "--parents", "HEAD").splitlines()]
    every = [(parent, commit) for commit, *parents in rows for parent in parents]
    line = git(repository, "rev-list", "--first-parent", "--reverse", "HEAD").splitlines()
    sample = list(pairwise(line))[::SAMPLE]
    sampled = set(sample)
    return sample + [pair for pair in every if pair not in sampled]


# ── the child: does the work ──


def begin(work: Work, source: Path) -> None:
    """A clone whose claims were recorded all over its history."""
    line = git(source, "rev-list", "--first-parent", "--reverse", "HEAD").splitlines()
    shutil.rmtree(work.repository, ignore_errors=True)
    bare_clone(source, work.repository, line[0])
    git(work.repository, "config", "gc.auto", "0")
    (work.folder / "pairs.json").write_text(json.dumps(pairs_of(source)), encoding="utf-8")
    initialize(work.repository)
    with open_project(work.repository) as project:
        for place in range(1, PLACES + 1):
            move(work, line[(len(line) - 1) * place // PLACES])
            drafts = drafts_of(Reading(project).trees.at("HEAD"), CLAIMS, seed=place)
            known = [answer.claim.id for answer in record_many(project, drafts)]
            rests = [Draft(f"follows from {c}", "inference", anchors=(f"claim:{c}",)) for c in known[:3]]
            record_many(project, [*rests, Draft(f"step {place}", "plan", anchors=("none",), derived_from=tuple(known[3:5]))])
        progress = work.load()
        work.save(progress | {"claims": project.ledger.claim_count()})


def move(work: Work, commit: str) -> None:
    """HEAD at a commit."""
    git(work.repository, "update-ref", BRANCH, commit)


def go_on(work: Work, end: float) -> None:
    """Pair by pair from where it was left until all are done or the time is up."""
    progress = work.load()
    pairs = json.loads((work.folder / "pairs.json").read_text(encoding="utf-8"))
    with open_project(work.repository) as project:
        while progress["done"] < len(pairs) and time.monotonic() < end:
            started = time.process_time()
            parent, commit = pairs[progress["done"]]
            move(work, parent)
            reconcile(project)
            move(work, commit)
            reconcile(project)
            if progress["done"] % work.look == 0:
                progress["looked"] += 1
                progress["differences"] += look(project, parent, commit)
            progress["done"] += 1
            progress["seconds"] += time.process_time() - started
            work.save(progress)


def look(project: Project, parent: str, commit: str) -> list[str]:
    """What a person would ask here; and which claims are worth something else when their statuses are computed from nothing."""
    answer = stale(project, at="HEAD")
    difference(project, f"{parent}..{commit}")
    for group in answer.groups[:2]:
        why(project, group.claims[0].id)
        history(project, group.claims[0].id)
    reading = Reading(project)
    view = reading.trees.at("HEAD")
    stored = reading.statuses(view)
    cold = {s.claim_id: s for s in reading.evaluate(stored, {}, view).statuses}
    return [f"{parent[:10]}..{commit[:10]} {c}: {_told(stored[c])} ≠ {_told(cold[c])}" for c in stored if _told(stored[c]) != _told(cold[c])]


def _told(status: ClaimStatus) -> tuple[object, ...]:
    causes = tuple((c.reason, c.place, c.new_hash) for c in status.causes)
    return status.status, causes, tuple(sorted((d, r.state, r.hash, r.inferred_hash, r.place) for d, r in status.readings.items()))


# ── the parent: starts it again after a crash ──


def run(work: Work, source: Path, seconds: float) -> dict[str, Any]:
    """The figures of one repository after a piece of work."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        progress = work.load()
        command = [sys.executable, __file__, "--mirror", str(source), "--folder", str(work.folder), "--look", str(work.look), "--child"]
        child = subprocess.run([*command, "--seconds", str(end - time.monotonic())], capture_output=True, text=True, check=False)
        if child.returncode == 0:
            break
        after = work.load()
        told = "\n".join(child.stderr.splitlines()[-25:])
        print(f"pair {after['done']}: exit {child.returncode}\n{told}", file=sys.stderr)
        if not (work.folder / "pairs.json").exists() or (after["done"] == progress["done"] and not after["claims"]):
            sys.exit("the store could not be made")
        pair = json.loads((work.folder / "pairs.json").read_text(encoding="utf-8"))[after["done"]]
        work.save(after | {"done": after["done"] + 1, "crashes": [*after["crashes"], {"pair": pair, "exit": child.returncode, "error": told}]})
    progress = work.load()
    for told in progress["differences"][:5]:
        print(told, file=sys.stderr)
    pairs = len(json.loads((work.folder / "pairs.json").read_text(encoding="utf-8")))
    counts = {name: len(progress[name]) for name in ("crashes", "differences")}
    return {**progress, **counts, "pairs": pairs, "seconds": round(progress["seconds"], 1)}


def _options(parser: argparse.ArgumentParser) -> None:
    folder = Path(tempfile.gettempdir()) / "knowledge-crash"
    parser.add_argument("--folder", type=Path, default=folder, help=f"where the stores and the progress are kept (default: {folder})")
    parser.add_argument("--seconds", type=float, default=600, help="how long a repository is worked on at most")
    parser.add_argument("--look", type=int, default=25, help="every so many pairs everything is looked at and computed from nothing")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)


def main() -> None:
    """Work on every repository under --mirror for a while; in a child on the one that is given."""
    asked = arguments(__doc__ or "", more=_options)
    if asked.child:
        work = Work(asked.folder, asked.look)
        if not work.load()["claims"]:
            begin(work, asked.mirror)
        go_on(work, time.monotonic() + asked.seconds)
        return
    figures = {}
    for name, path in repositories(asked):
        work = Work(asked.folder / name.replace("/", "+"), asked.look)
        work.folder.mkdir(parents=True, exist_ok=True)
        figures[name] = run(work, path, asked.seconds)
    report(asked, figures, COLUMNS)


if __name__ == "__main__":
    main()
