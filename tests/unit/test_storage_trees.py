"""Trees of the index: told as differences from one another, and collected so that the file keeps its size."""

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from store_fixtures import edge, facts, resolution

from knowledge.records.identifiers import SymbolId
from knowledge.records.stored import Read, TreeFile
from knowledge.storage.index import IndexStore, open_index
from knowledge.storage.index_trees import CHAIN_DEPTH
from knowledge.storage.kept import Recent


@pytest.fixture
def index(tmp_path: Path) -> Iterator[IndexStore]:
    with open_index(tmp_path / "index.sqlite3") as opened:
        yield opened


def test_tree_is_its_base_with_what_differs(index: IndexStore) -> None:
    """Changed, added and removed paths are laid over the base, which stays as it was."""
    index.put_tree("one", None, [TreeFile(b"a", 1, 1), TreeFile(b"\xff", 2, 0)], meta={"layout": ["src"]})
    index.put_tree("two", "one", [TreeFile(b"a", 3, 2), TreeFile(b"c", 4, 3)], [b"\xff", b"never there"])
    one, two = index.tree("one"), index.tree("two")
    assert one is not None and two is not None
    assert (one.files, one.meta) == ({b"a": (1, 1), b"\xff": (2, 0)}, {"layout": ["src"]})
    assert (two.files, two.meta) == ({b"a": (3, 2), b"c": (4, 3)}, {})
    assert index.tree("three") is None
    assert index.has_tree("two") and not index.has_tree("three")


def test_base_must_be_there(index: IndexStore) -> None:
    """A difference from nothing is a mistake, not an empty tree."""
    with pytest.raises(KeyError):
        index.put_tree("one", "missing", [])
    assert not index.has_tree("one")


def test_long_chains_are_cut(index: IndexStore) -> None:
    """However many trees build on one another, reading one lays few differences over each other."""
    index.put_tree("0", None, [TreeFile(b"base", 1, 1)])
    for number in range(1, 3 * CHAIN_DEPTH):
        index.put_tree(str(number), str(number - 1), [TreeFile(str(number).encode(), number, number)], [str(number - 2).encode()])
    depths = [depth for (depth,) in index.db.rows("SELECT depth FROM tree")]
    assert max(depths) == CHAIN_DEPTH and depths.count(0) == 3
    last = 3 * CHAIN_DEPTH - 1
    tree = index.tree(str(last))
    assert tree is not None
    assert tree.files == {b"base": (1, 1), str(last).encode(): (last, last), str(last - 1).encode(): (last - 1, last - 1)}


def test_replaced_tree_still_carries_others(index: IndexStore) -> None:
    """A tree that is stored again, even as a difference from itself, does not change the trees that build on its first version."""
    index.put_tree("one", None, [TreeFile(b"a", 1, 1)])
    index.put_tree("two", "one", [TreeFile(b"b", 2, 2)])
    index.put_tree("one", "one", [TreeFile(b"a", 9, 9)])
    index.put_tree("one", None, [TreeFile(b"a", 8, 8)])
    one, two = index.tree("one"), index.tree("two")
    assert one is not None and two is not None
    assert (one.files, two.files) == ({b"a": (8, 8)}, {b"a": (1, 1), b"b": (2, 2)})
    assert index.db.rows("SELECT count(*) FROM tree") == [(3,)]


def test_latest_tree_is_the_one_used_last(index: IndexStore) -> None:
    """Putting and touching count as use."""
    assert index.latest_tree() is None
    index.put_tree("one", None, [])
    index.put_tree("two", None, [])
    assert index.latest_tree() == "two"
    index.touch_tree("one")
    index.touch_tree("missing")
    assert index.latest_tree() == "one"


def test_nothing_is_collected_within_bounds(index: IndexStore) -> None:
    """Small indexes keep everything, also what no tree needs yet."""
    index.put_facts([facts("one")])
    index.put_tree("one", None, [])
    done = index.collect(set(), 1, 10**9)
    assert (done.trees, done.facts, done.resolutions, done.is_over) == (0, 0, 0, False)


def test_collection_keeps_what_kept_trees_need(index: IndexStore) -> None:
    """The trees used least recently go, with the facts and resolutions that only they had; every question's answer stays right."""
    f, g = SymbolId(b"a", "f"), SymbolId(b"b", "g")
    ids = list(index.put_facts([facts(blob, "f") for blob in ("one", "two", "three")]).values())
    index.put_digests(ids[0], b"digests")
    resolutions = index.put_resolutions([resolution(b"a", number, edge(f, g), reads=(Read("name", "g", "x"),)) for number in ids])
    index.put_tree("one", None, [TreeFile(b"a", ids[0], resolutions[0]), TreeFile(b"same", ids[2], resolutions[2])])
    index.put_tree("two", "one", [TreeFile(b"a", ids[1], resolutions[1])])
    done = index.collect(set(), 1, 10**9)
    assert (done.trees, done.resolutions, done.facts) == (1, 1, 1)
    two = index.tree("two")
    assert two is not None and two.files == {b"a": (ids[1], resolutions[1]), b"same": (ids[2], resolutions[2])}
    assert not index.has_tree("one")
    assert index.payloads(ids).keys() == set(ids[1:]) and index.digests(ids) == {}
    assert {fact_id for fact_id, *_ in index.definitions_named(["f"])} == set(ids[1:])
    assert index.resolutions_reading([("name", "g")]) == set(resolutions[1:])
    assert [number for number, _ in index.edges_into([g])] == resolutions[1:]
    for table in ("edge_target", "resolution_read", "definition_name"):
        assert index.db.rows(f"SELECT count(*) FROM {table}") == [(2,)]


def test_no_id_comes_again(index: IndexStore) -> None:
    """What is kept in memory of a row stays right after a sweep of everything, in this process and in others."""
    f, g = SymbolId(b"a", "f"), SymbolId(b"b", "g")
    given: list[int] = []
    resolved: list[int] = []
    for turn in range(4):
        ids = list(index.put_facts([facts(f"{turn}-{number}", "f") for number in range(3)]).values())
        resolutions = index.put_resolutions([resolution(b"a", number, edge(f, g)) for number in ids])
        assert not set(ids) & set(given) and not set(resolutions) & set(resolved)
        given += ids
        resolved += resolutions
        index.put_tree("doomed", None, [TreeFile(b"a", ids[0], resolutions[0])])
        index.put_tree("last", None, [])
        index.collect({"last"}, 0, 10**9)
        left = index.db.rows("SELECT (SELECT max(id) FROM fact), (SELECT max(id) FROM resolution), (SELECT count(*) FROM resolution)")[0]
        assert left == (ids[-1], resolutions[-1], 1)


def test_an_undone_transaction_leaves_nothing_in_memory(index: IndexStore) -> None:
    """Its ids are given again, to other rows."""
    with pytest.raises(ZeroDivisionError), index.transaction():
        number = next(iter(index.put_facts([facts("one")]).values()))
        index.kept.facts[number] = None
        raise ZeroDivisionError
    assert number not in index.kept.facts
    assert list(index.put_facts([facts("two")]).values()) == [number]


def test_what_is_kept_is_bounded() -> None:
    """By number, for tuples by what is in them; what was asked for last stays."""
    kept: Recent[tuple[int, ...] | None] = Recent(10)
    for number in range(5):
        kept[number] = (1, 2, 3)
        assert 0 not in kept or kept[0] == (1, 2, 3)
    assert [number for number in range(5) if number in kept] == [0, 4]
    kept[9] = tuple(range(100))
    assert 9 in kept and 4 not in kept and 0 not in kept
    few: Recent[str] = Recent(2)
    few[1], few[2] = "a", "b"
    assert few[1] == "a"
    few[3] = "c"
    assert 1 in few and 2 not in few


def test_kept_trees_outlive_every_bound(index: IndexStore) -> None:
    """Trees that refs, worktrees or claims need stay whatever the bounds, and it is told that they are too much."""
    index.put_tree("needed", None, [])
    index.put_tree("other", None, [])
    done = index.collect({"needed"}, 0, 0)
    assert index.has_tree("needed") and not index.has_tree("other")
    assert done.is_over and done.size > 0


def test_size_stays_bounded_over_thousands_of_revisions(tmp_path: Path) -> None:
    """Two thousand commits, collected as they come: the file never grows past its bound, and the newest trees stay whole."""
    chance, bound, path = random.Random(7), 600_000, tmp_path / "index.sqlite3"
    files: dict[bytes, tuple[int, int]] = {}
    sizes = []
    with open_index(path) as index:
        for revision in range(2_000):
            changed = [f"src/file{number}.py".encode() for number in (range(40) if not revision else chance.sample(range(40), 2))]
            with index.transaction():
                blobs = [facts(f"{revision}-{number}", *(f"f{revision}_{n}" for n in range(5))) for number in range(len(changed))]
                ids = index.put_facts(blobs)
                rows = [resolution(path_, ids[blob.key], *_edges(path_, chance)) for path_, blob in zip(changed, blobs, strict=True)]
                numbers = index.put_resolutions(rows)
                delta = {row.path: (row.fact_id, number) for row, number in zip(rows, numbers, strict=True)}
                files |= delta
                base = str(revision - 1) if revision else None
                index.put_tree(str(revision), base, [TreeFile(path_, *pair) for path_, pair in delta.items()])
            if revision % 50 == 49:
                index.collect({str(revision)}, 40, bound)
                sizes.append(path.stat().st_size)
        last = index.tree("1999")
        assert last is not None and last.files == files
        assert len(index.edges_from(number for _, number in files.values())) == 40 * 12
        assert index.integrity() == []
        assert index.db.rows("PRAGMA freelist_count") == [(0,)]
    assert max(sizes) < bound and path.stat().st_size < bound


def _edges(path: bytes, chance: random.Random) -> list:  # type: ignore[type-arg]
    return [edge(SymbolId(path, f"f{n}"), SymbolId(b"src/file0.py", f"f{chance.randrange(1000)}"), row=n) for n in range(12)]
