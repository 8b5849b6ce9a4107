"""Which files and definitions a goal is about, from its own words: pure.

A file is ranked by a sum of signals, each between 0 and 1: its text holds the goal's words (BM25), its path does, it defines what the goal names,
earlier commits whose messages said the same touched it, it is touched often of late. The weights were set on the histories of five
repositories, each judged with weights set on the other four (`benchmarks/pack.py`).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from knowledge.recall.glossary import meanings
from knowledge.recall.terms import words
from knowledge.records.identifiers import show_path
from knowledge.records.stored import PastCommit

_STOP_WORDS = """
    the a an and or of to in on for from is are be with when that this not only into it as by if at was were has have had can will would should
    could do does did than then so no but all any each which what how why who where there here its their our we i you your my me us them they he
    she use uses used using also just now still more most some such via per etc
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())
"""Words that say nothing of what a text is about."""
_WEIGHTS = {"text": 0.4, "path": 0.2, "named": 0.25, "spelled": 1.0, "alike": 0.33, "busy": 0.12}
_TEST_PENALTY = 0.5
"""Tests follow what they test; they come after it unless the goal speaks of tests."""
_HEAD_WEIGHT, _OTHER_WORD = 2.0, 0.6
"""A word of the first line counts double, one that only the glossary gives less."""
_MOST_WORDS = 48
_HALF_OF_BUSY, _HALF_OF_ALIKE = 150, 800
"""After so many commits what one of them touched counts half."""
_SWEEPING = 30
"""A commit that touched more files says nothing of one of them."""
_CODE = re.compile(
    r"`([^`\n]{2,80})`|\b([A-Za-z_]\w*(?:\.\w+)+|[A-Za-z_]\w*)(?=\()|\b([A-Za-z]+_\w+|_\w{2,}|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*)\b"
)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


@dataclass(frozen=True, slots=True)
class Goal:
    """What a goal speaks of. terms: stems and joined identifiers → weight; plain: the same as one writes them, for a full-text search, the weightiest
    first; names: what is written as code; text: all of it, lower case.
    """

    terms: Mapping[str, float]
    plain: Mapping[str, float]
    names: frozenset[str]
    text: str

    @property
    def speaks_of_tests(self) -> bool:
        return bool({"test", "시험", "테스"} & self.terms.keys())


@dataclass(frozen=True, slots=True)
class RankedFile:
    """A file with its score (0 and more) and the signals that gave it, the strongest first."""

    path: bytes
    score: float
    why: tuple[str, ...]


def read_goal(text: str) -> Goal:
    """The words of a goal in Korean or English, with what they are also called in the other language."""
    head = text.strip().partition("\n")[0]
    terms: dict[str, float] = {}
    plain: dict[str, float] = {}
    for part, weight in ((head, _HEAD_WEIGHT), (text, 1.0)):
        said = [word for word in words(part) if word.text not in STOP_WORDS]
        for word in said:
            for term in (*word.parts, *word.whole):
                terms[term] = max(terms.get(term, 0.0), weight)
            for form in (word.text, *(p for p in word.parts if len(word.parts) > 1)) if not word.is_hangul else (word.text,):
                plain[form] = max(plain.get(form, 0.0), weight)
        # Code is written in English: only Korean words need another name.
        for other in (form for _, forms in meanings([word for word in said if word.is_hangul]) for form in forms):
            for term in sorted(other):
                if term.isascii():
                    terms.setdefault(term, weight * _OTHER_WORD)
                    plain.setdefault(term, weight * _OTHER_WORD)
    ordered = sorted(plain, key=lambda w: (-plain[w], -len(w), w))
    return Goal(terms, {word: plain[word] for word in ordered[:_MOST_WORDS]}, frozenset(_names(text)), text.lower())


def _names(text: str) -> Iterable[str]:
    for match in _CODE.finditer(text):
        yield from _NAME.findall(match[1] or match[2] or match[3])


@lru_cache(maxsize=65_536)
def terms_of(text: str) -> frozenset[str]:
    """The terms of a text as one set, common words aside."""
    return frozenset(term for word in words(text) if word.text not in STOP_WORDS for term in (*word.parts, *word.whole))


def rank_files(
    goal: Goal, paths: Mapping[bytes, bool], texts: Mapping[str, Mapping[bytes, float]], named: Mapping[bytes, float], past: Sequence[PastCommit]
) -> list[RankedFile]:
    """The files that a goal may be about, the likeliest first; files that no signal speaks for are left out.

    paths: every file of the tree, and whether it only stands beside the product (tests, documentation); texts: word → path → how strongly its
    text holds it; named: path → how much of what the goal names it defines; past: earlier commits, the newest first.
    """
    alike, busy = _past(goal, past, paths)
    signals = {
        "text": _scaled(_of_texts(goal, len(paths), texts)),
        "path": _scaled(_of_paths(goal, paths)),
        "named": _scaled(named),
        "spelled": {path: 1.0 for path in paths if _is_spelled(path, goal.text)},
        "alike": _scaled(alike),
        "busy": _scaled(busy),
    }
    penalty = 0.0 if goal.speaks_of_tests else _TEST_PENALTY
    found = []
    for path, is_test in paths.items():
        parts = {name: _WEIGHTS[name] * values[path] for name, values in signals.items() if path in values}
        if parts:
            score = sum(parts.values()) - penalty * is_test
            found.append(RankedFile(path, score, tuple(sorted(parts, key=lambda name: -parts[name]))))
    return sorted(found, key=lambda f: (-f.score, f.path))


def _past(goal: Goal, past: Sequence[PastCommit], paths: Collection[bytes]) -> tuple[dict[bytes, float], dict[bytes, float]]:
    """How much commits that said the same touched each file, and how much any did of late."""
    frequency = Counter(term for commit in past for term in goal.terms.keys() & commit.terms)
    total = len(past)
    rarity = {t: w * math.log(1 + (total - frequency[t] + 0.5) / (frequency[t] + 0.5)) for t, w in goal.terms.items() if frequency[t]}
    alike: dict[bytes, float] = defaultdict(float)
    busy: dict[bytes, float] = defaultdict(float)
    for age, commit in enumerate(past):
        touched = [path for path in commit.paths if path in paths]
        if not touched or len(touched) > _SWEEPING:
            continue
        share = 1 / math.sqrt(len(touched))
        likeness = sum(rarity[t] for t in rarity.keys() & commit.terms) / (1 + 0.25 * math.log(1 + len(commit.terms)))
        for path in touched:
            busy[path] += share * 0.5 ** (age / _HALF_OF_BUSY)
            if likeness:
                alike[path] += likeness**2 * share * (0.3 + 0.7 * 0.5 ** (age / _HALF_OF_ALIKE))
    return alike, busy


def _of_texts(goal: Goal, total: int, texts: Mapping[str, Mapping[bytes, float]]) -> dict[bytes, float]:
    """BM25 of the goal's words in each file, by their rarity in this tree."""
    found: dict[bytes, float] = defaultdict(float)
    for word, holders in texts.items():
        rarity = goal.plain[word] * math.log(1 + (total - len(holders) + 0.5) / (len(holders) + 0.5))
        for path, strength in holders.items():
            found[path] += rarity * strength
    return found


def _of_paths(goal: Goal, paths: Collection[bytes]) -> dict[bytes, float]:
    of_path = {path: terms_of(show_path(path)) for path in paths}
    frequency = Counter(term for terms in of_path.values() for term in goal.terms.keys() & terms)
    rarity = {t: w * math.log(1 + len(paths) / (frequency[t] + 0.5)) for t, w in goal.terms.items() if frequency[t]}
    return {path: sum(rarity[t] for t in shared) / (1 + 0.1 * len(terms)) for path, terms in of_path.items() if (shared := rarity.keys() & terms)}


def _is_spelled(path: bytes, text: str) -> bool:
    shown = show_path(path).lower()
    name = shown.rpartition("/")[2]
    return shown in text or (len(name) > 5 and "." in name and name in text)


def _scaled(values: Mapping[bytes, float]) -> dict[bytes, float]:
    most = max(values.values(), default=0.0)
    return {path: value / most for path, value in values.items() if value > 0} if most > 0 else {}
