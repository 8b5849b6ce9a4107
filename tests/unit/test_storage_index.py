"""The index: facts, resolutions and their questions, statuses, watches, counters."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from store_fixtures import edge, facts, resolution

from knowledge.errors import StoreCorruptError
from knowledge.records.claims import AnchorReading, Cause, ClaimStatus
from knowledge.records.edges import Limitation
from knowledge.records.identifiers import SymbolId, external_symbol, file_symbol
from knowledge.records.stored import FactKey, Read, StoredResolution, TreeFile, WorktreeState
from knowledge.storage.index import IndexStore, open_index

F, G, H = SymbolId(b"a.py", "f"), SymbolId(b"b.py", "C.g"), SymbolId(b"c.py", "C.g")


@pytest.fixture
def index(tmp_path: Path) -> Iterator[IndexStore]:
    with open_index(tmp_path / "index.sqlite3") as opened:
        yield opened


def test_facts_are_found_by_key(index: IndexStore) -> None:
    """Facts come back by blob and language, with header and payload as given."""
    one, two = facts("one", "f", "g"), facts("two", skipped="too-large")
    ids = index.put_facts([one, two])
    assert index.fact_ids([one.key, two.key, FactKey("one", "typescript"), FactKey("none", "python")]) == ids
    assert index.payloads(ids.values()) == {ids[one.key]: one.payload, ids[two.key]: two.payload}
    assert index.fact_headers([ids[two.key]]) == {ids[two.key]: (two.key, "i-two", "too-large")}
    assert index.unreadable_facts() == {ids[two.key]}


def test_facts_are_stored_once(index: IndexStore) -> None:
    """The same facts given again, also within one call, keep their id."""
    one = facts("one", "f")
    ids = index.put_facts([one, one])
    assert index.put_facts([facts("two"), one])[one.key] == ids[one.key]
    assert index.definitions_named(["f"]) == [(ids[one.key], 0, ("f", "f", 0, "function", False))]


def test_one_blob_in_two_languages_is_two_facts(index: IndexStore) -> None:
    """Language is part of the key: a file that is renamed from .js to .ts is read anew."""
    ids = index.put_facts([facts("one", "f"), facts("one", "f", language="typescript")])
    assert len(set(ids.values())) == 2


def test_facts_of_other_versions_count_as_absent(tmp_path: Path) -> None:
    """An upgraded analyzer finds none of its predecessor's facts, and the old ones stay for an older program."""
    old = {"python": ("parser-1", "1")}
    new = {"python": ("parser-1", "2")}
    path, key = tmp_path / "index.sqlite3", FactKey("one", "python")
    with open_index(path, old) as index:
        first = index.put_facts([facts("one", "f")])[key]
    with open_index(path, new) as index:
        assert index.fact_ids([key]) == {}
        second = index.put_facts([facts("one", "f", version="2")])[key]
        assert index.fact_ids([key]) == {key: second}
    with open_index(path, old) as index:
        assert index.fact_ids([key]) == {key: first}


def test_definitions_are_found_by_short_name(index: IndexStore) -> None:
    """Names lead to the definitions of all facts that bear them, and to no others."""
    ids = index.put_facts([facts("one", "f", "g"), facts("two", "g", "h")])
    one, two = (ids[FactKey(blob, "python")] for blob in ("one", "two"))
    assert index.definitions_named(["g", "missing"]) == [(one, 1, ("g", "g", 0, "function", False)), (two, 0, ("g", "g", 0, "function", False))]
    assert index.all_definition_names([one]) == {"f", "g"}
    assert index.definitions_of([two]) == {two: [("g", "g", 0, "function", False), ("h", "h", 0, "function", False)]}


def test_digests_can_come_later(index: IndexStore) -> None:
    """Digests are kept apart from facts; facts without any are left out."""
    ids = list(index.put_facts([facts("one"), facts("two")]).values())
    index.put_digests(ids[1], b"digests")
    assert index.digests(ids) == {ids[1]: b"digests"}


def test_resolutions_are_found_by_path_and_fact(index: IndexStore) -> None:
    """Every resolution of a file's content comes back with its reads and limitations, newest first, without edges."""
    reads = (Read("module", "b", "x"), Read("name", "g", "y"))
    first, second = index.put_resolutions([resolution(b"a.py", 1, edge(F, G), reads=reads), resolution(b"a.py", 1, edge(F, H), inputs="j")])
    index.put_resolutions([resolution(b"b.py", 1), resolution(b"a.py", 2)])
    assert index.find_resolutions([(b"a.py", 1)]) == [
        StoredResolution(b"a.py", 1, "j", (), (), (Limitation("dynamic-call", "getattr", b"a.py", 3),), second),
        StoredResolution(b"a.py", 1, "i", reads, (), (Limitation("dynamic-call", "getattr", b"a.py", 3),), first),
    ]
    assert index.limitations([first]) == {first: (Limitation("dynamic-call", "getattr", b"a.py", 3),)}


def test_resolutions_are_stored_once(index: IndexStore) -> None:
    """The same inputs keep their id, also within one call and in the order asked."""
    one, two = resolution(b"a.py", 1, edge(F, G)), resolution(b"b.py", 2, edge(G, F))
    ids = index.put_resolutions([one, two, one])
    assert ids[0] == ids[2] != ids[1]
    assert index.put_resolutions([two, one]) == [ids[1], ids[0]]
    assert len(index.edges_from(ids)) == 2


def test_edges_come_back_whole(index: IndexStore) -> None:
    """Every field of an edge survives, paths that are not UTF-8 and outside symbols among them."""
    odd = SymbolId(b"\xff.py", "Klasse.größe", 2)
    edges = (edge(odd, G), edge(G, external_symbol("requests", "get"), "imports", row=7), edge(file_symbol(b"a.py"), odd, "declares"))
    (number,) = index.put_resolutions([resolution(b"\xff.py", 1, *edges)])
    assert index.edges_from([number]) == [(number, one) for one in edges]


def test_edges_into_a_symbol(index: IndexStore) -> None:
    """Callers of one symbol are found, not those of its namesake, of another predicate, or of another ordinal."""
    edges = [edge(F, G), edge(F, H), edge(F, G, "reads"), edge(F, SymbolId(G.path, G.qualified_name, 1))]
    one, two = index.put_resolutions([resolution(b"a.py", 1, *edges), resolution(b"d.py", 2, edge(H, G))])
    assert index.edges_into([G], "calls") == [(one, edges[0]), (two, edge(H, G))]
    assert index.edges_into([G]) == [(one, edges[0]), (one, edges[2]), (two, edge(H, G))]
    assert index.edges_into([G], "calls", within={two}) == [(two, edge(H, G))]
    assert index.edges_into([SymbolId(b"zzz", "f")]) == []


def test_edges_into_a_name(index: IndexStore) -> None:
    """All namesakes are found by a qualified name; files by their path, outside modules by their name."""
    outside = external_symbol("requests")
    edges = [edge(F, G), edge(F, H), edge(F, F), edge(F, file_symbol(b"b.py"), "imports"), edge(F, outside, "imports")]
    (number,) = index.put_resolutions([resolution(b"a.py", 1, *edges)])
    assert [e for _, e in index.edges_into_name("calls", "C.g")] == edges[:2]
    assert index.edges_into_name("imports", "b.py") == [(number, edges[3])]
    assert index.edges_into_name(None, "requests") == [(number, edges[4])]
    assert index.edges_into_name("calls", "g") == []


def test_resolutions_are_found_by_what_they_read(index: IndexStore) -> None:
    """A changed answer leads to the resolutions that asked the question, of that kind only."""
    ids = index.put_resolutions(
        [resolution(b"a.py", 1, reads=(Read("name", "g", "x"),)), resolution(b"b.py", 2, reads=(Read("module", "g", "x"), Read("name", "h", "x")))]
    )
    assert index.resolutions_reading([("name", "g")]) == {ids[0]}
    assert index.resolutions_reading([("module", "g"), ("name", "h"), ("name", "zzz")]) == {ids[1]}


def test_statuses_of_two_worktrees(index: IndexStore) -> None:
    """Each worktree has its own statuses, in full, and a newer one takes the place of the older."""
    stale = ClaimStatus(
        "c_1", "stale", (Cause("premise", claim_path=("c_0",)), Cause("unexamined", "d", "old", "new")), "v_1", {"d": AnchorReading("gone")}
    )
    active = ClaimStatus("c_1", "active", (), "v_1", {"d": AnchorReading("present", "h", count=0)}, is_relocated=True)
    index.put_statuses("", [stale, ClaimStatus("c_2", "active", (), "v_2", {})])
    index.put_statuses("linked", [active])
    assert index.statuses("", ["c_1", "c_9"]) == {"c_1": stale}
    assert index.statuses("linked") == {"c_1": active}
    index.put_statuses("", [active])
    assert index.statuses("") == {"c_1": active, "c_2": ClaimStatus("c_2", "active", (), "v_2", {})}


def test_worktree_states(index: IndexStore) -> None:
    """What the statuses were computed for is kept for each worktree."""
    state, other = WorktreeState("", "tree", None, None, 3, "2026-03-04"), WorktreeState("linked", "tree", "r", "main", 4)
    index.put_worktree_state(state)
    index.put_worktree_state(other)
    assert (index.worktree_state(""), index.worktree_state("linked"), index.worktree_state("none")) == (state, other, None)
    assert index.worktree_states() == [state, other]


def test_watches_lead_to_anchors(index: IndexStore) -> None:
    """A touched key leads to every anchor that watches it; keys told earlier stay."""
    index.watch("one", ["symbol:f", "path:a.py"])
    index.watch_many([("two", ["symbol:f"]), ("one", ["symbol:g"]), ("none", [])])
    assert index.watching(["symbol:f"]) == {"one", "two"}
    assert index.watching(["symbol:g", "path:a.py"]) == {"one"}
    assert index.watching(["symbol:h"]) == set()


def test_cleared_state_keeps_facts(index: IndexStore) -> None:
    """What follows from the ledger is forgotten; what follows from bytes stays, and so do counters."""
    index.put_facts([facts("one")])
    index.put_statuses("", [ClaimStatus("c_1", "active", (), "v_1", {})])
    index.watch("one", ["k"])
    index.put_worktree_state(WorktreeState("", "tree", None, None, 3))
    index.count("hook-failed")
    index.clear_state()
    assert (index.statuses(""), index.watching(["k"]), index.worktree_state("")) == ({}, set(), None)
    assert index.fact_ids([FactKey("one", "python")]) and index.counts() == {"hook-failed": 1}


def test_counters_add_up(index: IndexStore) -> None:
    """Failures are counted by name."""
    index.count("b")
    index.count("a", 2)
    index.count("b", 3)
    assert index.counts() == {"a": 2, "b": 4}


def test_failed_transaction_leaves_nothing(index: IndexStore) -> None:
    """What a failed transaction wrote is undone, a part that failed alone as well, and the rest stays."""
    with pytest.raises(RuntimeError), index.transaction():
        index.count("whole")
        raise RuntimeError
    with index.transaction():
        index.count("kept")
        with pytest.raises(RuntimeError), index.transaction():
            index.count("part")
            raise RuntimeError
        index.count("kept")
    assert index.counts() == {"kept": 2}


def test_damaged_index_is_set_aside_and_told(tmp_path: Path) -> None:
    """A file that is no database is kept beside the new index, and the caller is told."""
    path = tmp_path / "index.sqlite3"
    path.write_bytes(b"garbage" * 1000)
    with open_index(path) as index:
        assert index.was_rebuilt
        assert index.counts() == {"index-rebuilt": 1}
    (aside,) = tmp_path.glob("index.sqlite3.corrupt-*")
    assert aside.read_bytes() == b"garbage" * 1000


def test_only_the_last_damaged_index_is_kept(tmp_path: Path) -> None:
    """Damage over and over does not fill the disk."""
    path = tmp_path / "index.sqlite3"
    for text in (b"one", b"two"):
        path.write_bytes(text * 100)
        open_index(path).close()
    (aside,) = tmp_path.glob("index.sqlite3.corrupt-*")
    assert aside.read_bytes() == b"two" * 100


def _damage_the_end(path: Path) -> None:
    """Overwrite the second half of the file: what opening reads stands in the first."""
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2] + b"\xa5" * (len(content) - len(content) // 2))


def test_damage_found_in_use_is_repaired_by_the_next_run(tmp_path: Path) -> None:
    """A page that turns out to be damaged is an error that says so; whoever opens the index next begins it anew."""
    path = tmp_path / "index.sqlite3"
    with open_index(path) as index:
        index.put_facts([facts(f"blob{number}", *(f"name{n}" for n in range(50))) for number in range(200)])
    _damage_the_end(path)
    with open_index(path) as index, pytest.raises(StoreCorruptError, match=r"index\.sqlite3 is damaged .* will be rebuilt"):
        assert not index.was_rebuilt
        index.payloads(range(200))
        index.definitions_named(["name1"])
    with open_index(path) as index:
        assert index.was_rebuilt
    with open_index(path) as index:
        assert not index.was_rebuilt


def test_index_can_be_begun_anew_in_use(tmp_path: Path) -> None:
    """After damage the same store can go on, empty."""
    with open_index(tmp_path / "index.sqlite3") as index:
        index.put_facts([facts("one")])
        index.rebuild()
        assert index.was_rebuilt
        assert index.fact_ids([FactKey("one", "python")]) == {}
        index.put_facts([facts("two")])
    with open_index(tmp_path / "index.sqlite3") as index:
        assert index.fact_ids([FactKey("two", "python")])


def test_row_that_cannot_be_unpacked_is_damage(index: IndexStore) -> None:
    """A payload whose bytes were changed is told as damage, not as a failure of the program."""
    index.put_resolutions([resolution(b"a.py", 1, edge(F, G))])
    index.put_tree("t", None, [TreeFile(b"a.py", 1, 1)])
    index.db.run("UPDATE resolution SET edges = x'93ff'")
    index.db.run("UPDATE tree SET manifest = x'00'")
    with pytest.raises(StoreCorruptError):
        index.edges_from([1])
    with pytest.raises(StoreCorruptError):
        index.tree("t")
