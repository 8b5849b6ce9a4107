"""Whatever is recorded comes back, and comes back again after a way through an export."""

import json
import random
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.records.claims import Anchor, AnchorReading, Author, Claim, FreshnessPolicy, Predicate, Scope, Verdict
from knowledge.records.events import Event
from knowledge.records.evidence import Evidence, SourceRange
from knowledge.records.stored import NewClaim, Relation
from knowledge.storage.ledger import open_ledger

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
many_texts = st.lists(texts, max_size=3).map(tuple)
times = st.one_of(texts, st.datetimes().map(lambda moment: moment.isoformat() + "Z"))
numbers = st.integers(-(2**31), 2**31)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.floats(allow_nan=False, allow_infinity=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
json_objects = st.dictionaries(texts, json_values, max_size=3)
authors = st.builds(Author, st.sampled_from(["analyzer", "run", "agent", "person"]), texts, texts)
kinds = st.sampled_from(["observation", "inference", "assumption", "decision", "goal", "plan"])
states = st.sampled_from(["present", "gone", "two_homes", "unreadable", "unsupported"])
readings = st.builds(AnchorReading, state=states, hash=texts, inferred_hash=texts, place=texts, was=texts, detail=texts)
fingerprints = st.dictionaries(texts, readings, max_size=2)
versions = st.dictionaries(texts, texts, max_size=2)
scopes = st.builds(Scope, many_texts, many_texts, texts, texts, many_texts, texts)
predicates = st.none() | st.builds(Predicate, texts, texts, texts, many_texts, texts, st.booleans(), st.booleans())
policies = st.builds(FreshnessPolicy, texts, st.integers(0, 9999), texts)
anchor_kinds = st.sampled_from(["source", "body", "edge", "set", "value", "claim", "time"])
anchors = st.builds(Anchor, texts, anchor_kinds, json_objects, st.sampled_from(["primary", "support"]))
ranges = st.builds(SourceRange, numbers, numbers, numbers, numbers, numbers, numbers)
file_paths = st.binary(max_size=8).filter(lambda path: b"\0" not in path)
evidences = st.builds(
    Evidence, texts, st.sampled_from(["source", "ast", "document"]), st.none() | texts, texts, file_paths,
    texts, texts, texts, texts, texts, ranges, texts, texts, texts, texts, st.booleans(),
)  # fmt: skip


@st.composite
def new_claims(draw: st.DrawFn, number: int) -> NewClaim:
    """A claim of everything, its ids made to differ from those of others."""
    mark = f"{number}-"
    stands_on = tuple({a.digest: Anchor(mark + a.digest, a.kind, a.target, a.role) for a in draw(st.lists(anchors, max_size=3))}.values())
    cited = tuple({e.id: e for e in draw(st.lists(evidences, max_size=2))}.values())
    cited = tuple(Evidence(**{**{f: getattr(e, f) for f in e.__dataclass_fields__}, "id": mark + e.id}) for e in cited)
    claim = Claim(
        f"c_{number}", draw(texts), draw(kinds), draw(scopes), tuple(e.id for e in cited), draw(many_texts), draw(st.none() | texts), draw(texts),
        draw(policies), draw(predicates), draw(many_texts), draw(authors), draw(times), draw(json_objects),
    )  # fmt: skip
    said = Verdict(
        f"v_{number}", claim.id, draw(st.sampled_from(["recorded", "verified", "undecided"])), 0, draw(fingerprints),
        draw(texts), draw(texts), draw(st.none() | texts), draw(authors), draw(texts), draw(many_texts), draw(times), draw(versions),
    )  # fmt: skip
    events = tuple(Event(0, kind, claim.id, draw(times), draw(texts), draw(json_objects)) for kind in ("ClaimRecorded", "ClaimVerified"))
    return NewClaim(claim, stands_on, cited, said, events)


ledgers = st.tuples(
    new_claims(1), new_claims(2), st.builds(Relation, texts, texts, texts, json_objects), st.dictionaries(texts, st.binary(max_size=20))
)


@settings(max_examples=30, deadline=None)
@given(ledgers, st.randoms(use_true_random=False))
def test_ledger_survives_itself_and_its_export(content: tuple[Any, ...], chance: random.Random) -> None:
    """Claims, anchors, evidence, verdicts, events, relations and blobs are read as they were recorded, here and after an import in any order."""
    one, two, relation, blobs = content
    with tempfile.TemporaryDirectory() as folder, open_ledger(Path(folder) / "a") as ledger, open_ledger(Path(folder) / "b") as other:
        ledger.record_claims([one, two], blobs=blobs)
        ledger.append(relations=[relation])
        rows = [json.loads(json.dumps(row)) for row in ledger.export_rows()]
        shuffled = chance.sample(rows, len(rows))
        other.import_rows(shuffled)
        assert [json.loads(json.dumps(row)) for row in other.export_rows()] == rows
        assert sum(other.import_rows(shuffled).added.values()) == 0
        for store in (ledger, other):
            for new in (one, two):
                assert store.claim(new.claim.id) == new.claim
                assert store.anchors_of([new.claim.id]).get(new.claim.id, ()) == new.anchors
                assert {e.id: e for e in store.evidence_of(new.claim.id)}.items() >= {e.id: e for e in new.evidence}.items()
                (verdict,) = store.verdicts([new.claim.id])[new.claim.id]
                assert new.verdict is not None and verdict.fingerprint == new.verdict.fingerprint
                assert [(e.type, e.at, e.payload) for e in store.events(new.claim.id)] == [(e.type, e.at, e.payload) for e in new.events]
            assert store.relations() == [relation]
            assert {name: store.kept_blob(name) for name in blobs} == blobs


@settings(max_examples=25, deadline=None)
@given(new_claims(1))
def test_redaction_leaves_no_statement(new: NewClaim) -> None:
    """After a redaction no text of the claim is exported, and exporting and importing keeps it so."""
    with tempfile.TemporaryDirectory() as folder, open_ledger(Path(folder) / "a") as ledger, open_ledger(Path(folder) / "b") as other:
        ledger.record_claims([new])
        ledger.redact("c_1", "why", at="2026-01-01T00:00:00Z", author="person:ada")
        other.import_rows(ledger.export_rows())
        assert list(other.export_rows()) == list(ledger.export_rows())
        for store in (ledger, other):
            claim = store.claim("c_1")
            assert (claim.statement, claim.detail, claim.predicate, claim.scope) == ("[redacted]", {}, None, Scope())
            assert store.redaction("c_1") == ledger.redaction("c_1") is not None
