"""Recall over arbitrary texts: nothing breaks it, nothing exceeds its bounds, and how the index came about makes no difference."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterator

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from knowledge.recall.chunks import chunks
from knowledge.recall.ranking import Statistics, read_query, score, weights
from knowledge.recall.terms import index_terms
from knowledge.recall.tokens import cut_to_tokens, most_tokens
from knowledge.storage.index import IndexStore, open_index

WORDS = st.sampled_from(
    [
        "세션을",
        "캐시",
        "createSession",
        "src/a.py",
        "login",
        "로그인은",
        "2FA",
        "OR",
        "NOT",
        "NEAR(",
        '"',
        "*",
        "^",
        "-",
        "(",
        "레디스",
        "redis",
        "é",
        "文字",
    ]
)
TEXTS = st.one_of(st.text(max_size=80), st.lists(WORDS, max_size=12).map(" ".join))
CLAIMS = st.dictionaries(st.sampled_from([f"c_{n}" for n in range(6)]), st.lists(TEXTS, min_size=1, max_size=3), max_size=6)


def stored(pieces: dict[str, list[str]]) -> dict[str, list[list[str]]]:
    """The pieces of each claim as terms."""
    return {claim: [list(index_terms(text)) for text in texts] for claim, texts in pieces.items()}


def looked_up(index: IndexStore, text: str) -> list[tuple[str, tuple[str, ...]]]:
    """What the index finds for a text, in an order of its content."""
    return sorted((claim, tuple(sorted(terms.split(" ")))) for claim, terms in index.search(index.holding(read_query(text).terms), 1_000))


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[IndexStore, IndexStore]]:
    """Two indexes; making one anew for each example would take longer than all the rest."""
    place = tmp_path_factory.mktemp("recall")
    with open_index(place / "step.sqlite3") as step, open_index(place / "once.sqlite3") as once:
        yield step, once


@settings(max_examples=40, deadline=None)
@given(first=CLAIMS, second=CLAIMS, query=TEXTS)
def test_step_by_step_or_at_once_the_search_index_is_the_same(
    indexes: tuple[IndexStore, IndexStore], first: dict[str, list[str]], second: dict[str, list[str]], query: str
) -> None:
    """Pieces put in the place of others leave nothing of those behind; no text is a broken query."""
    step, once = indexes
    for index in indexes:
        index.clear_recall()
        index.put_recall_state("1", 1)
    step.put_pieces(stored(first), ())
    step.put_pieces(stored(second), set(first))
    whole = stored(first | second)
    once.put_pieces(whole, ())
    terms = {term for several in stored(first).values() for piece in several for term in piece} | read_query(query).terms
    terms |= {term for several in whole.values() for piece in several for term in piece}
    assert step.recall_state() == once.recall_state()
    held = Counter(term for several in whole.values() for piece in several for term in set(piece))
    assert step.holding(terms) == once.holding(terms) == {term: count for term, count in held.items() if term in terms}
    assert looked_up(step, query) == looked_up(once, query)


@given(text=TEXTS, query=TEXTS, others=st.lists(TEXTS, max_size=4))
@example("세션", "세션", [])
def test_a_score_is_a_share(text: str, query: str, others: list[str]) -> None:
    """Between nothing and one; a text asked by its own words has no better answer than itself, but for its length."""
    pieces = [Counter(index_terms(one)) for one in (text, *others)]
    held = Counter(term for piece in pieces for term in piece)
    statistics = Statistics(len(pieces), max(1.0, sum(map(len, pieces)) / len(pieces)), held)
    for asked in (query, text):
        read = read_query(asked)
        weighed = weights(read, statistics)
        scores = [score(read, weighed, piece, statistics) for piece in pieces]
        assert all(0 <= one <= 1 + 1e-9 for one in scores)
    if read.ideas and all(term in pieces[0] for idea in read.ideas for term in (idea.whole[:1] or idea.parts)):
        assert scores[0] >= 0.7


@given(text=TEXTS)
def test_both_unicode_forms_have_the_same_terms(text: str) -> None:
    """However a text is composed, it is found by the same terms."""
    composed = unicodedata.normalize("NFC", text)
    assert list(index_terms(unicodedata.normalize("NFD", composed))) == list(index_terms(composed))


@given(text=st.text(max_size=600), most=st.integers(1, 50))
def test_chunks_lose_no_word(text: str, most: int) -> None:
    """All that is no white space comes back, in order, in pieces that are not too long."""
    pieces = chunks(text, most)
    assert "".join("".join(pieces).split()) == "".join(text.split())
    assert all(len(piece) <= most for piece in pieces)


@given(text=st.text(max_size=400), limit=st.integers(1, 60))
def test_a_text_cut_to_its_limit_is_within_it(text: str, limit: int) -> None:
    """What is kept has no more tokens than the limit, unless one word alone has."""
    kept = cut_to_tokens(text, limit)
    assert most_tokens(kept) <= limit * 1.5 or len(kept.split()) <= 1
