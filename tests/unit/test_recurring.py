"""The same trap stored again makes a draft, which only a person can turn into a row that is held against calls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.errors import NotAPersonError
from knowledge.operations.persons import Proof
from knowledge.operations.project import Project, open_project
from knowledge.operations.record import UNANCHORED, Draft, record
from knowledge.operations.trigger_rows import approve, rows_of
from knowledge.records.claims import Author

TRAP = "[gotcha] 퍼지용 Cloudflare API 토큰에는 zone 권한이 없다."
AGAIN = "Cloudflare 퍼지 토큰으로는 zone이 보이지 않는다. 토큰에 zone 권한이 없다."


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("a.py", "x = 1\n")
    repo.commit("Add a")
    with open_project(repo.path, Author("agent", "x", "s1"), create=True) as opened:
        yield opened


def add(project: Project, statement: str, *tags: str) -> tuple[str, ...]:
    """The notes about a new claim."""
    return record(project, Draft(statement, tags=tags, anchors=(UNANCHORED,))).notes


def test_a_trap_that_is_stored_again_is_drafted_once_with_its_evidence(project: Project) -> None:
    """The notice names the draft; a third time adds none; an agent cannot approve it."""
    assert not any("trap" in note for note in add(project, TRAP))
    notes = add(project, AGAIN, "kind:gotcha")
    assert any("told of this trap before" in note for note in notes)
    (line,) = rows_of(project).values()
    assert (line.state, line.causes) == ("draft", ("trap-again",))
    assert len(line.evidence["claims"]) == 2 and "cloudflare" in line.row["subject"]
    add(project, AGAIN, "kind:gotcha")
    assert len(rows_of(project)) == 1
    with pytest.raises(NotAPersonError):
        approve(project, line.id, "it looks fine", Proof(has_terminal=True))


@pytest.mark.parametrize(
    "statement",
    [
        "[gotcha] GitHub 2FA 로그인은 패스키 때문에 aside로 할 수 없다.",
        "퍼지용 Cloudflare API 토큰에 zone 권한을 주었다.",
        "[gotcha] 테스트 데이터는 월요일마다 없어진다.",
    ],
)
def test_another_service_a_success_and_another_trap_are_none(project: Project, statement: str) -> None:
    """The same words of another service, what is no trap, and what is unlike make no draft."""
    add(project, TRAP)
    add(project, statement)
    assert rows_of(project) == {}
