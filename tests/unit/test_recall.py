"""What texts are found by and how well they answer a query, from tables that a person can check (tests/cases/recall)."""

from __future__ import annotations

import unicodedata
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from knowledge.recall.chunks import CHUNK_CHARACTERS, chunks, sentences
from knowledge.recall.glossary import rows_of_korean
from knowledge.recall.ranking import PUSH_SCORE, Statistics, is_one_name, read_query, score, weights
from knowledge.recall.sounds import sound_of
from knowledge.recall.terms import Word, index_terms, words
from knowledge.recall.tokens import cut_to_tokens, estimate_tokens, most_tokens

CASES = Path(__file__).parent.parent / "cases" / "recall"


def tables(name: str) -> list[list[tuple[str, str]]]:
    """The tables of a case file, two columns each, their headings aside."""
    found: list[list[tuple[str, str]]] = []
    for line in (CASES / name).read_text(encoding="utf-8").splitlines():
        if not line.startswith("| "):
            found.append([])
            continue
        left, right = line.removeprefix("| ").removesuffix(" |").rsplit(" | ", 1)
        found[-1].append((left, right))
    return [rows[2:] for rows in found if rows]


TEXTS, QUERIES = tables("queries.md")


@cache
def stored() -> tuple[dict[str, Counter[str]], Statistics]:
    """The texts of the case file as the search index keeps them."""
    pieces = {name: Counter(index_terms(text)) for name, text in TEXTS}
    holding = Counter(term for terms in pieces.values() for term in terms)
    return pieces, Statistics(len(pieces), sum(sum(t.values()) for t in pieces.values()) / len(pieces), holding)


def scores(text: str) -> dict[str, float]:
    """How well each text answers a query."""
    pieces, statistics = stored()
    query = read_query(text)
    weighed = weights(query, statistics)
    return {name: score(query, weighed, terms, statistics) for name, terms in pieces.items()}


@pytest.mark.parametrize(("query", "best"), QUERIES)
def test_a_query_finds_what_the_table_says(query: str, best: str) -> None:
    """The best text of each query is the one of its row; where none answers, none would be pushed."""
    found = scores(query)
    first = max(found, key=lambda name: found[name])
    assert (first if best != "-" or found[first] >= PUSH_SCORE else "-") == best, found


def shown(word: Word) -> str:
    """A word as the case file writes it."""
    parts = f"{' '.join(word.whole)} = {' '.join(word.parts)}" if word.whole else word.text if word.is_hangul else " ".join(word.parts)
    return parts + (f" {{{word.sound}}}" if word.sound else "")


@pytest.mark.parametrize(("text", "expected"), tables("words.md")[0])
def test_words_are_read_as_the_table_says(text: str, expected: str) -> None:
    """Each text of the table has just the words of its row."""
    assert " ".join(shown(word) for word in words(text)) == expected


@pytest.mark.parametrize(
    ("korean", "english"),
    [
        ("쿠버네티스", "kubernetes"), ("엘라스틱서치", "elasticsearch"), ("플레이라이트", "playwright"), ("젠킨스", "jenkins"),
        ("테라폼", "terraform"), ("클라우드플레어", "cloudflare"), ("포스트그레스", "postgres"), ("스냅샷", "snapshot"), ("컨테이너", "container"),
        ("프록시", "proxy"),
        ("마이그레이션", "migration"), ("스테이징", "staging"), ("페이지네이션", "pagination"), ("트레이스", "trace"), ("안드로이드", "android"),
    ],
)  # fmt: skip
def test_a_foreign_word_sounds_alike_in_both_scripts(korean: str, english: str) -> None:
    """Transliterations need no dictionary."""
    assert sound_of(korean) == sound_of(english)


@pytest.mark.parametrize(("wrong", "right"), [("statment", "statement"), ("limt", "limit"), ("depoly", "deploy"), ("conection", "connection")])
def test_a_slip_of_the_pen_sounds_alike(wrong: str, right: str) -> None:
    """Vowels that are missing or too many change no sound."""
    assert sound_of(wrong) == sound_of(right)


def test_both_unicode_forms_are_one_text() -> None:
    """Hangul typed on a Mac (decomposed) is found by Hangul typed elsewhere."""
    text = "세션 저장소를 교체하지 않는다 createSession을"
    assert list(index_terms(unicodedata.normalize("NFD", text))) == list(index_terms(text))


def test_terms_are_single_words_for_the_index() -> None:
    """No term has white space or ASCII punctuation, whatever the text holds: the index cuts at them."""
    text = 'a"b OR (c*) -d NEAR/2 é̂ ß 文字 🙂 x::y $z --flag=1 \ue000abc'
    assert all(not character.isspace() and (character.isalnum() or ord(character) > 127) for term in index_terms(text) for character in term)


def test_words_that_only_ask_are_not_missed() -> None:
    """A question is its subject: what surrounds it lowers no score."""
    assert scores("쿠폰을 한 번만")["coupon"] == pytest.approx(scores("쿠폰을 한 번만 어떻게 해야 하나 알려줘")["coupon"])


def test_a_query_of_asking_words_alone_is_still_a_query() -> None:
    """Where nothing else is said, even common words are looked for."""
    assert read_query("what is it").ideas
    assert read_query("").ideas == ()


def test_another_service_weighs_more_than_a_shared_verb() -> None:
    """What is remembered of one service is not pushed for another one."""
    found = scores("GitLab 세션 저장")
    assert max(found.values()) < PUSH_SCORE


def test_a_compound_has_the_meanings_of_its_parts() -> None:
    """A word in the glossary is found in the middle of a longer one, with its particle on."""
    assert set(rows_of_korean("재고차감을", "재고차감")) >= {*rows_of_korean("재고", "재고"), *rows_of_korean("차감", "차감")}


@pytest.mark.parametrize(
    ("text", "is_name"),
    [
        ("createSession", True), ("close_period", True), ("src/a.py", True), ("a.py::f", True), ("Store.put", True),
        ("two-factor", False), ("session", False), ("2FA", False), ("createSession 호출", False), ("createSession을", False), ("", False),
    ],
)  # fmt: skip
def test_a_bare_name_is_told_from_a_text(text: str, is_name: bool) -> None:
    """Only what is written as code alone writes is a name that must exist."""
    assert is_one_name(text) == is_name


def test_long_texts_are_cut_between_sentences() -> None:
    """Chunks are short, lose no word, and end where a sentence ends as long as sentences are short."""
    text = "첫 문장은 짧다. " * 40 + "\n" + "The second paragraph says something else. " * 20
    pieces = chunks(text)
    assert all(len(piece) <= CHUNK_CHARACTERS and piece.endswith(".") for piece in pieces)
    assert " ".join(pieces).split() == text.split()
    assert all(len(piece) <= 10 for piece in chunks("가" * 95, 10))
    assert "".join(chunks("가" * 95, 10)) == "가" * 95


def test_sentences_end_at_line_breaks_too() -> None:
    """A list item is a sentence of its own."""
    assert sentences("하나다. 둘이다!\n- three\n\nfour") == ["하나다.", "둘이다!", "- three", "four"]


def test_tokens_of_korean_are_not_underestimated() -> None:
    """A Hangul letter is a token; the bound for other programs' limits is higher still."""
    assert estimate_tokens("가나다") == 3
    assert estimate_tokens("x" * 36) == pytest.approx(10)
    assert most_tokens("가나다") > 3


def test_a_query_is_cut_after_a_sentence() -> None:
    """What is over the limit goes from the end, by sentences, and by words only where the first sentence is too long."""
    text = "첫 문장이다. 둘째 문장이다. 셋째 문장이다."
    assert cut_to_tokens(text, 1000) == text
    assert cut_to_tokens(text, 20) == "첫 문장이다. 둘째 문장이다."
    long = "낱말 " * 200
    assert most_tokens(cut_to_tokens(long, 30)) <= 30
    assert cut_to_tokens(long, 30).split() == ["낱말"] * len(cut_to_tokens(long, 30).split()) != []
