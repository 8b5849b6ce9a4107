"""What other programs said of the code, as the ledger keeps it: once, with who said it of what content, and withdrawable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from store_fixtures import AT, analysed, analysis, edge

from knowledge.errors import InvalidRecordError
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId
from knowledge.storage.ledger import Ledger, open_ledger
from knowledge.storage.ledger_analyses import digest_of, pack_outside, unpack_outside

CALLER, CALLEE, OUTSIDE = SymbolId(b"a.py", "f"), SymbolId(b"b.py", "C.g"), SymbolId(b"", "loads", 0, "json")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """An empty ledger."""
    with open_ledger(tmp_path / "ledger.sqlite3") as opened:
        yield opened


def test_what_was_said_is_found_by_its_object(ledger: Ledger) -> None:
    """An edge is found by what it leads to, with the content of both files, and without the analyzer that its record names."""
    said = edge(CALLER, CALLEE)
    added, is_new = ledger.analyses.add(analysis(), [analysed(b"a.py", "blob-a", said, pins={b"b.py": "blob-b"})])
    assert is_new and ledger.analyses.standing() == [added]
    (digest,) = ledger.analyses.leading_to([CALLEE])
    assert ledger.analyses.leading_to([CALLER]) == set()
    found = ledger.analyses.edges(digest)
    assert found.edges == (replace(said, analyzer="", analyzer_version=""),) and found.pins == {b"b.py": "blob-b"}
    assert [(row.path, row.blob_id, row.edges_digest) for row in ledger.analyses.files([added.id])] == [(b"a.py", "blob-a", digest)]


def test_the_same_again_changes_nothing(ledger: Ledger) -> None:
    """Taking in the same of the same tree, whenever and by whomever, adds neither rows nor events."""
    files = [analysed(b"a.py", "blob-a", edge(CALLER, CALLEE))]
    first, _ = ledger.analyses.add(analysis(), files)
    again, is_new = ledger.analyses.add(analysis(at="2027-01-01T00:00:00Z", author="person:bob", origin="elsewhere"), files)
    assert (again.id, is_new) == (first.id, False)
    assert [event.type for event in ledger.events()] == ["AnalysisImported"]


@pytest.mark.parametrize("changed", [{"tool": "other"}, {"version": "0.7"}, {"configuration": "x"}, {"snapshot_key": "u"}, {"reference": "run"}])
def test_another_analyzer_or_tree_is_another_analysis(ledger: Ledger, changed: dict[str, str]) -> None:
    """Equal edges by another tool, version, configuration, of another tree or run stand beside the first, packed once."""
    files = [analysed(b"a.py", "blob-a", edge(CALLER, CALLEE))]
    ledger.analyses.add(analysis(), files)
    ledger.analyses.add(analysis(**changed), files)
    assert len(ledger.analyses.standing()) == 2 and len(ledger.analyses.payloads()) == 1


def test_withdrawn_answers_no_more_and_comes_back(ledger: Ledger) -> None:
    """A withdrawn analysis stays in the record and stands no more, until the same is taken in again."""
    files = [analysed(b"a.py", "blob-a", edge(CALLER, CALLEE))]
    added, _ = ledger.analyses.add(analysis(), files)
    ledger.analyses.withdraw(added.id, "made of another branch", at=AT, author="person:ada")
    assert ledger.analyses.standing() == [] and ledger.analyses.all() == [added]
    again, is_new = ledger.analyses.add(analysis(), files)
    assert is_new and ledger.analyses.standing() == [again] and len(ledger.analyses.files()) == 1


@pytest.mark.parametrize("payload", [b"", b"\x93", b"\x92\xc4\x01\x00\x90"], ids=["empty", "cut off", "no edges inside"])
def test_a_payload_that_cannot_be_read_is_refused(ledger: Ledger, payload: bytes) -> None:
    """Whatever an export brings under a right digest must be edges."""
    with pytest.raises(InvalidRecordError, match="cannot be read"):
        ledger.analyses.add_payloads({digest_of(payload): payload})


names = st.builds(SymbolId, st.sampled_from([b"a.py", b"\xff.py"]), st.sampled_from(["f", "C.g", ""]), st.integers(0, 2))


def _said(subject: SymbolId, target: SymbolId, row: int, kind: str, reason: str) -> Edge:
    return replace(edge(subject, target, row=row), confidence_kind=kind, reason=reason, analyzer="", analyzer_version="")  # type: ignore[arg-type]


kinds, reasons = st.sampled_from(["resolved", "inferred", "observed"]), st.sampled_from(["scip", "overrides"])
edges = st.builds(_said, names, names | st.just(OUTSIDE), st.integers(0, 9), kinds, reasons)


@given(st.lists(edges, max_size=12), st.dictionaries(st.sampled_from([b"a.py", b"\xff.py"]), st.sampled_from(["x", "y"])), st.randoms())
def test_packing_loses_nothing(said: list[Edge], pins: dict[bytes, str], order: object) -> None:
    """What is unpacked is what was packed, and equal edges in whatever order are equal bytes."""
    packed = pack_outside(analysed(b"a.py", "blob", *said, pins=pins))
    found = unpack_outside(packed)
    assert sorted(map(str, found.edges)) == sorted(map(str, said)) and found.pins == pins
    shuffled = list(said)
    order.shuffle(shuffled)  # type: ignore[attr-defined]
    assert pack_outside(analysed(b"a.py", "blob", *shuffled, pins=dict(reversed(pins.items())))) == packed
