"""What recall answers from a ledger: order, statuses, banks, budgets, and what it refuses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.errors import UnknownSymbolError, UnknownTagError
from knowledge.operations.conflicts import report
from knowledge.operations.memory_view import memory_view
from knowledge.operations.project import Project, open_project
from knowledge.operations.recall import MOST_TOKENS, QUERY_TOKENS, Asked, recall
from knowledge.operations.record import UNANCHORED, Draft, record, record_many
from knowledge.operations.searching import bring_up_to_date
from knowledge.operations.steps import redact, reject, supersede, withdraw
from knowledge.recall.ranking import PUSH_SCORE
from knowledge.recall.tokens import estimate_tokens
from knowledge.records.claims import Author, Scope
from knowledge.views.pack_text import render_memory

CODE = "def create_session(user):\n    return user\n\n\ndef drop_session(user):\n    return None\n"
PURGE = "캐시 퍼지는 대시보드에서 파일 하나만 골라서 한다"
BLOCKED = "캐시 퍼지는 API 토큰 권한이 없어서 불가"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A repository with one file and no claims."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("app/sessions.py", CODE)
    repo.commit("Add sessions")
    with open_project(repo.path, Author("person", "ada"), create=True) as opened:
        yield opened


def add(project: Project, statement: str, **more: object) -> str:
    """The id of a new claim, unanchored unless it is said otherwise."""
    return record(project, Draft(statement, **({"anchors": (UNANCHORED,)} | more))).claim.id  # type: ignore[arg-type]


def ids(project: Project, text: str, **more: object) -> list[str]:
    """The ids of what is recalled, best first."""
    return [line.claim.id for line in recall(project, Asked(text, **more)).lines]  # type: ignore[arg-type]


def test_a_replaced_claim_stands_below_the_one_in_its_place(project: Project) -> None:
    """What answers the words best may be what was corrected since: its successor comes first, whatever that one says."""
    old = add(project, BLOCKED)
    new = add(project, PURGE)
    newest = add(project, "모두 비우는 버튼은 누르지 않는다")
    supersede(project, old, new, "권한이 없었을 뿐이다")
    supersede(project, new, newest, "더 짧게")
    lines = recall(project, Asked("캐시 퍼지 API 토큰 권한 불가")).lines
    assert [line.claim.id for line in lines] == [newest, old, new]
    assert [line.superseded_by for line in lines] == ["", newest, newest]


def test_what_was_withdrawn_is_not_recalled_and_what_was_rejected_is_last(project: Project) -> None:
    """Rejected claims are worth knowing of, below what holds."""
    gone, false, true = (add(project, f"the cache is purged {how}") for how in ("nightly", "weekly", "by hand in the dashboard"))
    withdraw(project, gone, "never was so")
    reject(project, false, "it is not")
    assert ids(project, "the cache is purged") == [true, false]


def test_the_other_side_of_a_conflict_is_shown(project: Project) -> None:
    """Who recalls one of two claims that contradict each other sees the other one, too."""
    one, other = add(project, PURGE), add(project, "그 일은 사람만 할 수 있다")
    report(project, one, other, "both cannot be")
    lines = recall(project, Asked("캐시 퍼지를 대시보드에서")).lines
    assert {line.claim.id for line in lines} == {one, other}
    assert all(line.claim.open_conflicts for line in lines)


def test_what_speaks_of_the_focus_comes_first(project: Project) -> None:
    """A claim about the file in focus is before an equal one about nothing there, and is shown even where its text says something else."""
    add(project, "sessions are kept for an hour")
    about = add(project, "sessions are kept for an hour", anchors=("body:app/sessions.py::create_session",))
    scoped = add(project, "nothing of the kind", scope=Scope(paths=("app/sessions.py",)))
    found = recall(project, Asked("how long are sessions kept", focus=("app/sessions.py",))).lines
    assert found[0].claim.id == about
    assert {line.claim.id for line in found if line.is_in_focus} == {about, scoped}


def test_names_in_tags_scope_and_anchors_are_found(project: Project) -> None:
    """A claim is found by what it stands on, not by its words alone."""
    tagged = add(project, "done", tags=("kind:gotcha",))
    anchored = add(project, "it opens one", anchors=("body:app/sessions.py::create_session",))
    served = add(project, "it asks twice", scope=Scope(service="cloudflare"))
    assert ids(project, "gotcha") == [tagged]
    assert ids(project, "createSession") == [anchored]
    assert ids(project, "클라우드플레어") == [served]


def test_a_stale_claim_says_so_and_reading_changes_nothing(project: Project) -> None:
    """The status in this tree is computed; no event and no verdict comes of being read."""
    claim = add(project, "create_session returns the user", anchors=("body:app/sessions.py::create_session",))
    assert project.repository.workdir is not None
    (project.repository.workdir / "app/sessions.py").write_text(CODE.replace("return user", "return None"))
    last, verdicts = project.ledger.last_sequence(), project.ledger.verdicts([claim])
    (line,) = recall(project, Asked("what does create_session return")).lines
    assert (line.claim.id, line.claim.status) == (claim, "stale")
    assert line.claim.causes
    assert (project.ledger.last_sequence(), project.ledger.verdicts([claim])) == (last, verdicts)


def test_nothing_and_weak_are_said(project: Project) -> None:
    """An empty answer is told apart from a bad one, and a bad one from a good one."""
    add(project, "Deployments are rolled back with make rollback")
    assert recall(project, Asked("점심 메뉴")).outcome == "nothing"
    assert recall(project, Asked("how are Terraform deployments planned")).outcome == "weak"
    assert recall(project, Asked("rolling back deployments")).outcome == "found"
    assert recall(project, Asked("how are Terraform deployments planned", least=PUSH_SCORE)).outcome == "nothing"


def test_an_unknown_name_is_an_error_with_near_ones(project: Project) -> None:
    """A symbol, file or tag that nothing has is no empty success; one that only claims speak of is found by them."""
    add(project, "drop_user closes the account", tags=("kind:gotcha",))
    with pytest.raises(UnknownSymbolError) as unknown:
        recall(project, Asked("create_sesion"))
    assert unknown.value.suggestions == ("app/sessions.py::create_session",)
    with pytest.raises(UnknownSymbolError):
        recall(project, Asked("sessions", focus=("create_sesion",)))
    with pytest.raises(UnknownTagError) as tag:
        recall(project, Asked("sessions", tags=("kind:gotchas",)))
    assert tag.value.suggestions == ("kind:gotcha",)
    assert recall(project, Asked("drop_user")).outcome == "found"
    assert recall(project, Asked("create_session")).outcome == "nothing"


@pytest.mark.parametrize("text", ["", "캐시 퍼지"])
def test_no_answer_is_longer_than_its_budget(project: Project, text: str) -> None:
    """With and without words, many and long claims: what does not fit is counted."""
    for number in range(12):
        add(project, f"{number}. 캐시 퍼지는 대시보드에서 한다. " + "이 줄은 길기만 하다. " * 60)
    answer = recall(project, Asked(text, budget_tokens=900))
    assert 0 < len(answer.lines) < 12
    assert len(answer.lines) + answer.left_out == 12
    assert sum(estimate_tokens(line.claim.statement) for line in answer.lines) <= answer.tokens <= 900
    assert all(line.is_excerpt for line in answer.lines)
    assert recall(project, Asked(text, budget_tokens=10**9)).tokens <= MOST_TOKENS


def test_a_long_query_is_cut_and_told(project: Project) -> None:
    """The beginning of a long text is asked, by whole sentences, and the answer says so."""
    claim = add(project, PURGE)
    answer = recall(project, Asked("캐시 퍼지를 대시보드에서 한다. " + "그 밖에는 적을 것이 없다. " * 200))
    assert estimate_tokens(answer.query) <= QUERY_TOKENS
    assert answer.query.endswith(".")
    assert "was cut" in answer.notes[0]
    assert answer.lines[0].claim.id == claim


def test_an_erased_text_is_not_found(project: Project) -> None:
    """Redaction reaches the search index."""
    claim = add(project, "the password is swordfish")
    assert ids(project, "swordfish") == [claim]
    redact(project, claim, "a secret")
    assert ids(project, "swordfish") == []


def test_the_search_index_is_rebuilt_from_the_ledger(project: Project) -> None:
    """Made claim by claim, or anew all at once: the same pieces, the same counts."""
    claims = []
    for number in range(5):
        claims.append(add(project, f"claim number {number} speaks of sessions"))
        bring_up_to_date(project)
    redact(project, claims[2], "as a test")
    bring_up_to_date(project)
    made = project.index.recall_state(), project.index.holding(["session", "claim", "number", "2", "3"])
    project.index.clear_recall()
    bring_up_to_date(project)
    assert (project.index.recall_state(), project.index.holding(["session", "claim", "number", "2", "3"])) == made
    assert "2" not in made[1]


def test_claims_that_were_not_even_looked_at_are_counted(project: Project) -> None:
    """However many there are, the answer says how many it does not show."""
    drafts = [Draft(f"the cache is purged by hand, says number {number}", anchors=(UNANCHORED,)) for number in range(70)]
    record_many(project, drafts)
    for text in ("", "who purges the cache by hand"):
        answer = recall(project, Asked(text, budget_tokens=400))
        assert len(answer.lines) + answer.left_out == 70, text


def test_a_memory_view_shows_the_part_that_answers(project: Project) -> None:
    """A long statement is shown by its best part in a memory view, too: the view keeps to the budget as the answer does."""
    add(project, "그 밖에는 적을 것이 없다. " * 100 + "\n\n" + PURGE)
    asked = Asked("캐시 퍼지를 대시보드에서", budget_tokens=900)
    view = memory_view(project, asked)
    (claim,) = (*view.relevant_claims, *view.stale_or_conflicting_claims)
    assert PURGE in claim.statement
    assert estimate_tokens(render_memory(view)) <= 900
