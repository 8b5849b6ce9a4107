"""The write gate: does what is about to be remembered contradict what is remembered? It warns, and stores all the same.

Two sentences are held against each other where they speak of the same: at least two ideas in common, weighed by their rarity, and not two
sets of names without a common one. Each rule is a way to differ, with how much must be in common for it: the more telling the difference,
the less. The bounds were set on one half of a collection of pairs and ordinary records (`benchmarks/push.py`).

A sentence that several records have, but for its numbers (`Test run: 80 passed`), reports an occasion and is held against nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from knowledge.gates.saying import Saying, read_saying
from knowledge.recall.chunks import sentences

Rarity = Callable[[str], float]
"""How telling a term is; rare ones more."""

MOST_WARNINGS = 3
_SHARED = 2
_HABIT, _HABIT_LIKENESS = 3, 0.7
"""So many other records that say nearly the same make a habit of it."""
_CANNOT, _CANNOT_OF_ONE_NAME, _NUMBER, _SWITCH, _DENIED, _TAKEN_BACK, _VALUE = 0.42, 0.33, 0.55, 0.5, 0.6, 0.65, 0.7
_SHORTEST = 3
"""Ideas that a sentence has at least before a mere "not" makes it a contradiction."""


@dataclass(frozen=True, slots=True)
class Precedent:
    """A sentence that is remembered, and by which claim."""

    claim_id: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two sentences that cannot both hold, as far as a rule can tell. how: cannot, number, switch, denied, taken-back, value."""

    sentence: str
    precedent: Precedent
    how: str
    likeness: float


@dataclass(frozen=True, slots=True)
class Likeness:
    """How much two sentences have in common: so many ideas, and which share of each one's weight they are."""

    shared: int
    new: float
    old: float


def conflicts(text: str, precedents: Mapping[str, Sequence[Precedent]], rarity: Rarity) -> list[Conflict]:
    """The contradictions between a text and what is remembered, the likeliest first, at most MOST_WARNINGS, one for each claim.

    precedents: sentence of the text → what was recalled for it.
    """
    found: dict[str, Conflict] = {}
    for sentence in sentences(text):
        new = read_saying(sentence)
        olds = [(precedent, read_saying(precedent.sentence)) for precedent in precedents.get(sentence, ())]
        if _is_habit(new, [old for _, old in olds], rarity):
            continue
        head = _head(new)
        for precedent, old in olds:
            likeness = alike(new, old, rarity)
            how = differs(new, old, likeness)
            if not how and head is not None:
                # Why it cannot be done has words of its own, which the precedent does not have: `e2e cannot run: every request is 401`.
                likeness = alike(head, old, rarity)
                how = "cannot" if differs(head, old, likeness) in ("cannot", "denied") else ""
            best = max(likeness.new, likeness.old)
            if how and (precedent.claim_id not in found or found[precedent.claim_id].likeness < best):
                found[precedent.claim_id] = Conflict(sentence, precedent, how, best)
    return sorted(found.values(), key=lambda c: (-c.likeness, c.precedent.claim_id))[:MOST_WARNINGS]


_REASON = re.compile(r"\s*(?::\s|;|,?\s+\b(?:because|since|as the|due to)\b|\s+[–—-]\s+|(?<=다)\s*\(|\()")
_REASON_BEFORE = re.compile(
    r"^.*(?:없어서|않아서|못해서|라서|부족해서|막혀서|때문에|탓에|므로|니까)\s+|^(?:because|since|as)\b[^,]+,\s+", re.IGNORECASE
)


def _head(new: Saying) -> Saying | None:
    """What is said to be impossible, without the reason that follows, or in Korean stands before; None where none does."""
    if not new.is_cannot:
        return None
    before, after = _REASON_BEFORE.search(new.text), _REASON.search(new.text)
    if before is None and after is None:
        return None
    head = read_saying(new.text[before.end() if before is not None else 0 : after.start() if after is not None else None])
    return head if head.is_cannot and len(head.ideas) >= _SHORTEST else None


def alike(new: Saying, old: Saying, rarity: Rarity) -> Likeness:
    """What two sentences have in common; an idea is met by any other way to say it."""
    met = [idea for idea in new.ideas if any(idea & other for other in old.ideas)]
    back = [idea for idea in old.ideas if any(idea & other for other in new.ideas)]
    return Likeness(len(met), _weight(met, rarity) / (_weight(new.ideas, rarity) or 1), _weight(back, rarity) / (_weight(old.ideas, rarity) or 1))


def _weight(ideas: Iterable[frozenset[str]], rarity: Rarity) -> float:
    return sum(max(map(rarity, idea)) for idea in ideas)


def differs(new: Saying, old: Saying, likeness: Likeness) -> str:
    """In which way the sentences contradict each other; "" where they do not."""
    best, least = max(likeness.new, likeness.old), min(likeness.new, likeness.old)
    if likeness.shared < _SHARED or (new.names and old.names and not new.names & old.names):
        return ""
    enough = _CANNOT_OF_ONE_NAME if new.names & old.names else _CANNOT
    apart = len(new.ideas) + len(old.ideas) - 2 * likeness.shared
    is_denied = (new.is_denied or new.is_cannot) != (old.is_denied or old.is_cannot)
    rules = (
        ("cannot", new.is_cannot != old.is_cannot and (old.is_done or old.is_cannot or new.is_done) and best >= enough),
        ("number", best >= _NUMBER and _has_other_number(new, old)),
        ("switch", {new.switch, old.switch} == {"on", "off"} and best >= _SWITCH),
        ("denied", is_denied and best >= _DENIED and min(len(new.ideas), len(old.ideas)) >= _SHORTEST),
        ("taken-back", new.takes_back and best >= _TAKEN_BACK and least >= _TAKEN_BACK / 2),
        ("value", likeness.shared > _SHARED and least >= _VALUE and 0 < apart <= 2 * _SHARED),
    )
    return next((how for how, applies in rules if applies), "")


def _has_other_number(new: Saying, old: Saying) -> bool:
    """Whether one names a number of a unit of which the other names only others."""
    known: dict[str, set[float]] = {}
    for value, unit in old.numbers:
        known.setdefault(unit, set()).add(value)
    return any(unit in known and value not in known[unit] for value, unit in new.numbers)


def _is_habit(new: Saying, olds: Iterable[Saying], rarity: Rarity) -> bool:
    """Whether several records say it, numbers aside."""
    same = 0
    for old in olds:
        likeness = alike(new, old, rarity)
        same += min(likeness.new, likeness.old) >= _HABIT_LIKENESS
    return same >= _HABIT
