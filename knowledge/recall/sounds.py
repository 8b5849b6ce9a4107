"""How a word sounds, by its consonants as both Korean and English spelling have them.

Korean writes foreign words by ear (`엘라스틱서치`, `쿠버네티스`): vowels differ from writer to writer, consonants hardly do. So a word is
reduced to a row of consonant classes. Nothing is looked up: names that no dictionary has are matched as well.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_INITIALS = ("k", "k", "n", "t", "t", "l", "m", "p", "p", "s", "s", "", "j", "j", "j", "k", "t", "p", "")
_FINALS = (
    "", "k", "k", "ks", "n", "nj", "n", "t", "l", "lk", "lm", "lp", "ls", "lt", "lp", "l", "m", "p", "ps", "t", "t", "n", "t", "t", "k", "t", "p", "",
)  # fmt: skip
_FIRST_SYLLABLE = 0xAC00
_SPELLINGS = (
    (r"[^a-z]", ""), (r"tion|sion|cian", "sn"), (r"ph", "f"), (r"gh(?=t|$)", ""), (r"kn(?=[aeiouy])", "n"), (r"wr", "r"), (r"tch|ch(?!r|l)", "j"),
    (r"ch", "k"), (r"sh", "s"), (r"th", "s"), (r"ck|gg", "k"), (r"qu|q", "k"), (r"x", "ks"), (r"c(?=[eiy])", "s"), (r"c", "k"),
    (r"dg|g(?=[ei])", "j"), (r"ng(?![aeiou])", "n"), (r"tur", "jr"),
    (r"([a-z])\1", r"\1"), (r"r(?![aeiouy])", ""), (r"[fvb]", "p"), (r"d", "t"), (r"g", "k"), (r"z", "j"), (r"r", "l"), (r"[aeiouhwy]", ""),
)  # fmt: skip
_RULES = tuple((re.compile(pattern), result) for pattern, result in _SPELLINGS)
_LONG = re.compile(r"l+")


@lru_cache(maxsize=65_536)
def sound_of(word: str) -> str:
    """The consonants of a word in Hangul or in lower-case Latin letters; "" for digits and other scripts."""
    if word and "가" <= word[0] <= "힣":
        heard = _hangul(word)
    else:
        heard = unicodedata.normalize("NFD", word)
        for pattern, result in _RULES:
            heard = pattern.sub(result, heard)
    return _LONG.sub("l", heard)


def _hangul(word: str) -> str:
    heard = []
    for character in word:
        number = ord(character) - _FIRST_SYLLABLE
        if 0 <= number < 11_172:
            heard.append(_INITIALS[number // 588] + _FINALS[number % 28])
    return "".join(heard)
