"""The ledger: what is recorded comes back whole, in order, once, and is never changed."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_fixtures import AT, COVERAGE, analysed, analysis, anchor, claim, edge, event, evidence, new_claim, result, run, verdict

from knowledge.claims.lifecycle import STANDINGS
from knowledge.errors import InvalidRecordError, StoreCorruptError, UnknownRecordError
from knowledge.records.claims import Anchor, Author, FreshnessPolicy
from knowledge.records.events import STANDING_TYPES, Event
from knowledge.records.identifiers import SymbolId
from knowledge.records.stored import ClaimFilter, NewClaim, Relation
from knowledge.storage.ledger import Ledger, open_ledger
from knowledge.storage.tables_ledger import metadata


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "ledger.sqlite3") as opened:
        yield opened


def test_claim_comes_back_whole(ledger: Ledger) -> None:
    """Every field of a claim, its anchors, evidence, verdict and event is read as it was recorded."""
    support = Anchor("anchor-b", "value", {"path": "a.toml", "key": "x.y"}, "support")
    stored = ledger.record_claim(claim("one"), [anchor("one"), support], [evidence("one")], verdict("one", "one"), [event("one", reason="seen")])
    assert ledger.claim("c_one") == claim("one")
    assert ledger.anchors_of(["c_one"]) == {"c_one": (anchor("one"), support)}
    assert ledger.evidence("e_one") == evidence("one")
    assert ledger.evidence_of("c_one") == [evidence("one")]
    (only,) = ledger.verdicts(["c_one"])["c_one"]
    assert only == verdict("one", "one", sequence=only.sequence)
    assert ledger.events() == stored
    assert [(e.sequence, e.type, e.payload) for e in stored] == [(1, "ClaimRecorded", {"reason": "seen"})]


def test_bare_claim(ledger: Ledger) -> None:
    """A claim without anchors, evidence, verdict or event is a claim."""
    bare = claim("bare", evidence_refs=(), predicate=None, valid_at_revision=None, tags=(), detail={})
    ledger.record_claim(bare)
    assert ledger.claims() == [bare]
    assert (ledger.anchors_of(), ledger.verdicts(), ledger.events(), ledger.evidence_of("c_bare")) == ({}, {}, [], [])


def test_equal_anchors_are_one_row(ledger: Ledger) -> None:
    """Two claims on the same thing share its anchor, each in its own role."""
    as_support = Anchor(anchor("f").digest, "body", anchor("f").target, "support")
    ledger.record_claims([NewClaim(claim("one"), (anchor("f"),)), NewClaim(claim("two"), (as_support, anchor("g")))])
    assert ledger.db.rows("SELECT count(*) FROM anchor") == [(2,)]
    assert ledger.anchors_of() == {"c_one": (anchor("f"),), "c_two": (as_support, anchor("g"))}
    assert ledger.claims_on([anchor("f").digest, "none"]) == {anchor("f").digest: {"c_one", "c_two"}}


def test_taken_ids_are_refused(ledger: Ledger) -> None:
    """Nothing is recorded over something else, and a refused claim leaves nothing behind."""
    ledger.record_claims([new_claim("one")])
    other = Anchor(anchor("one").digest, "location", {"symbol": "x"})
    for refused in (
        lambda: ledger.record_claims([NewClaim(claim("two")), NewClaim(claim("one"))]),
        lambda: ledger.record_claims([NewClaim(claim("two")), NewClaim(claim("two"))]),
        lambda: ledger.record_claim(claim("two"), [other]),
        lambda: ledger.record_claim(claim("two"), verdict=verdict("one", "two")),
        lambda: ledger.append(evidence=[evidence("one"), type(evidence("one"))(**{**_fields(evidence("one")), "excerpt": "other"})]),
        lambda: ledger.append(blobs={"b": b"1"}) and ledger.append(blobs={"b": b"2"}),
        lambda: ledger.append(verdicts=[verdict("two", "missing")]),
    ):
        with pytest.raises(InvalidRecordError):
            refused()
            ledger.append(blobs={"b": b"2"})
    assert ledger.claim_ids() == ["c_one"]
    assert ledger.last_sequence() == 1


def _fields(record: object) -> dict[str, object]:
    return {name: getattr(record, name) for name in record.__dataclass_fields__}  # type: ignore[attr-defined]


def test_what_is_there_already_is_left_alone(ledger: Ledger) -> None:
    """Evidence, relations and blobs may be given again."""
    relation = Relation("contradicts", "c_one", "c_two", {"within": ["r1", "r2"]})
    for _ in range(2):
        ledger.append(evidence=[evidence("one")], relations=[relation, relation], blobs={"b": b"bytes"})
    assert ledger.relations("c_two") == ledger.relations("c_one") == ledger.relations() == [relation]
    assert ledger.relations("c_three") == []
    assert (ledger.kept_blob("b"), ledger.kept_blob("none")) == (b"bytes", None)


def test_events_have_no_gaps(ledger: Ledger) -> None:
    """Events are numbered one by one, whatever sequence the caller gave, and a failed addition takes no number."""
    ledger.append([event("one"), event("two")])
    with pytest.raises(InvalidRecordError):
        ledger.append([event("three")], verdicts=[verdict("x", "missing")])
    ledger.append([event("one", "ClaimVerified"), event("one", "ClaimRejected")])
    assert [e.sequence for e in ledger.events()] == [1, 2, 3, 4]
    assert [e.sequence for e in ledger.events("c_one")] == [1, 3, 4]
    assert [e.type for e in ledger.events(after=2)] == ["ClaimVerified", "ClaimRejected"]
    assert [e.sequence for e in ledger.events(types=["ClaimVerified"])] == [3]
    assert ledger.last_sequence() == 4


def test_verdicts_come_oldest_first(ledger: Ledger) -> None:
    """Verdicts keep the order they were said in, also when the clock went back."""
    ledger.record_claims([new_claim("one"), new_claim("two")])
    late = verdict("late", "one", kind="verified", said_at="2030-01-01T00:00:00Z")
    early = verdict("early", "one", kind="undecided", said_at="2020-01-01T00:00:00Z")
    ledger.append(verdicts=[late])
    ledger.append(verdicts=[early, verdict("odd", "one", said_at="someday"), verdict("edge", "one", said_at="0001-01-01T00:00:00+23:59")])
    assert [v.id for v in ledger.verdicts()["c_one"]] == ["v_one", "v_late", "v_early", "v_odd", "v_edge"]
    sequences = [v.sequence for v in ledger.verdicts()["c_one"]]
    assert sequences == sorted(set(sequences))


def test_transitions_are_told_once(ledger: Ledger) -> None:
    """A claim's step from one fingerprint to another is one event, however often and by whomever it is noticed."""
    step = event("one", "ClaimMarkedStale", old_fingerprint="a", new_fingerprint="b")
    back = event("one", "ClaimRestored", old_fingerprint="b", new_fingerprint="a")
    assert len(ledger.append([step, step, back])) == 2
    assert ledger.append([step]) == []
    assert ledger.transition_known("c_one", "a", "b") and ledger.transition_known("c_one", "b", "a")
    assert not ledger.transition_known("c_two", "a", "b") and not ledger.transition_known("c_one", "a", "c")
    assert len(ledger.append([event("two", "ClaimMarkedStale", old_fingerprint="a", new_fingerprint="b")])) == 1


def test_derived_claims_are_found(ledger: Ledger) -> None:
    """A claim rests on the premises it names and on the claims it is anchored to."""
    on_claim = Anchor("anchor-claim", "claim", {"claim": "c_two"})
    ledger.record_claims([NewClaim(claim("three", derived_from=("c_one", "c_two"))), NewClaim(claim("four"), (on_claim,))])
    assert ledger.claims_derived_from(["c_one", "c_two", "c_nine"]) == {"c_one": {"c_three"}, "c_two": {"c_three", "c_four"}}


def test_evidence_of_verdicts_belongs_to_the_claim(ledger: Ledger) -> None:
    """What a verdict cites is evidence of its claim."""
    ledger.record_claims([new_claim("one")])
    ledger.append(verdicts=[verdict("later", "one", evidence_refs=("e_late", "e_one"))], evidence=[evidence("late")])
    assert [e.id for e in ledger.evidence_of("c_one")] == ["e_late", "e_one"]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        (ClaimFilter(), ["one", "two", "three"]),
        (ClaimFilter(kinds=("decision", "goal")), ["two"]),
        (ClaimFilter(tags=("b:2", "c:3")), ["two", "three"]),
        (ClaimFilter(authors=("bot",), sessions=("s1",)), ["three"]),
        (ClaimFilter(text="100% SURE"), ["two"]),
        (ClaimFilter(text="träge"), ["one"]),
        (ClaimFilter(text="_"), []),
        (ClaimFilter(recorded_after="2026-01-02T00:00:00Z"), ["three"]),
        (ClaimFilter(kinds=("decision",), tags=("a:1",)), []),
    ],
    ids=str,
)
def test_claims_are_filtered(ledger: Ledger, wanted: ClaimFilter, found: list[str]) -> None:
    """All conditions of a filter must hold, each by any of its values; text is text, not a pattern."""
    ledger.record_claim(claim("one", statement="ist TRÄGE", tags=("a:1",), recorded_at="2026-01-01T00:00:00Z"))
    ledger.record_claim(claim("two", statement="100% sure", kind="decision", tags=("b:2",), recorded_at="2026-01-02T00:00:00Z"))
    ledger.record_claim(
        claim("three", statement="other", tags=("b:2", "c:3"), author=Author("agent", "bot", "s1"), recorded_at="2026-01-03T00:00:00Z")
    )
    assert [c.id for c in ledger.claims(wanted)] == ledger.find_claims(wanted) == [f"c_{name}" for name in found]


def test_claims_by_many_ids(ledger: Ledger) -> None:
    """Asking for more ids than fit one statement finds them all, and only them."""
    ledger.record_claims(
        [NewClaim(claim(f"{number:04}"), (anchor(str(number)),), verdict=verdict(str(number), f"{number:04}")) for number in range(1200)]
    )
    for count in (0, 1, 501, 1100):
        ids = {f"c_{number:04}" for number in range(count)}
        assert {c.id for c in ledger.claims(ids=ids)} == ledger.verdicts(ids).keys() == ledger.anchors_of(ids).keys() == ids
    many = {f"c_{number:04}" for number in range(100, 10_000)}
    assert len(ledger.claims(ids=many)) == len(ledger.verdicts(many)) == len(ledger.anchors_of(many)) == 1100


def test_claims_that_depend_on_the_date(ledger: Ledger) -> None:
    """A period, a date or an anchor on time makes a claim one that has to be looked at every day."""
    ledger.record_claim(claim("one", freshness_policy=FreshnessPolicy(period_days=3)))
    ledger.record_claim(claim("two"), [Anchor("anchor-time", "time", {"until": "2027-01-01"})])
    ledger.record_claim(claim("three"))
    assert ledger.claims_with_time() == {"c_one", "c_two"}


def test_what_was_said_of_the_claim_itself(ledger: Ledger) -> None:
    """Rejections and their like are found for many claims at once, oldest first; the lifecycle knows the same ones."""
    ledger.append([event("one", "ClaimRejected"), event("two", "ClaimVerified"), event("one", "ClaimReopened"), event("one", "ClaimMarkedStale")])
    found = ledger.events_of(["c_one", "c_two"], STANDING_TYPES)
    assert {claim_id: [e.type for e in events] for claim_id, events in found.items()} == {"c_one": ["ClaimRejected", "ClaimReopened"]}
    assert set(STANDING_TYPES) == set(STANDINGS)


def test_tags_in_use(ledger: Ledger) -> None:
    """Tags are counted by the claims that bear them."""
    ledger.record_claims([NewClaim(claim("one", tags=("a:1", "b:2", "a:1"))), NewClaim(claim("two", tags=("a:1",)))])
    assert ledger.tags() == {"a:1": 2, "b:2": 1}


def test_ids_may_be_shortened(ledger: Ledger) -> None:
    """The beginning of an id is enough where it fits one claim; else what is near is suggested."""
    for name in ("abcd11", "abcd22", "ffff33"):
        ledger.record_claim(claim(name))
    assert ledger.resolve_claim("c_ffff") == "c_ffff33"
    assert ledger.resolve_claim("c_abcd11") == "c_abcd11"
    assert ledger.claim_count() == 3
    with pytest.raises(UnknownRecordError) as many:
        ledger.resolve_claim("c_abcd")
    assert many.value.suggestions == ("c_abcd11", "c_abcd22")
    for ask in (ledger.resolve_claim, ledger.claim):
        with pytest.raises(UnknownRecordError) as none:
            ask("c_ffff44")
        assert none.value.suggestions == ("c_ffff33",)
    with pytest.raises(UnknownRecordError):
        ledger.resolve_claim("c_")
    with pytest.raises(UnknownRecordError):
        ledger.evidence("e_none")


def test_text_that_is_no_unicode_is_refused(ledger: Ledger) -> None:
    """A lone surrogate cannot be stored, and that is said instead of failing."""
    with pytest.raises(InvalidRecordError, match="not valid Unicode"):
        ledger.record_claim(claim("one", statement="\ud800"))
    assert ledger.claims() == []


@pytest.mark.parametrize("table", metadata.tables)
def test_rows_are_never_changed_or_removed(ledger: Ledger, table: str) -> None:
    """The file itself refuses to change or drop a row, also by replacing it, whoever writes."""
    ledger.record_claims([new_claim("one")], blobs={"b": b"bytes"})
    ledger.record_claims([NewClaim(claim("two", derived_from=("c_one",)))])
    ledger.append([Event(0, "ClaimRetagged", "c_one", AT, "person:ada", {"tags": ["kind:other"], "before": ["kind:gotcha"]})])
    ledger.append([event("one", old_fingerprint="a", new_fingerprint="b")], relations=[Relation("supports", "c_one", "c_two", {})])
    caller, callee = SymbolId(b"a.py", "f"), SymbolId(b"b.py", "g")
    ledger.analyses.add(analysis(), [analysed(b"a.py", "blob", edge(caller, callee))])
    ledger.runs.add(run("one"), [result("r_one", "t.py::test_f")], COVERAGE)
    column = metadata.tables[table].columns.keys()[1]
    outside = sqlite3.connect(ledger.path)
    for statement in (f"UPDATE {table} SET {column} = 'x'", f"DELETE FROM {table}"):
        with pytest.raises(sqlite3.IntegrityError, match="only added to"):
            outside.execute(statement)
    outside.close()
    with pytest.raises(InvalidRecordError):
        ledger.db.run(f"INSERT OR REPLACE INTO {table} SELECT * FROM {table}")


def test_events_cannot_be_inserted_out_of_order(ledger: Ledger) -> None:
    """The file itself keeps events gapless."""
    ledger.append([event("one")])
    for sequence in (0, 1, 3):
        with pytest.raises(InvalidRecordError, match="no gaps"):
            ledger.db.run("INSERT INTO event SELECT ?, 'x', 9, type, claim_id, at, author, payload FROM event", (sequence,))


def test_row_that_cannot_be_read_is_damage(ledger: Ledger) -> None:
    """A row whose content was changed behind SQLite's back is told as damage of the ledger."""
    ledger.record_claims([new_claim("one")])
    ledger.db.run("DROP TRIGGER claim_no_update")
    ledger.db.run("UPDATE claim SET tags = '[' ")
    with pytest.raises(StoreCorruptError, match=r"c_one.*Nothing was overwritten"):
        ledger.claim("c_one")


def test_a_claim_bears_the_tags_it_was_given_last(ledger: Ledger) -> None:
    """Tags given afterwards replace the recorded ones wherever tags are asked for; the claim's own row stays, and erasure takes both."""
    ledger.record_claims([new_claim("one"), new_claim("two")])
    for tags in (["kind:old"], ["kind:new", "topic:cache"]):
        ledger.append([Event(0, "ClaimRetagged", "c_one", AT, "person:ada", {"tags": tags, "before": ["kind:gotcha"]})])
    assert ledger.claim("c_one").tags == ("kind:new", "topic:cache")
    assert {claim.id: claim.tags for claim in ledger.claims()} == {"c_one": ("kind:new", "topic:cache"), "c_two": ("kind:gotcha",)}
    assert ledger.tags() == {"kind:gotcha": 1, "kind:new": 1, "topic:cache": 1}
    assert ledger.find_claims(ClaimFilter(tags=("kind:new",))) == ["c_one"]
    assert ledger.find_claims(ClaimFilter(tags=("kind:gotcha", "kind:old"))) == ["c_two"]
    with open_ledger(ledger.path.with_name("copy.sqlite3")) as copy:
        copy.import_rows(list(ledger.export_rows()))
        copy.import_rows(list(ledger.export_rows()))
        assert copy.claim("c_one").tags == ("kind:new", "topic:cache")
    ledger.redact("c_one", "a secret", at=AT, author="person:ada")
    assert ledger.claim("c_one").tags == ()
    assert ledger.tags() == {"kind:gotcha": 1}
    assert "kind:new" not in str(list(ledger.export_rows()))
