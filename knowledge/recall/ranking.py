"""How well a piece of text answers a query: a number from 0 to 1, the same wherever the pieces are stored.

A query is a row of **ideas**, one a word. An idea is met by the word's own terms, by its sound, or by another way to say it (`glossary.py`),
whichever is best. The score mixes two things: which share of the query is met, weighed by how rare its words are (idf coverage), and
Okapi BM25 (Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009) over the ideas that are met, scaled to 0..1.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from knowledge.recall.asking import only_asks
from knowledge.recall.glossary import meanings
from knowledge.recall.terms import SOUND_MARK, Word, words

PUSH_SCORE = 0.45
"""What nobody asked for is shown from this score on. Below it, what was asked for is called a weak match: no threshold tells the right
from the wrong ones there."""
LEAST_SCORE = 0.12
"""What scores less is not shown at all: a common word or two is all that it has of the query."""

_BACKGROUND = 100
"""Pieces that a store is taken to have besides its own: in a store of three claims a word of one of them is not common yet."""
_COVERAGE_SHARE = 0.7
"""Of the score; the rest is BM25."""
_K1, _B = 1.2, 0.75
_GLOSSARY_WEIGHT = 0.6
"""How far an idea is met by another way to say it."""
_SOUND_WEIGHTS = {3: 0.6, 4: 0.75}
_LONG_SOUND_WEIGHT = 0.9
"""A sound of five consonants or more is hardly ever that of another word."""
_PARTS_WEIGHT = 0.6
"""Of the parts of an identifier, where the whole of it is not met."""
_PARTLY = 1.5
"""Half of a word's syllables are less than half of the word."""
_NAME_WEIGHT = 2.0
"""How much a name matters beside another word: what is true of one service is seldom true of another."""


_CODE_NAME = re.compile(r"[a-z][A-Z]|_|::|/|\w\.\w")


@dataclass(frozen=True, slots=True)
class Idea:
    """A word of a query and the other ways to say it. whole: joined forms of an identifier. others: terms that must all be there → weight."""

    said: str
    parts: tuple[str, ...]
    whole: tuple[str, ...]
    others: tuple[tuple[frozenset[str], float], ...]
    is_name: bool

    @property
    def terms(self) -> set[str]:
        """Every term that this idea may be met by."""
        return {*self.parts, *self.whole, *(term for terms, _ in self.others for term in terms)}


@dataclass(frozen=True, slots=True)
class Query:
    """A query as it is compared with pieces of text. terms: all that it may be met by."""

    ideas: tuple[Idea, ...]
    terms: frozenset[str]


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of all pieces: how many there are, how many terms they have on average, and in how many of them each term of the query is."""

    pieces: int
    mean_terms: float
    holding: Mapping[str, int]

    def rarity(self, term: str) -> float:
        """Inverse document frequency, never negative, as if there were some pieces more without the term."""
        count = self.holding.get(term, 0)
        return math.log(1 + (self.pieces + _BACKGROUND - count + 0.5) / (count + 0.5))


def read_query(text: str) -> Query:
    """The ideas of a text, words that only ask aside; all words where nothing else is left."""
    said = list(words(text))
    names = _names(said)
    telling = [place for place, word in enumerate(said) if not _only_asks(word)] or list(range(len(said)))
    others: dict[int, dict[frozenset[str], float]] = {}
    for (start, end), forms in meanings([said[place] for place in telling]):
        for place in telling[start:end]:
            others.setdefault(place, {}).update(dict.fromkeys(forms, _GLOSSARY_WEIGHT))
    ideas: dict[tuple[str, ...], Idea] = {}
    for place in telling:
        word, ways = said[place], others.get(place, {})
        if word.sound:
            ways[frozenset((SOUND_MARK + word.sound,))] = _SOUND_WEIGHTS.get(len(word.sound), _LONG_SOUND_WEIGHT)
        ideas.setdefault((*word.parts, *word.whole), Idea(word.said, word.parts, word.whole, tuple(ways.items()), place in names))
    found = tuple(ideas.values())
    return Query(found, frozenset(term for idea in found for term in idea.terms))


def _names(said: Sequence[Word]) -> set[int]:
    """The places of words that are names: identifiers, capitals not at the beginning, Latin letters amid Korean."""
    is_korean = any(word.is_hangul for word in said)
    return {
        place
        for place, word in enumerate(said)
        if not word.is_hangul and (is_korean or word.whole or (word.is_capital and place > 0))
    }  # fmt: skip


def _only_asks(word: Word) -> bool:
    return only_asks(word.text) or (not word.is_hangul and len(word.parts) == 1 and only_asks(word.parts[0]))


def weights(query: Query, statistics: Statistics) -> tuple[float, ...]:
    """How much each idea matters: as its own words are rare, and more where it is a name."""
    found = []
    for idea in query.ideas:
        own = idea.whole[:1] or idea.parts
        found.append((_NAME_WEIGHT if idea.is_name else 1.0) * sum(map(statistics.rarity, own)) / len(own))
    return tuple(found)


def score(query: Query, weighed: Iterable[float], terms: Mapping[str, int], statistics: Statistics) -> float:
    """How well a piece with these terms (term → how often) answers the query, 0..1. weighed: `weights` of the query."""
    damping = _K1 * (1 - _B + _B * sum(terms.values()) / max(statistics.mean_terms, 1.0))
    total = covered = okapi = 0.0
    for idea, weight in zip(query.ideas, weighed, strict=True):
        share, often = met(idea, terms, statistics)
        total += weight
        covered += weight * share
        okapi += weight * share * often / (often + damping)
    return (_COVERAGE_SHARE * covered + (1 - _COVERAGE_SHARE) * okapi) / total if total else 0.0


def met(idea: Idea, terms: Mapping[str, int], statistics: Statistics) -> tuple[float, int]:
    """How far a piece meets an idea (0..1), and how often."""
    for name in idea.whole:
        if name in terms:
            return 1.0, terms[name]
    best, often = 0.0, 0
    present = [part for part in idea.parts if part in terms]
    if present:
        share = sum(map(statistics.rarity, present)) / sum(map(statistics.rarity, idea.parts))
        best = share * _PARTS_WEIGHT if idea.whole else share**_PARTLY
        often = min(terms[part] for part in present)
    for needed, weight in idea.others:
        if weight > best and all(term in terms for term in needed):
            best, often = weight, min(terms[term] for term in needed)
    return best, often


def is_one_name(text: str) -> bool:
    """Whether a text is nothing but a name as only code has them: `createSession`, `close_period`, `src/a.py`, `a.py::f`."""
    return text.isascii() and bool(_CODE_NAME.search(text)) and len(text.split()) == 1 and len(list(words(text))) == 1
