"""Redaction: the text is gone from every corner of the file; that it was there, and its history, stay."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from store_fixtures import AT, anchor, claim, event, evidence, new_claim, verdict

from knowledge.errors import InvalidRecordError, UnknownRecordError
from knowledge.records.claims import AnchorReading, FreshnessPolicy, Predicate, Scope
from knowledge.records.stored import REDACTED, ClaimFilter, NewClaim, Redaction, Relation
from knowledge.storage.ledger import Ledger, open_ledger
from knowledge.storage.ledger_rows import statement_hash

SECRET = "hunter2-hunter2"
LATER = "2026-05-05T00:00:00Z"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "ledger.sqlite3") as opened:
        yield opened


def _tell_secret(ledger: Ledger) -> None:
    """A claim that has the secret in every field a text can be in, and another claim that does not."""
    told = claim(
        "one",
        statement=f"the password is {SECRET}",
        scope=Scope(conditions=(f"with {SECRET}",), route_tried=f"login {SECRET}"),
        predicate=Predicate("value", "PASSWORD", value=SECRET),
        freshness_policy=FreshnessPolicy(review_when=f"{SECRET} changes"),
        tags=(f"secret:{SECRET}",),
        detail={"constraints": [SECRET], "rejected": [{"alternative": SECRET, "reason": "x"}]},
    )
    said = verdict("one", "one", reason=f"tried {SECRET}", fingerprint={"anchor-one": AnchorReading("present", "h", detail=SECRET)})
    quoted = replace(evidence("one"), excerpt=f"PASSWORD = {SECRET!r}", extracted_relation=SECRET)
    recorded = event("one", statement=told.statement, causes=[{"place": "a.py:3", "note": SECRET}, SECRET], old_fingerprint="a", new_fingerprint="b")
    ledger.record_claims([NewClaim(told, (anchor("one"),), (quoted, evidence("shared")), said, (recorded, event("one", "ClaimVerified", at="a.py")))])
    ledger.record_claims([new_claim("two", evidence_refs=("e_two", "e_shared"))])
    ledger.append(relations=[Relation("contradicts", "c_one", "c_two", {"why": f"not {SECRET}", "within": ["r1"]})])
    ledger.append(verdicts=[verdict("shared", "one", evidence_refs=("e_shared",))])


def test_text_is_erased_everywhere(ledger: Ledger, tmp_path: Path) -> None:
    """No byte of the secret is left in the file, its journal or its free pages, right after the redaction."""
    _tell_secret(ledger)
    assert any(SECRET.encode() in path.read_bytes() for path in tmp_path.iterdir())
    ledger.redact("c_one", "it was a password", at=LATER, author="person:ada")
    assert [path.name for path in tmp_path.iterdir() if SECRET.encode() in path.read_bytes()] == []


def test_identity_and_history_stay(ledger: Ledger) -> None:
    """Id, kind, author, dates, references, anchors, readings and events are still there; what was said shows as redacted."""
    _tell_secret(ledger)
    before = ledger.claim("c_one")
    ledger.redact("c_one", "it was a password", at=LATER, author="person:ada")
    nothing = {"scope": Scope(), "predicate": None, "freshness_policy": FreshnessPolicy(), "tags": (), "detail": {}}
    assert ledger.claim("c_one") == replace(before, statement=REDACTED, **nothing)
    assert ledger.redaction("c_one") == Redaction("c_one", LATER, statement_hash(f"the password is {SECRET}"))
    assert ledger.anchors_of(["c_one"]) == {"c_one": (anchor("one"),)}
    first = ledger.verdicts()["c_one"][0]
    assert (first.reason, first.fingerprint) == (REDACTED, {"anchor-one": AnchorReading("present", "h")})
    assert [(e.sequence, e.type, e.payload) for e in ledger.events("c_one")] == [
        (
            1,
            "ClaimRecorded",
            {"statement": REDACTED, "causes": [{"place": "a.py:3", "note": REDACTED}, REDACTED], "old_fingerprint": "a", "new_fingerprint": "b"},
        ),
        (2, "ClaimVerified", {"at": "a.py"}),
        (4, "ClaimRedacted", {"reason": "it was a password"}),
    ]
    assert ledger.transition_known("c_one", "a", "b")
    assert ledger.relations("c_one") == [Relation("contradicts", "c_one", "c_two", {"why": REDACTED, "within": ["r1"]})]


def test_only_own_evidence_is_erased(ledger: Ledger) -> None:
    """An excerpt that another claim cites too is not this claim's to erase; where the evidence is found stays known."""
    _tell_secret(ledger)
    ledger.redact("c_one", "why", at=LATER, author="person:ada")
    own = ledger.evidence("e_one")
    assert (own.excerpt, own.extracted_relation) == (REDACTED, REDACTED)
    assert (own.content_hash, own.source_range, own.file_path) == (
        evidence("one").content_hash,
        evidence("one").source_range,
        evidence("one").file_path,
    )
    assert ledger.evidence("e_shared") == evidence("shared")


def test_other_claims_are_left_alone(ledger: Ledger) -> None:
    """Redacting one claim changes nothing of another."""
    _tell_secret(ledger)
    before = ledger.claim("c_two"), ledger.verdicts(["c_two"]), ledger.events("c_two")
    ledger.redact("c_one", "why", at=LATER, author="person:ada")
    assert (ledger.claim("c_two"), ledger.verdicts(["c_two"]), ledger.events("c_two")) == before
    assert ledger.redaction("c_two") is None
    assert [c.id for c in ledger.claims(ClaimFilter(text=SECRET))] == []


def test_redacted_once(ledger: Ledger) -> None:
    """A second redaction, or one of an unknown claim, is refused and says why."""
    ledger.record_claims([new_claim("one")])
    ledger.redact("c_one", "why", at=LATER, author="person:ada")
    with pytest.raises(InvalidRecordError, match=f"redacted at {LATER} already"):
        ledger.redact("c_one", "again", at=AT, author="person:ada")
    with pytest.raises(UnknownRecordError):
        ledger.redact("c_none", "why", at=AT, author="person:ada")
    assert [e.type for e in ledger.events()] == ["ClaimRecorded", "ClaimRedacted"]


def test_redacted_claim_cannot_be_rewritten(ledger: Ledger) -> None:
    """The file lets a redaction erase, and nothing else: no new text, no second change, no other column."""
    ledger.record_claims([new_claim("one"), new_claim("two")])
    for change in (
        "statement = 'other', redacted_at = 'x'",
        f"statement = '{REDACTED}'",
        f"statement = '{REDACTED}', redacted_at = 'x', kind = 'goal'",
    ):
        with pytest.raises(InvalidRecordError):
            ledger.db.run(f"UPDATE claim SET {change} WHERE id = 'c_one'")
    ledger.redact("c_one", "why", at=LATER, author="person:ada")
    for statement in (
        f"UPDATE claim SET statement = '{REDACTED}', redacted_at = 'x' WHERE id = 'c_one'",
        "UPDATE verdict SET kind = 'verified' WHERE claim_id = 'c_one'",
        "UPDATE verdict SET reason = 'other' WHERE claim_id = 'c_one'",
        "UPDATE event SET type = 'ClaimVerified' WHERE claim_id = 'c_one'",
        "UPDATE evidence SET excerpt = 'other' WHERE id = 'e_one'",
        f"UPDATE evidence SET excerpt = '{REDACTED}' WHERE id = 'e_two'",
    ):
        with pytest.raises(InvalidRecordError, match="only added to"):
            ledger.db.run(statement)
