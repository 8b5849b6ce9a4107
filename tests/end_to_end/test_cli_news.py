"""The line after a commit: left by the hooks' worker or by the next command, told once to a person at a terminal, and to nobody else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.operations.reconcile import reconcile_queue
from knowledge.surfaces.cli.main import main

SESSIONS = "TTL = 30\n\n\ndef create_session(user):\n    return user, TTL\n"


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """A function with a claim and a decision about it."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("app/sessions.py", SESSIONS)
    repo.commit("Let people log in")
    assert main(["-C", str(repo.path), "init", "--no-hooks"]) == 0
    for kind in ("observation", "decision"):
        body = ["--anchor", "body:app/sessions.py::create_session"]
        assert main(["-C", str(repo.path), "claim", "record", "it pairs them", "--kind", kind, *body]) == 0
    return repo


def change(repo: GitRepo) -> str:
    """A commit that makes both fall; the line that is to be told of it."""
    before = repo.head()
    repo.write("app/sessions.py", SESSIONS.replace("user, TTL", "user"))
    repo.commit("Change")
    return f"since {before[:7]}: 1 claim stale, 1 for review"


def at_terminal(repo: GitRepo, *words: str, agent: str = "") -> str:
    """What a person sees who gives a command at a terminal."""
    ours, theirs = pty.openpty()
    script = "import sys; from knowledge.surfaces.cli.main import main; sys.exit(main())"
    environment = os.environ | {"KNOWLEDGE_AGENT": agent, "KNOWLEDGE_SESSION": agent and "s1", "TERM": "xterm"}
    with subprocess.Popen([sys.executable, "-c", script, "-C", str(repo.path), *words], env=environment, stdout=theirs, stderr=theirs) as process:
        os.close(theirs)
        seen = b""
        while part := _read(ours):
            seen += part
        process.wait(timeout=60)
    os.close(ours)
    return seen.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # how Linux says that nobody holds the other end any more
        return b""


def test_it_is_told_once_after_the_next_command(repo: GitRepo) -> None:
    """The worker left it; the next command tells it below its answer, with what to do; the one after that does not."""
    line = change(repo)
    reconcile_queue(repo.path / ".git")
    told = at_terminal(repo, "claim", "list", "--status", "active")
    assert f"{line} — knowledge -C {repo.path} stale" in told
    assert told.index("no claim fits") < told.index(line)
    assert "— knowledge" not in at_terminal(repo, "claim", "list", "--status", "active")


def test_without_a_worker_the_next_command_finds_it_by_itself(repo: GitRepo) -> None:
    """No hook ran: the command that brings the statuses up to date tells what it found."""
    line = change(repo)
    assert line in at_terminal(repo, "claim", "list", "--status", "active")


def test_an_agent_a_pipe_and_json_leave_it_for_a_person(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """Programs are told nothing that they did not ask for, and the person still is."""
    line = change(repo)
    capsys.readouterr()
    assert main(["-C", str(repo.path), "claim", "list"]) == 0
    assert capsys.readouterr().err == ""
    for words in (["claim", "list", "--json"], ["claim", "list", "--quiet"]):
        assert "— knowledge" not in at_terminal(repo, *words)
    assert "— knowledge" not in at_terminal(repo, "claim", "list", agent="bot")
    assert line in at_terminal(repo, "claim", "list")


def test_status_shows_it_and_stale_is_all_of_it(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """`status` has it in its answer, as JSON too; after `status` or `stale` at a terminal it was told."""
    line = change(repo)
    main(["-C", str(repo.path), "reconcile"])
    capsys.readouterr()
    assert main(["-C", str(repo.path), "status", "--json"]) == 0
    assert f'"news":"{line}"' in capsys.readouterr().out
    assert line in at_terminal(repo, "status")
    assert "— knowledge" not in at_terminal(repo, "claim", "list")
    repo.git("revert", "--no-edit", "HEAD")
    main(["-C", str(repo.path), "reconcile"])
    repo.git("revert", "--no-edit", "HEAD")
    assert "— knowledge" not in at_terminal(repo, "stale")
    assert "— knowledge" not in at_terminal(repo, "claim", "list", "--status", "active")


def test_another_branch_and_a_revert_are_no_news(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> None:
    """What stands again before it was told is not told, nor is what is so on a branch that was checked out."""
    repo.branch("early")
    change(repo)
    main(["-C", str(repo.path), "reconcile"])
    repo.git("revert", "--no-edit", "HEAD")
    assert "— knowledge" not in at_terminal(repo, "claim", "list")
    change(repo)
    main(["-C", str(repo.path), "reconcile"])
    repo.checkout("early")
    assert "— knowledge" not in at_terminal(repo, "claim", "list")


def test_uninit_leaves_no_news_behind(repo: GitRepo) -> None:
    """What is not told goes with the index."""
    change(repo)
    main(["-C", str(repo.path), "reconcile"])
    assert (repo.path / ".git/knowledge/news").exists()
    assert main(["-C", str(repo.path), "uninit"]) == 0
    assert sorted(path.name for path in (repo.path / ".git/knowledge").iterdir() if "news" in path.name) == []
