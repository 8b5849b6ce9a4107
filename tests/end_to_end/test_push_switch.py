"""Switching off what comes to agents by itself."""

from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.operations.initialize import initialize
from knowledge.surfaces.cli.main import main


def test_push_is_switched_for_the_whole_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Off is told by status until it is on again; doing either twice is no mistake."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("a.py", "x = 1\n")
    repo.commit()
    initialize(repo.path)
    monkeypatch.chdir(repo.path)
    for word, is_told in (("off", True), ("off", True), ("on", False), ("on", False)):
        assert main(["push", word]) == 0
        assert main(["status"]) == 0
        assert ("knowledge push on" in capsys.readouterr().out) is is_told


def test_the_environment_is_told_where_it_silences(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """`push on` says that the environment has the last word."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("a.py", "x = 1\n")
    repo.commit()
    initialize(repo.path)
    monkeypatch.chdir(repo.path)
    monkeypatch.setenv("KNOWLEDGE_PUSH", "0")
    assert main(["push", "on"]) == 0
    assert "KNOWLEDGE_PUSH=0" in capsys.readouterr().out
