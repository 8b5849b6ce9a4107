"""Linked worktrees and several processes at once: each worktree is right about its own branch, and nothing that anybody says is lost."""

import os
import subprocess
import sys
from pathlib import Path

from git_fixtures import GitRepo
from status_fixtures import Kept, differences

from knowledge.operations.record import Draft, record

SESSIONS = "def open_session(user):\n    return user\n"
LOGIN = "from app.sessions import open_session\n\n\ndef login(user):\n    return open_session(user)\n"
REFRESH = "from app.sessions import open_session\n\n\ndef refresh(user):\n    return open_session(user)\n"
ONLY = "open_session is only called from login"


def started(tmp_path: Path) -> Kept:
    """A repository with one claim."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("app/__init__.py", "")
    repo.write("app/sessions.py", SESSIONS)
    repo.write("app/login.py", LOGIN)
    repo.commit()
    kept = Kept(repo)
    with kept.project(create=True) as project:
        record(project, Draft(ONLY))
    return kept


def statuses(kept: Kept) -> list[str]:
    return [status.status for status in kept.step().values()]


def test_two_worktrees_are_right_at_the_same_time(tmp_path: Path) -> None:
    """The branch with a new caller has a stale claim, the other one an active one, whoever was asked last."""
    here = started(tmp_path)
    there = Kept(here.repo.worktree_add(tmp_path / "there", "-b", "topic"))
    there.repo.write("app/refresh.py", REFRESH)
    there.repo.commit()
    for _ in range(2):
        assert statuses(there) == ["stale"]
        assert statuses(here) == ["active"]
    assert differences(there.stored(), there.cold()) == []
    assert differences(here.stored(), here.cold()) == []
    here.repo.merge("topic")
    assert statuses(here) == ["stale"]
    there.repo.git("revert", "--no-edit", "HEAD")
    assert (statuses(there), statuses(here)) == (["active"], ["stale"])


def test_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    """Six processes record, index, read and reconcile in two worktrees while commits are made; every claim is kept, and no one meets a lock."""
    here = started(tmp_path)
    there = Kept(here.repo.worktree_add(tmp_path / "there", "-b", "topic"))
    script = "import sys; from knowledge.surfaces.cli.main import main; sys.exit(main(sys.argv[1:]))"
    program = [sys.executable, "-c", script]
    environment = os.environ | {"KNOWLEDGE_AUTHOR": "ann", "PYTHONPATH": str(Path(__file__).parents[2])}
    running = []
    for number, kept in enumerate([here, there, here, there]):
        kept.repo.write(f"app/other{number}.py", f"def other{number}():\n    return {number}\n")
        kept.repo.commit()
        words = ["claim", "record", f"other{number} returns {number}", "--at", "HEAD"]
        for line in (words, ["index"], ["stale"])[: 2 if number % 2 else 3]:
            command = [*program, "-C", str(kept.repo.path), *line]
            running.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    for process in running:
        _, said = process.communicate(timeout=120)
        assert process.returncode == 0, said
    for kept in (here, there):
        found = kept.step()
        assert len(found) == 5
        assert differences(kept.cold(), found) == []
