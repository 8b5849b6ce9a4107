"""Tags of real claims: read by the vocabulary when recorded and when asked for, listed, and brought to it in two stages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.config import VOCABULARY_FILE
from knowledge.errors import InvalidPolicyError, InvalidRecordError, UnknownTagError
from knowledge.operations import tag_migration
from knowledge.operations.announcing import vocabulary_notice
from knowledge.operations.claims import Filter
from knowledge.operations.claims import listing as claims_listing
from knowledge.operations.project import Project, open_project
from knowledge.operations.recall import Asked, recall
from knowledge.operations.record import UNANCHORED, Draft, record
from knowledge.operations.steps import correct, redact, reject, supersede
from knowledge.operations.tag_listing import listing
from knowledge.operations.tag_migration import BATCH, apply, plan
from knowledge.records.claims import Author

POLICY = """
prefixes = ["kind", "topic"]
default_prefix = "topic"
[aliases]
"kind:done" = "kind:completion"
"kind:work-log" = "kind:completion"
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A repository with one file, no claims and no vocabulary."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("a.py", "def f():\n    return 1\n")
    repo.commit("Add f")
    with open_project(repo.path, Author("person", "ada"), create=True) as opened:
        yield opened


def declare(project: Project, text: str = POLICY) -> None:
    """Give the bank a vocabulary."""
    (project.home / VOCABULARY_FILE).write_text(text, encoding="utf-8")


def add(project: Project, statement: str, *tags: str) -> str:
    """The id of a new claim with these tags."""
    return record(project, Draft(statement, tags=tags, anchors=(UNANCHORED,))).claim.id


def tags_of(project: Project, *ids: str) -> list[tuple[str, ...]]:
    """The tags that claims bear now."""
    return [project.ledger.claim(claim_id).tags for claim_id in ids]


@pytest.mark.parametrize("tags", [(), ("A b", "kind:X", "kind:X", "ｋ：x"), ("한글", "한글", "a"), ("kind:done", "kind:done", "kind:work-log")])
def test_a_bank_without_a_policy_keeps_tags_as_they_came(project: Project, tags: tuple[str, ...]) -> None:
    """Nothing is normalised, refused or told; as ever, only what was given twice is kept once."""
    answer = record(project, Draft("x", tags=tags, anchors=(UNANCHORED,)))
    assert answer.claim.tags == tuple(dict.fromkeys(tags))
    assert not any("tag" in note for note in answer.notes)
    assert claims_listing(project, Filter(tag=tags[:1])).claims[0].tags == answer.claim.tags


def test_recording_tells_every_rewrite_and_refuses_what_is_none_of_the_vocabulary(project: Project) -> None:
    """What was sent and what is kept stand in the answer; a claim without a tag or with a wrong prefix is not stored."""
    declare(project)
    answer = record(project, Draft("x", tags=("aside", "kind:done", "kind:work-log"), anchors=(UNANCHORED,)))
    assert answer.claim.tags == ("topic:aside", "kind:completion")
    told = [note for note in answer.notes if note.startswith("the tag")]
    assert told == [
        "the tag 'aside' is kept as 'topic:aside' (default-prefix)",
        "the tag 'kind:done' is kept as 'kind:completion' (alias)",
        "the tag 'kind:work-log' is kept as 'kind:completion' (alias)",
    ]
    count = project.ledger.claim_count()
    with pytest.raises(InvalidRecordError, match="needs a tag"):
        add(project, "y")
    with pytest.raises(UnknownTagError) as refused:
        add(project, "y", "kidn:done")
    assert refused.value.suggestions == ("kind:done",)
    assert project.ledger.claim_count() == count
    better = correct(project, answer.claim.id, Draft("z", anchors=(UNANCHORED,)), "shorter")
    assert better.claim.tags == ("topic:aside", "kind:completion")


def test_a_broken_policy_stops_recording_not_reading_of_claims(project: Project) -> None:
    """What cannot be taken is said at once, where tags are read by it."""
    claim = add(project, "x", "kind:done")
    declare(project, POLICY + '"kind:completion" = "kind:end"\n')
    with pytest.raises(InvalidPolicyError, match="one hop"):
        add(project, "y", "kind:done")
    assert recall(project, Asked("x")).lines[0].claim.id == claim


def test_old_tags_and_new_ones_find_the_same_claims(project: Project) -> None:
    """A question's tag takes the path of a record's; records that kept an old spelling are found by every one of its names."""
    old, older = add(project, "x", "kind:done"), add(project, "y", "Kind:Work Log")
    declare(project)
    new = add(project, "z", "kind:completion")
    for tag in ("kind:done", "kind:work-log", "kind:completion", "KIND:Done", "Kind:Work Log"):
        answer = claims_listing(project, Filter(tag=(tag,)))
        assert {line.id for line in answer.claims} == {old, older, new}, tag
        assert bool(answer.notes) == (tag != "kind:completion")
    assert {line.claim.id for line in recall(project, Asked(tags=("kind:done",))).lines} == {old, older, new}
    assert [(one.given, one.kept, one.why) for one in recall(project, Asked(tags=("kind:done",))).rewrites] == [
        ("kind:done", "kind:completion", "alias")
    ]
    with pytest.raises(UnknownTagError) as unknown:
        recall(project, Asked(tags=("kind:compleshun",)))
    assert unknown.value.suggestions == ("kind:completion",)
    with pytest.raises(UnknownTagError, match="prefix 'area'"):
        recall(project, Asked(tags=("area:x",)))


def test_the_listing_shows_drift(project: Project) -> None:
    """Counts, spellings that are kept otherwise today, near ones, unused ones, and what is new within a month."""
    project.clock = lambda: datetime(2026, 1, 1, tzinfo=UTC)
    for text, tag in (("a", "kind:done"), ("b", "kind:completion"), ("c", "kind:completion"), ("d", "topic:cache"), ("e", "area:x")):
        add(project, text, tag)
    add(project, "f")
    project.clock = lambda: datetime(2026, 3, 1, tzinfo=UTC)
    for number in range(11):
        add(project, f"g{number}", f"topic:{number}{number}{number}")
    add(project, "h", "topic:caches")
    declare(project, POLICY + '"kind:x" = "kind:trap"\n')
    answer = listing(project)
    kept = {line.tag: (line.claims, line.first_borne[:10], line.kept_as) for line in answer.tags}
    assert kept["kind:done"] == (1, "2026-01-01", "kind:completion")
    assert kept["kind:completion"] == (2, "2026-01-01", "")
    assert ("topic:cache", "topic:caches", "spelling") in {(near.one, near.other, near.why) for near in answer.near}
    assert (answer.untagged, answer.unused, answer.refused) == (1, ("kind:trap",), ("area:x",))
    assert len(answer.fresh) == 12
    assert "12 tags are new" in answer.warnings[0]


@pytest.fixture
def old_bank(project: Project) -> dict[str, str]:
    """Claims from before the vocabulary, by what is to become of them."""
    names = {
        "done": ("kind:done", "topic:x"), "both": ("kind:done", "kind:work-log"), "right": ("kind:completion",), "tmp": ("kind:tmp", "kind:done"),
        "none": (), "odd": ("area:x",), "false": ("kind:done",), "old": ("kind:done",), "stale": ("kind:done",), "gone": ("kind:done",),
    }  # fmt: skip
    claims = {name: add(project, f"{name} claim", *tags) for name, tags in names.items() if name != "stale"}
    claims["stale"] = record(project, Draft("f returns 1", tags=("kind:done",), anchors=("body:a.py::f",))).claim.id
    reject(project, claims["false"], "it is not so")
    supersede(project, claims["old"], claims["right"], "said better")
    redact(project, claims["gone"], "a secret")
    assert project.repository.workdir is not None
    repo = GitRepo(project.repository.workdir, commits_made=1)
    repo.write("a.py", "def f():\n    return 2\n")
    repo.commit("Change f")
    declare(project)
    return claims


def test_a_plan_changes_nothing_and_says_everything(project: Project, old_bank: dict[str, str], tmp_path: Path) -> None:
    """Withdrawing beats retagging, untagged claims are filled in, and what is left is listed with its reason."""
    last = project.ledger.last_sequence()
    answer = plan(project, tmp_path / "m.json", withdraw=("kind:tmp",), fill="unsorted")
    manifest = json.loads((tmp_path / "m.json").read_text())
    names = {claim: name for name, claim in old_bank.items()}
    assert {names[i["claim"]]: (i["action"], i["after"]) for i in manifest["items"]} == {
        "tmp": ("withdraw", ["kind:tmp", "kind:done"]),
        "done": ("retag", ["kind:completion", "topic:x"]),
        "both": ("retag", ["kind:completion"]),
        "none": ("fill", ["topic:unsorted"]),
    }
    assert manifest["items"][0]["action"] == "withdraw"
    assert {names[i["claim"]]: i["why"].partition(" the tag")[0] for i in manifest["left"]} == {
        "false": "by design: rejected", "old": "by design: superseded", "stale": "by design: stale", "gone": "by design: redacted",
        "odd": "no alias:",
    }  # fmt: skip
    assert [names[claim] for claim in manifest["kept"]] == ["right"]
    assert (answer.stage, answer.actions) == ("planned", {"withdraw": 1, "retag": 2, "fill": 1})
    assert project.ledger.last_sequence() >= last
    assert tags_of(project, old_bank["done"]) == [("kind:done", "topic:x")]


def test_a_run_does_what_the_plan_says_and_no_more(project: Project, old_bank: dict[str, str], tmp_path: Path) -> None:
    """The tags are the expected ones exactly, archived claims keep theirs, only two sorts of events come of it, and a second run does nothing."""
    path = tmp_path / "m.json"
    plan(project, path, withdraw=("kind:tmp",), fill="unsorted")
    added = add(project, "recorded meanwhile", "topic:later")
    last = project.ledger.last_sequence()
    answer = apply(project, path)
    assert (answer.stage, answer.done, answer.refused, answer.differing) == ("done", {"withdraw": 1, "retag": 2, "fill": 1}, {}, ())
    names = ("done", "both", "none", "tmp", "false", "old", "stale", "odd")
    assert tags_of(project, *(old_bank[name] for name in names), added) == [
        ("kind:completion", "topic:x"), ("kind:completion",), ("topic:unsorted",), ("kind:tmp", "kind:done"), ("kind:done",), ("kind:done",),
        ("kind:done",), ("area:x",), ("topic:later",),
    ]  # fmt: skip
    fresh = project.ledger.events(after=last)
    assert sorted(event.type for event in fresh) == ["ClaimRetagged"] * 3 + ["ClaimWithdrawn"]
    assert {e.payload["before"][0] for e in fresh if e.type == "ClaimRetagged" and e.payload["before"]} == {"kind:done"}
    assert apply(project, path).done == answer.done
    assert project.ledger.last_sequence() == last + len(fresh)
    found = {line.claim.id for line in recall(project, Asked(tags=("kind:completion",))).lines}
    assert found == {old_bank[name] for name in ("done", "both", "right", "false", "old", "stale")}


def test_what_changed_since_the_plan_is_refused_and_not_tried_again(project: Project, old_bank: dict[str, str], tmp_path: Path) -> None:
    """A claim that is not as the plan found it stays; the run goes on up to its cap, and a later run leaves the refused ones alone."""
    path = tmp_path / "m.json"
    plan(project, path)
    reject(project, old_bank["done"], "meanwhile")
    answer = apply(project, path, failure_cap=1)
    assert (answer.stage, list(answer.refused)) == ("stopped", [old_bank["done"]])
    assert "rejected by now" in answer.refused[old_bank["done"]]
    again = apply(project, path, failure_cap=1)
    assert (again.stage, again.refused, again.differing) == ("done", answer.refused, ())
    assert tags_of(project, old_bank["done"], old_bank["both"]) == [("kind:done", "topic:x"), ("kind:completion",)]


def test_a_plan_of_another_vocabulary_or_of_nothing_is_not_followed(project: Project, old_bank: dict[str, str], tmp_path: Path) -> None:
    """The run consumes a manifest that was made for this vocabulary, and nothing else."""
    path = tmp_path / "m.json"
    plan(project, path)
    declare(project, POLICY + '"kind:x" = "kind:y"\n')
    with pytest.raises(InvalidPolicyError, match="changed since"):
        apply(project, path)
    path.write_text('{"items": []}')
    with pytest.raises(InvalidRecordError, match="is no plan"):
        apply(project, path)
    (project.home / VOCABULARY_FILE).unlink()
    with pytest.raises(InvalidPolicyError, match="declares no vocabulary"):
        plan(project, path)


def test_a_killed_run_goes_on_where_it_was(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Batches are whole transactions: after a stop amid the run the first ones are done, and the next run does the rest once."""
    claims = [add(project, f"claim {number}", "kind:done") for number in range(2 * BATCH + 3)]
    declare(project)
    path = tmp_path / "m.json"
    plan(project, path)
    seen: list[int] = []
    real = tag_migration.bring_up_to_date

    def killed(one: Project) -> None:
        real(one)
        seen.append(1)
        if len(seen) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(tag_migration, "bring_up_to_date", killed)
    with pytest.raises(KeyboardInterrupt):
        apply(project, path)
    assert sum(tags == ("kind:completion",) for tags in tags_of(project, *claims)) == 2 * BATCH
    monkeypatch.setattr(tag_migration, "bring_up_to_date", real)
    assert apply(project, path).stage == "done"
    assert set(tags_of(project, *claims)) == {("kind:completion",)}
    assert len(project.ledger.events(types=("ClaimRetagged",))) == len(claims)


def test_tags_that_are_not_the_expected_ones_after_all_are_told(project: Project, old_bank: dict[str, str], tmp_path: Path) -> None:
    """A subset would not do: whatever differs at the end is named."""
    path = tmp_path / "m.json"
    plan(project, path)
    manifest = json.loads(path.read_text())
    manifest["kept"][old_bank["right"]] = ["kind:completion", "topic:dropped"]
    path.write_text(json.dumps(manifest))
    (differing,) = apply(project, path).differing
    assert differing == f"{old_bank['right']}: kind:completion, expected kind:completion, topic:dropped"


def test_what_was_read_out_of_documents_may_come_without_a_tag(project: Project) -> None:
    """Nobody tagged it; it is counted as untagged, to be filled in."""
    declare(project)
    evidence = record(project, Draft("f returns 1", tags=("topic:x",), anchors=("body:a.py::f",))).evidence
    document = replace(project.ledger.evidence(evidence[0].id), id="e_document", kind="document")
    record(project, Draft("so it was decided", kind="decision", anchors=(UNANCHORED,), documents=(document,)))
    assert listing(project).untagged == 1


def test_a_session_is_told_of_the_vocabulary(project: Project, tmp_path: Path) -> None:
    """Which tags are taken and that some are rewritten; nothing where none is declared; a fault is told, and stops nobody from reading."""
    start = project.repository.workdir
    assert start is not None
    assert (vocabulary_notice(start), vocabulary_notice(tmp_path / "elsewhere")) == ("", "")
    declare(project)
    assert "kind, topic" in vocabulary_notice(start)
    assert "2 old ones are rewritten" in vocabulary_notice(start)
    declare(project, "prefixes = []")
    assert "cannot be taken" in vocabulary_notice(start)
