"""What was remembered elsewhere: read as statements, taken in as claims, and not believed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.claims.memories import read_decision_record, read_hindsight, read_markdown
from knowledge.config import VOCABULARY_FILE
from knowledge.errors import InvalidRecordError, UnknownPathError
from knowledge.operations.banks import make_personal, opened_personal
from knowledge.operations.evidence import recheck
from knowledge.operations.memories import FAILS, HOLDS, UNTOLD, read
from knowledge.operations.project import Project, open_project
from knowledge.operations.reading import Reading
from knowledge.records.claims import Author

CASE = (Path(__file__).parent.parent / "cases" / "memories" / "markdown.md").read_text(encoding="utf-8")
FILE = re.findall(r"^````markdown\n(.*?)^````$", CASE, re.MULTILINE | re.DOTALL)[0]
ROWS = re.findall(r"^\| (\d+) \| (\w+) \| (.*) \|$", CASE, re.MULTILINE)
CODE = "TTL = 30\n\n\ndef create_session(user):\n    return user\n\n\ndef login(user):\n    return create_session(user)\n"
ADR = "# 1. Sessions\n\n## Decision\n\nSessions stay in memory.\n\n## Constraints\n- no new service\n\n## Rejected\n- redis: one more service\n"


def test_statements_are_read_as_the_table_says() -> None:
    """Each list item and sentence, with its line and what it is taken for, and nothing else."""
    found = [(str(one.rows[0] + 1), one.kind, one.text) for one in read_markdown(FILE, kind="observation")]
    assert found == ROWS
    assert {one.heading for one in read_markdown(FILE, kind="observation")} == {"Sessions", "Naming"}


def test_a_decision_record_gives_its_decision_with_what_bound_it() -> None:
    """Constraints and rejected alternatives come along; a file without such headings decides nothing."""
    (one,) = read_decision_record(ADR)
    assert (one.text, one.constraints, one.rejected) == ("Sessions stay in memory.", ("no new service",), (("redis", "one more service"),))
    assert read_decision_record("# Notes\n\nNothing was decided.\n\nRejected: x — y\n") == []


HINDSIGHT = {
    "items": [
        {"id": "1", "text": "The TTL is\n30 seconds", "context": "work", "date": "2024-01-15T10:30:00Z", "fact_type": "world", "tags": ["kind:done"]},
        {"id": "2", "text": "Redis would be better", "fact_type": "opinion", "entities": "Redis (PRODUCT)"},
        {"id": "3", "original_text": "A document", "tags": None},
        {"id": "4"},
    ],
    "total": 150, "limit": 4, "offset": 0,
}  # fmt: skip


def test_an_export_of_hindsight_is_read() -> None:
    """Texts, dates and tags; what is missing of the whole is told."""
    found, note = read_hindsight(json.dumps(HINDSIGHT))
    assert [(one.text, one.kind, one.said_at, one.tags) for one in found] == [
        ("The TTL is 30 seconds", "observation", "2024-01-15T10:30:00Z", ("kind:done",)),
        ("Redis would be better", "inference", "", ()),
        ("A document", "observation", "", ()),
    ]
    assert note == "1 without a text; it holds 4 of 150 memories"
    assert read_hindsight(json.dumps(HINDSIGHT["items"]))[0] == found


@pytest.mark.parametrize("text", ["{", '{"name": "package"}', "3", '"text"'])
def test_other_json_is_refused(text: str) -> None:
    """What is no export is not guessed at."""
    with pytest.raises(InvalidRecordError):
        read_hindsight(text)


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A repository with instructions, a memory folder, a decision record, and code."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("app.py", CODE)
    repo.write("AGENTS.md", "- create_session is only called from login.\n- `login` never calls `create_session`\n- Always run the tests first.\n")
    repo.write("memory/notes.md", "The dashboard asks for a second factor.\npassword = 'hunter2hunter2' is the key of it.\n")
    repo.write("docs/adr/0001.md", ADR)
    repo.commit("Begin")
    with open_project(repo.path, Author("person", "ada"), create=True) as opened:
        yield opened


def test_what_is_taken_in_is_decided_or_put_up_for_review(project: Project) -> None:
    """What the analyzers can decide is verified or stale with counter-evidence; of the rest nobody has looked whether it holds."""
    answer = read(project)
    assert [(source.path, source.kind, source.claims) for source in answer.sources] == [
        ("AGENTS.md", "document", 3), ("memory/notes.md", "agent_memory", 2), ("docs/adr/0001.md", "document", 1),
    ]  # fmt: skip
    assert answer.outcomes == {HOLDS: 1, FAILS: 1, UNTOLD: 4}
    said = {line.statement.partition(" is ")[0]: (line.status, line.kind, line.said_by.partition(":")[0]) for line in answer.claims}
    assert said["create_session"] == ("verified", "assumption", "verified by analyzer")
    assert said["`login` never calls `create_session`"][:2] == ("stale", "assumption")
    assert said["Always run the tests first."][:2] == ("needs_review", "decision")
    assert said["The dashboard asks for a second factor."][:2] == ("needs_review", "observation")
    assert answer.claims[0].status == "stale"
    assert answer.claims[0].causes[0].reason == "counter_evidence"
    assert not any("hunter2" in line.statement for line in answer.claims)
    adr = next(claim for claim in project.ledger.claims() if claim.statement == "Sessions stay in memory.")
    assert adr.detail["rejected"] == [{"alternative": "redis", "reason": "one more service"}]


def test_taking_in_again_adds_only_what_is_new(project: Project) -> None:
    """The same statement, wherever it stands, is one claim."""
    first = read(project)
    assert read(project).known == len(first.claims)
    assert project.repository.workdir is not None
    (project.repository.workdir / "CLAUDE.md").write_text("- Always run   the tests first.\n- Never push to main directly.\n")
    again = read(project)
    assert [line.statement for line in again.claims] == ["Never push to main directly."]
    assert again.known == len(first.claims) + 1


def test_its_evidence_is_found_again(project: Project) -> None:
    """Where a statement stood: in its place, moved, changed, or gone with the file."""
    read(project)
    top = project.repository.workdir
    assert top is not None
    claim = next(claim for claim in project.ledger.claims() if claim.statement.startswith("The dashboard"))
    (evidence,) = project.ledger.evidence_of(claim.id)
    assert (evidence.kind, evidence.file_path, evidence.source_range.lines()) == ("agent_memory", b"memory/notes.md", "1-2")
    notes, text = top / "memory/notes.md", (top / "memory/notes.md").read_text()
    outcomes = []
    for content in (text, f"# New\n\n{text}", "Something else.\n", None):
        notes.unlink() if content is None else notes.write_text(content)
        outcomes.append(recheck(project, evidence.id).outcome)
    assert outcomes == ["same", "moved", "changed", "gone"]


def test_an_export_and_other_folders_can_be_named(project: Project, tmp_path: Path) -> None:
    """Files outside of the repository are taken in by name; what is not there, or is no export, is an error that names the file."""
    export = tmp_path / "bank.json"
    export.write_text(json.dumps(HINDSIGHT))
    answer = read(project, [export])
    assert [(source.path, source.claims) for source in answer.sources] == [(str(export), 3)]
    claim = next(claim for claim in project.ledger.claims() if claim.statement.startswith("Redis"))
    (evidence,) = project.ledger.evidence_of(claim.id)
    assert recheck(project, evidence.id).outcome == "same"
    with pytest.raises(UnknownPathError):
        read(project, [tmp_path / "nowhere"])
    export.write_text("{}")
    with pytest.raises(InvalidRecordError, match=re.escape(str(export))):
        read(project, [export])


def test_a_vocabulary_reads_the_tags_and_lacks_none(project: Project, tmp_path: Path) -> None:
    """Tags of an export go the way of all tags; statements without one are not refused."""
    (project.home / VOCABULARY_FILE).write_text('prefixes = ["kind"]\n[aliases]\n"kind:done" = "kind:completion"\n')
    export = tmp_path / "bank.json"
    export.write_text(json.dumps(HINDSIGHT))
    assert [line.tags for line in read(project, [export]).claims if line.tags] == [("kind:completion",)]


def test_the_personal_bank_takes_memories_in(tmp_path: Path) -> None:
    """Where there is no code all of it is up for review."""
    (tmp_path / "MEMORY.md").write_text("- The dashboard asks for a second factor.\n")
    make_personal()
    with opened_personal(Author("person", "ada")) as personal:
        assert personal is not None
        assert read(personal, [tmp_path]).outcomes == {HOLDS: 0, FAILS: 0, UNTOLD: 1}
        reading = Reading(personal)
        assert {s.status for s in reading.statuses(reading.trees.at()).values()} == {"needs_review"}


def test_nothing_to_take_in_is_said(tmp_path: Path) -> None:
    """A repository without memories has none."""
    repo = GitRepo.create(tmp_path / "bare")
    repo.write("a.py", "x = 1\n")
    repo.commit("Begin")
    with open_project(repo.path, Author("person", "ada"), create=True) as opened:
        assert (read(opened).sources, read(opened).claims) == ((), ())
