"""What a text is found by: the terms of its words, alike for Korean, English and identifiers.

A Hangul word loses one particle or ending and becomes bigrams of syllables; an English word its stem (Snowball); an identifier is kept
joined (`createSession` and `create_session` are one term) and by its parts. Besides, a word of some length is kept by its **sound**, the
consonants that Korean and English spelling share (`레디스`, `redis` → `lts`), which finds transliterations and most slips of the pen.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import Stemmer

from knowledge.recall.endings import AFTER_ONE, ENDINGS
from knowledge.recall.sounds import sound_of

TERMS_VERSION = "1"
"""Raised whenever the same text gives other terms than before: a search index of other terms is made anew."""
SOUND_MARK = "\ue000"
"""Stands before a term that is a sound. A character of private use: no word has it, and FTS5's tokenizer keeps it."""

_TOKEN = re.compile(r"[A-Za-z0-9_$]+(?:[./:@\-]+[A-Za-z0-9_$]+)*|[가-힣]+|[^\W_]+")
_PART = re.compile(r"\d+[A-Za-z]{1,3}(?![A-Za-z0-9])|[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+|[A-Z]|\d+")
_OUTER = re.compile(r"[/:@]+")
"""Between the folders of a path, and between a path and a name in it."""
_SEPARATORS = re.compile(r"[^A-Za-z0-9]+")
_SHORTEST_SOUND = 3
_SHORTEST_HEARD = 3
"""Syllables of a Hangul word that may be a foreign one; shorter ones sound like too many others."""
_SHORTEST_KEPT = 2
"""Syllables that must stay of a Hangul word when its ending goes."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a text. said: as it stands, lower case; text: without its ending. parts: what it is made of (stems, bigrams).

    whole: the joined forms of an identifier. sound: "" where it is too short to tell.
    """

    said: str
    text: str
    parts: tuple[str, ...]
    whole: tuple[str, ...] = ()
    sound: str = ""
    is_hangul: bool = False
    is_capital: bool = False


class _Stems(threading.local):
    """One stemmer a thread: it must not be shared."""

    def __init__(self) -> None:
        self.english = Stemmer.Stemmer("english")


_stems = _Stems()


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The stem of a lower-case English word."""
    return str(_stems.english.stemWord(word))


def words(text: str) -> Iterator[Word]:
    """The words of a text in their order, particles that stand alone aside."""
    normal = unicodedata.normalize("NFC", text)
    end = -1
    for found in _TOKEN.finditer(normal):
        token = found[0]
        if "가" <= token[0] <= "힣":
            # After a name in Latin letters stands its particle: `createSession을`.
            if found.start() != end or token not in ENDINGS:
                yield hangul_word(token)
        elif token.isascii():
            if (word := latin_word(token)) is not None:
                yield word
            end = found.end()
        else:
            folded = token.casefold()
            yield Word(folded, folded, (folded,))


@lru_cache(maxsize=65_536)
def hangul_word(token: str) -> Word:
    """A word in Hangul without its particle or ending."""
    text = without_ending(token)
    parts = tuple(bigrams(text)) or (text,)
    sound = _usable(sound_of(text)) if len(text) >= _SHORTEST_HEARD else ""
    return Word(token, text, parts, (), sound, True)


def bigrams(text: str) -> Iterator[str]:
    """Every two syllables that follow one another."""
    return (text[i : i + 2] for i in range(len(text) - 1))


def without_ending(token: str) -> str:
    """The word without the longest known particle or ending, as long as two syllables stay."""
    if len(token) == _SHORTEST_KEPT and token[-1] in AFTER_ONE:
        return token[0]
    for start in range(_SHORTEST_KEPT, len(token)):
        if token[start:] in ENDINGS:
            return token[:start]
    return token


@lru_cache(maxsize=65_536)
def latin_word(token: str) -> Word | None:
    """A word, number, name or path in Latin letters; None for what has neither letter nor digit."""
    pieces = [piece for piece in _SEPARATORS.split(token) if piece]
    if not pieces:
        return None
    joined = [piece.lower() for piece in pieces]
    parts = [part.lower() for piece in pieces for part in _PART.findall(piece)]
    if len(parts) <= 1:
        return Word(joined[0], joined[0], (stem(joined[0]),), (), _usable(sound_of(joined[0])), is_capital=not token.islower())
    whole = dict.fromkeys(["".join(joined)])
    for component in _OUTER.split(token):
        for name in (component, *component.split(".")):
            if len(_PART.findall(name)) > 1:
                whole["".join(piece.lower() for piece in _SEPARATORS.split(name))] = None
    stems = dict.fromkeys(stem(part) for part in parts if len(part) > 1 or part.isdigit())
    return Word(token.lower(), "".join(joined), tuple(stems), tuple(whole), is_capital=True)


def _usable(sound: str) -> str:
    return sound if len(sound) >= _SHORTEST_SOUND else ""


def index_terms(text: str) -> Iterator[str]:
    """The terms that a text is stored by, each as often as it occurs."""
    for word in words(text):
        yield from word.parts
        yield from word.whole
        if word.sound:
            yield SOUND_MARK + word.sound


def joined_terms(terms: Iterable[str]) -> str:
    """Terms as the search index keeps them."""
    return " ".join(terms)
