"""The index against a dictionary: whatever is put, forgotten and collected, questions have the answers that plain Python gives."""

import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId
from knowledge.records.stored import Read, StoredResolution, TreeFile
from knowledge.storage.index import open_index
from knowledge.storage.keys import indexed_name
from knowledge.storage.packing import CONFIDENCE, PREDICATES

names = st.sampled_from(["f", "g", "C.f", "Klasse.größe", ""])
paths = st.sampled_from([b"a.py", b"b.py", b"\xff\xfe.py", b"deep/er/c.py"])
symbols = st.builds(SymbolId, paths, names, st.integers(0, 1)) | st.builds(
    SymbolId, st.just(b""), names, st.just(0), st.sampled_from(["os", "requests"])
)
positions = st.integers(0, 2**40)
edges = st.builds(
    Edge, symbols, st.sampled_from(PREDICATES), symbols, st.sampled_from(CONFIDENCE), names, positions, positions, positions, positions, names,
    st.integers(0, 99), names, names,
)  # fmt: skip
reads = st.builds(Read, st.sampled_from(["module", "name"]), names, names)
resolutions = st.builds(
    StoredResolution,
    paths,
    st.integers(1, 3),
    st.sampled_from(["i", "j"]),
    st.lists(reads, max_size=3).map(tuple),
    st.lists(edges, max_size=6).map(tuple),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(resolutions, max_size=4), max_size=3), symbols, names, st.none() | st.sampled_from(PREDICATES))
def test_questions_about_edges(batches: list[list[StoredResolution]], symbol: SymbolId, name: str, predicate: str | None) -> None:
    """Edges from, into a symbol, into a name, and readers of a question are those that a walk over all edges finds."""
    with tempfile.TemporaryDirectory() as folder, open_index(Path(folder) / "index") as index:
        stored: dict[int, StoredResolution] = {}
        for batch in batches:
            for number, row in zip(index.put_resolutions(batch), batch, strict=True):
                stored.setdefault(number, row)
        everything = [(number, edge) for number, row in sorted(stored.items()) for edge in row.edges]
        fitting = [(number, edge) for number, edge in everything if predicate in (None, edge.predicate)]
        assert index.edges_from(stored) == everything
        assert index.edges_into([symbol], predicate) == [(number, edge) for number, edge in fitting if edge.object == symbol]
        assert index.edges_into_name(predicate, name) == [(number, edge) for number, edge in fitting if indexed_name(edge.object) == name]
        asked = ("name", name)
        assert index.resolutions_reading([asked]) == {number for number, row in stored.items() if asked in {(r.kind, r.key) for r in row.reads}}


step = st.tuples(
    st.sampled_from(["t0", "t1", "t2", "t3"]),
    st.booleans(),
    st.dictionaries(paths, st.integers(1, 9), max_size=3),
    st.sets(paths, max_size=2),
    st.booleans(),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(step, max_size=25), st.integers(1, 3))
def test_trees_are_what_was_put(steps: list[tuple[str, bool, dict[bytes, int], set[bytes], bool]], most: int) -> None:
    """Trees put over one another, replaced and collected, read as a dictionary of dictionaries would; kept ones never go."""
    with tempfile.TemporaryDirectory() as folder, open_index(Path(folder) / "index") as index:
        expected: dict[str, dict[bytes, tuple[int, int]]] = {}
        latest = None
        for key, is_delta, changed, removed, is_collected in steps:
            base = latest if is_delta and latest in expected else None
            below = dict(expected[base]) if base is not None else {}
            for path in removed:
                below.pop(path, None)
            expected[key] = below | {path: (number, number) for path, number in changed.items()}
            index.put_tree(key, base, [TreeFile(path, number, number) for path, number in changed.items()], removed if base is not None else ())
            latest = key
            if is_collected:
                index.collect({key}, most, 0)
                assert index.has_tree(key)
                expected = {name: files for name, files in expected.items() if index.has_tree(name)}
            for name in ("t0", "t1", "t2", "t3"):
                tree = index.tree(name)
                assert (tree.files if tree else None) == expected.get(name)
            assert index.latest_tree() == key
