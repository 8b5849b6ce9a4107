"""Full texts in the index: how strongly contents hold words, and what earlier commits said."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.records.stored import FactKey, PastCommit, StoredFacts
from knowledge.storage.index import IndexStore, open_index
from knowledge.storage.packing import pack_past_commit, pack_past_line, unpack_past_commit, unpack_past_line


def _with(store: IndexStore, word: str) -> dict[str, float]:
    return store.texts_with([word])[word]


COMMITS = st.builds(PastCommit, st.frozensets(st.text(max_size=5), max_size=4), st.lists(st.binary(max_size=5), max_size=3).map(tuple))


def test_words_are_found_in_every_form(tmp_path: Path) -> None:
    """A word is found in another form and in any case; contents are read once; nothing is found by what nobody wrote."""
    with open_index(tmp_path / "index.sqlite3") as store:
        store.put_texts([("one", "def purge_cache(): Caching"), ("two", "세션을 만든다 session")])
        assert store.missing_texts(["two", "three", "one"]) == ["three"]
        assert set(_with(store, "cache")) == {"one"}
        assert set(_with(store, "SESSIONS")) == {"two"}
        assert _with(store, "zebra") == {}
        assert _with(store, '"; DROP TABLE') == {}
        store.put_texts([("one", "zebra")])
        assert _with(store, "zebra") == {}


def test_strength_knows_nothing_of_other_contents(tmp_path: Path) -> None:
    """How strongly a content holds a word stays nearly the same while contents with and without it come, common or rare."""
    with open_index(tmp_path / "index.sqlite3") as store:
        store.put_texts([("one", "cache miss"), ("two", "no such word")])
        before = _with(store, "cache")["one"]
        store.put_texts((f"b{n}", "cache hit" if n % 3 else "nothing here") for n in range(30))
        assert _with(store, "cache")["one"] == pytest.approx(before, rel=0.2)
        store.put_texts([("often", "cache cache cache miss")])
        found = _with(store, "cache")
        assert found["often"] > found["one"]
        assert all(0 < strength < 2.2 for strength in found.values())


def test_texts_that_nobody_needs_go_together(tmp_path: Path) -> None:
    """When most of what is searchable belongs to no stored facts, all begins anew; before that nothing is lost."""
    with open_index(tmp_path / "index.sqlite3") as store:
        store.put_facts([StoredFacts(FactKey(name, "python"), "1", "1", b"", "") for name in ("kept", "also")])
        store.put_texts([("kept", "cache"), ("also", "cache"), ("gone", "cache")])
        store.sweep_texts()
        assert set(_with(store, "cache")) == {"kept", "also", "gone"}
        store.put_texts([("gone too", "cache"), ("and this", "cache")])
        store.sweep_texts()
        assert _with(store, "cache") == {}
        assert store.missing_texts(["kept"]) == ["kept"]


def test_only_the_last_lines_are_kept(tmp_path: Path) -> None:
    """Of commits in one piece those stay that were asked about last; single commits stay for good."""
    commit = PastCommit(frozenset({"fix"}), (b"a.py",))
    with open_index(tmp_path / "index.sqlite3") as store:
        store.put_past_commits({"r0": commit})
        for number in range(40):
            store.put_past_line(f"r{number}", [commit] * 2)
        assert store.past_line("r39") == [commit, commit]
        assert store.past_line("r0") is None
        assert store.past_commits(["r0", "r1"]) == {"r0": commit}


@given(st.lists(COMMITS, max_size=4))
def test_commits_come_back_as_they_were(commits: list[PastCommit]) -> None:
    """Packing loses nothing."""
    assert unpack_past_line(pack_past_line(commits)) == commits
    assert [unpack_past_commit(pack_past_commit(commit)) for commit in commits] == commits
