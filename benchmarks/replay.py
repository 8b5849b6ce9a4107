"""Are statuses the same step by step, in one jump, and from a cold index?

For every repository under --mirror: initialize at an old revision, record 200 claims of all classes through the public operations, then apply 300
first-parent commits one at a time; apart from that, in one jump; and with the index deleted at the end. `differences` counts claims whose status,
causes or places differ between the three.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from mirrors import ROOT, arguments, bare_clone, git, report, repositories

sys.path.insert(0, str(ROOT))

from drawn_claims import drafts_of

from knowledge.config import INDEX_FILE
from knowledge.operations.initialize import initialize
from knowledge.operations.project import Project, open_project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.record import record_many
from knowledge.operations.transfer import export, import_

CLAIMS, COMMITS = 200, 300
Seen = dict[str, tuple[object, ...]]


def statuses(project: Project) -> Seen:
    """claim → everything about its status at HEAD that could differ."""
    reading = Reading(project)
    reconcile(project, reading)
    found = reading.statuses(reading.trees.at("HEAD"))
    return {
        c: (
            s.status,
            tuple((x.reason, x.place, x.new_hash) for x in s.causes),
            tuple(sorted((d, r.state, r.hash, r.inferred_hash, r.place) for d, r in s.readings.items())),
        )
        for c, s in found.items()
    }


def replay(source: Path, workplace: Path) -> dict[str, Any]:
    """The figures of one repository."""
    commits = git(source, "rev-list", "--first-parent", f"--max-count={COMMITS + 1}", "HEAD").split()[::-1]
    started = time.process_time()
    steps = bare_clone(source, workplace / "steps", commits[0])
    initialize(steps)
    with open_project(steps) as project:
        drafts = drafts_of(Reading(project).trees.at("HEAD"), CLAIMS)
        record_many(project, drafts)
        export(project, workplace / "ledger.jsonl")
        for commit in commits[1:]:
            git(steps, "update-ref", "refs/heads/knowledge-bench", commit)
            reconcile(project)
        one_by_one = statuses(project)
    jump = bare_clone(source, workplace / "jump", commits[0])
    initialize(jump)
    with open_project(jump) as project:
        import_(project, workplace / "ledger.jsonl")
        git(jump, "update-ref", "refs/heads/knowledge-bench", commits[-1])
        at_once = statuses(project)
    for path in (jump / INDEX_FILE).parent.glob(Path(INDEX_FILE).name + "*"):
        path.unlink()
    with open_project(jump) as project:
        cold = statuses(project)
    differing = {c for c in one_by_one if not one_by_one[c] == at_once.get(c) == cold.get(c)}
    for claim in sorted(differing)[:5]:
        print(claim, one_by_one[claim], at_once.get(claim), cold.get(claim), sep="\n  ", file=sys.stderr)
    kept = sum(s[0] in ("active", "verified") for s in one_by_one.values())
    seconds = time.process_time() - started
    return {"commits": len(commits) - 1, "claims": len(one_by_one), "kept": kept, "differences": len(differing), "seconds": round(seconds, 1)}


def main() -> None:
    """Replay every repository under --mirror."""
    asked = arguments(__doc__ or "")
    figures = {}
    for name, path in repositories(asked):
        workplace = Path(tempfile.mkdtemp(prefix="knowledge-replay-"))
        try:
            figures[name] = replay(path, workplace)
        finally:
            shutil.rmtree(workplace)
    report(asked, figures, ["commits", "claims", "kept", "differences", "seconds"])


if __name__ == "__main__":
    main()
