"""Export and import: the whole ledger as rows, and back, in any order, as often as one likes."""

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from store_fixtures import COVERAGE, analysed, analysis, anchor, claim, edge, event, evidence, new_claim, result, run, verdict

from knowledge.errors import InvalidRecordError, StoreTooNewError
from knowledge.records.claims import Anchor
from knowledge.records.identifiers import SymbolId
from knowledge.records.stored import REDACTED, NewClaim, Relation
from knowledge.storage.ledger import Ledger, open_ledger

LATER = "2026-05-05T00:00:00Z"


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """A ledger with rows of every kind."""
    with open_ledger(tmp_path / "ledger.sqlite3") as opened:
        on_claim = Anchor("anchor-claim", "claim", {"claim": "c_one"})
        opened.record_claims([new_claim("one"), new_claim("two")], blobs={"blob": b"\x00\xff"})
        opened.record_claims([NewClaim(claim("three", derived_from=("c_two",)), (on_claim, anchor("one")))])
        opened.append(
            [event("one", "ClaimMarkedStale", old_fingerprint="a", new_fingerprint="b"), event("one", "ClaimVerified")],
            verdicts=[verdict("later", "one", kind="verified", evidence_refs=("e_late",))],
            relations=[Relation("supports", "c_one", "c_two", {"n": 1})],
            evidence=[evidence("late")],
        )
        caller, callee = SymbolId(b"src/\xff.py", "f"), SymbolId(b"b.py", "g")
        opened.analyses.add(
            analysis(), [analysed(b"src/\xff.py", "b" * 40, edge(caller, callee), pins={b"b.py": "d" * 40}), analysed(b"b.py", "d" * 40)]
        )
        opened.runs.add(run("one"), [result("r_one", "t.py::test_f"), result("r_one", "t.py::test_g", "skipped")], COVERAGE)
        yield opened


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Ledger]:
    """An empty ledger of another clone."""
    with open_ledger(tmp_path / "other" / "ledger.sqlite3") as opened:
        yield opened


def _lines(ledger: Ledger) -> list[dict[str, Any]]:
    """The export after a way through JSON text."""
    return [json.loads(json.dumps(row)) for row in ledger.export_rows()]


def test_restore_is_equal(ledger: Ledger, other: Ledger) -> None:
    """A ledger restored into a fresh clone gives the same export and the same answers."""
    done = other.import_rows(_lines(ledger))
    assert done.added == {
        "anchor": 3,
        "evidence": 3,
        "claim": 3,
        "verdict": 3,
        "event": 6,
        "relation": 1,
        "blob": 1,
        "edges": 2,
        "analysis": 1,
        "run": 1,
    }
    assert sum(done.present.values()) == 0
    assert _lines(other) == _lines(ledger)
    assert (other.claims(), other.verdicts(), other.events()) == (ledger.claims(), ledger.verdicts(), ledger.events())
    assert other.evidence_of("c_one") == ledger.evidence_of("c_one")
    assert other.claims_derived_from(["c_one", "c_two"]) == {"c_one": {"c_three"}, "c_two": {"c_three"}}
    assert other.analyses.standing() == ledger.analyses.standing() and other.analyses.files() == ledger.analyses.files()
    assert other.runs.results("r_one") == ledger.runs.results("r_one") and other.runs.coverage("r_one") == COVERAGE
    assert (ledger.runs.run("r_one").is_local, other.runs.run("r_one").is_local) == (True, False)
    assert other.kept_blob("blob") == b"\x00\xff" and other.transition_known("c_one", "a", "b") and other.tags() == ledger.tags()


def test_order_of_rows_does_not_matter(ledger: Ledger, other: Ledger) -> None:
    """Rows may come in any order, the header last."""
    rows = _lines(ledger)
    random.Random(3).shuffle(rows)
    other.import_rows(rows)
    assert _lines(other) == _lines(ledger)


def test_import_is_idempotent(ledger: Ledger, other: Ledger) -> None:
    """What is there is skipped and counted, in the exporting ledger as well."""
    rows = _lines(ledger)
    other.import_rows(rows)
    for target in (other, ledger):
        done = target.import_rows(rows)
        assert (sum(done.added.values()), sum(done.present.values())) == (0, len(rows) - 1)
    assert _lines(other) == rows


def test_two_ledgers_come_to_the_same(ledger: Ledger, other: Ledger) -> None:
    """Ledgers that went apart and import each other agree on every claim's history, whoever was first."""
    other.import_rows(_lines(ledger))
    ledger.append([event("one", "ClaimRejected")], verdicts=[verdict("here", "one", kind="verified", said_at="2026-06-01T00:00:00Z")])
    other.append(
        [event("one", "ClaimMarkedStale", old_fingerprint="b", new_fingerprint="c")],
        verdicts=[verdict("there", "one", kind="undecided", said_at="2026-05-01T00:00:00Z")],
    )
    other.record_claims([new_claim("four")])
    mine, theirs = _lines(ledger), _lines(other)
    ledger.import_rows(theirs)
    other.import_rows(mine)
    assert [v.id for v in ledger.verdicts()["c_one"]] == [v.id for v in other.verdicts()["c_one"]] == ["v_one", "v_later", "v_there", "v_here"]
    assert ledger.verdicts() == other.verdicts() and ledger.claims() == other.claims()
    assert [(e.type, e.payload) for e in ledger.events("c_one")] == [(e.type, e.payload) for e in other.events("c_one")]
    for each in (ledger, other):
        assert [e.sequence for e in each.events()] == list(range(1, each.last_sequence() + 1))


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("claim", ("claim", "statement"), "something else"),
        ("anchor", ("target",), {"symbol": "other"}),
        ("evidence", ("evidence", "excerpt"), "other"),
        ("verdict", ("verdict", "kind"), "undecided"),
        ("event", ("event", "type"), "ClaimWithdrawn"),
        ("blob", ("content",), "AAAA"),
        ("edges", ("payload",), "AAAA"),
        ("analysis", ("files",), []),
    ],
    ids=lambda value: value if isinstance(value, str) else None,
)
def test_conflicting_rows_are_refused(ledger: Ledger, kind: str, path: tuple[str, ...], value: object) -> None:
    """Another content under a taken id is an error that names it, and nothing at all is imported."""
    rows = _lines(ledger)
    changed = next(row for row in rows if row["row"] == kind)
    place = changed
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    fresh = {"row": "blob", "blob_id": "fresh", "content": "AAAA"}
    rows[0]["rows"]["blob"] += 1
    with pytest.raises(InvalidRecordError, match=r"'(c_one|anchor-claim|e_late|v_one|blob|[0-9a-f]{24}|a_[0-9a-f]{12})'"):
        ledger.import_rows([*rows, fresh])
    assert ledger.kept_blob("fresh") is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda rows: rows.clear(),
        lambda rows: rows.pop(0),
        lambda rows: rows.append(rows[0]),
        lambda rows: rows[0].update(format="something"),
        lambda rows: rows.pop(),
        lambda rows: rows.append({"row": "blob", "blob_id": "x", "content": ""}),
        lambda rows: rows.append({"row": "surprise"}),
        lambda rows: rows.append({"no": "row"}),
        lambda rows: rows[-1].update(coverage="not base64!"),
        lambda rows: next(row for row in rows if row["row"] == "blob").update(content="not base64!"),
        lambda rows: next(row for row in rows if row["row"] == "edges").update(payload="not base64!"),
        lambda rows: next(row for row in rows if row["row"] == "claim")["claim"].update(kind="rumour"),
        lambda rows: next(row for row in rows if row["row"] == "claim")["claim"].pop("statement"),
        lambda rows: next(row for row in rows if row["row"] == "evidence")["evidence"].pop("file_path"),
        lambda rows: next(row for row in rows if row["row"] == "evidence")["evidence"].update(source_range=3),
        lambda rows: next(row for row in rows if row["row"] == "verdict")["verdict"].update(claim_id="c_nobody"),
        lambda rows: next(row for row in rows if row["row"] == "verdict")["verdict"].update(sequence=2**63 - 1),
        lambda rows: next(row for row in rows if row["row"] == "event").update(clock=2**63 - 1),
        lambda rows: next(row for row in rows if row["row"] == "event").update(clock=-1),
        lambda rows: next(row for row in rows if row["row"] == "claim")["anchors"].append(["nowhere", "primary"]),
    ],
)  # fmt: skip
def test_what_is_no_export_is_refused(ledger: Ledger, other: Ledger, spoil: Any) -> None:
    """A file that is cut off, of another format, or has rows that say something impossible is refused as a whole."""
    rows = _lines(ledger)
    spoil(rows)
    with pytest.raises(InvalidRecordError):
        other.import_rows(rows)
    assert (other.claims(), other.last_sequence()) == ([], 0)


def test_newer_export_is_refused(ledger: Ledger, other: Ledger) -> None:
    """An export of a later format is not half understood."""
    rows = _lines(ledger)
    rows[0]["version"] = 4
    with pytest.raises(StoreTooNewError, match=r"version 4, this program reads up to 3"):
        other.import_rows(rows)


def test_redaction_wins_over_an_older_export(ledger: Ledger, other: Ledger) -> None:
    """A text that was erased here does not come back from an export that still has it, nor do later words on it."""
    other.import_rows(_lines(ledger))
    other.append([event("one", "ClaimRejected", reason="secret words")], verdicts=[verdict("x", "one", reason="secret words")])
    ledger.redact("c_one", "why", at=LATER, author="person:ada")
    ledger.import_rows(_lines(other))
    assert ledger.claim("c_one").statement == REDACTED
    assert ledger.evidence("e_one").excerpt == REDACTED
    assert "secret words" not in json.dumps(_lines(ledger))
    assert ledger.verdicts()["c_one"][-1].reason == REDACTED


def test_redaction_travels_with_an_export(ledger: Ledger, other: Ledger) -> None:
    """A text that was erased there is erased here, and a fresh clone never sees it."""
    other.import_rows(_lines(ledger))
    ledger.redact("c_one", "why", at=LATER, author="person:ada")
    rows = _lines(ledger)
    statement = claim("one").statement
    assert statement not in json.dumps(rows)
    other.import_rows(rows)
    assert other.claim("c_one").statement == REDACTED and other.redaction("c_one") == ledger.redaction("c_one")
    assert _lines(other) == rows
    assert sum(other.import_rows(rows).added.values()) == 0


def test_export_shows_one_moment(ledger: Ledger) -> None:
    """What is recorded while an export runs is not in it by half."""
    running = ledger.export_rows()
    header = next(running)
    ledger.record_claims([new_claim("late")])
    rows = [header, *running]
    assert header["rows"]["claim"] == sum(row["row"] == "claim" for row in rows) == 3
