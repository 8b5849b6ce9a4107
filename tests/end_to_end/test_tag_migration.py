"""A migration of tags whose process is killed: what was done is whole, and the next run does the rest, once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from git_fixtures import GitRepo

from knowledge.config import VOCABULARY_FILE
from knowledge.operations.project import open_project
from knowledge.operations.record import UNANCHORED, Draft, record_many
from knowledge.operations.tag_migration import BATCH, apply, plan
from knowledge.records.claims import Author

ADA = Author("person", "ada")
CLAIMS = 4 * BATCH
KILLS = 2
WAIT_SECONDS = 60


def _retagged(repo: Path) -> int:
    with open_project(repo, ADA) as project:
        return len(project.ledger.events(types=("ClaimRetagged",)))


def test_a_killed_migration_is_finished_by_the_next_one(tmp_path: Path) -> None:
    """Killed as soon as a batch is there, again and again: only whole batches are done, no claim twice, and the end is as planned."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("a.py", "x = 1\n")
    repo.commit("Begin")
    manifest = tmp_path / "plan.json"
    with open_project(repo.path, ADA, create=True) as project:
        record_many(project, [Draft(f"claim {n}", tags=("kind:done",), anchors=(UNANCHORED,)) for n in range(CLAIMS)])
        (project.home / VOCABULARY_FILE).write_text('prefixes = ["kind"]\n[aliases]\n"kind:done" = "kind:completion"\n')
        plan(project, manifest)
    command = [sys.executable, "-m", "knowledge", "-C", str(repo.path), "tags", "migrate", "--apply", str(manifest)]
    for _ in range(KILLS):
        before = _retagged(repo.path)
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ)) as child:
            end = time.monotonic() + WAIT_SECONDS
            while child.poll() is None and _retagged(repo.path) == before and time.monotonic() < end:
                time.sleep(0.01)
            child.send_signal(signal.SIGKILL)
        assert _retagged(repo.path) % BATCH == 0
    with open_project(repo.path, ADA) as project:
        answer = apply(project, manifest)
        assert (answer.stage, answer.refused, answer.differing) == ("done", {}, ())
        assert project.ledger.tags() == {"kind:completion": CLAIMS}
        events = project.ledger.events(types=("ClaimRetagged",))
        assert len(events) == len({event.claim_id for event in events}) == CLAIMS
