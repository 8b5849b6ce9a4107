"""Triggers: rows that a person reads and approves, and which calls they hit.

A row names things and actions, never an answer: the memories are recalled at the moment of the call, so that a correction changes what comes
without anybody touching the row. A term is met by its own letters, by another form of the word, by the word that the other language has for
it, or by its sound (`클라우드플레어`, `cloudflare`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from knowledge.errors import InvalidRecordError
from knowledge.push.clauses import Sentence, sentences
from knowledge.push.own_text import own_text
from knowledge.push.sayings import ways_to_say
from knowledge.push.stuck import is_shell
from knowledge.recall.glossary import meanings
from knowledge.recall.terms import words

Tier = Literal["full", "hint"]
_MOST_TEXT = 20_000
"""Characters of a call's text that are read."""
_LEAST_SOUND = 4
_ONLY_LOOKS = re.compile(r"\s*(?:grep|rg|ag|ack|echo|printf|cat|less|head|tail|ls)\s[^|;&\n]*\Z")
"""A command that searches or writes words does nothing of what they name."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """One row. tool: a pattern of tool names; argument: the free-text argument that may be read and rewritten, "" for all texts of the call.

    subject: what it is about, any of; actions: what is done to it, one of each group; none: words with which it does not hit.
    tool_is_enough: a pattern of tools whose call needs no subject and no action. query: what is recalled. has_hint: the subject alone brings a line.
    positive, negative: texts that the row must and must not hit.
    """

    id: str
    tool: str
    subject: tuple[str, ...]
    actions: tuple[tuple[str, ...], ...]
    query: str
    none: tuple[str, ...] = ()
    argument: str = ""
    tool_is_enough: str = ""
    has_hint: bool = False
    positive: tuple[str, ...] = ()
    negative: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """That a row hit a call: wholly, or only by its subject; and by which sentence."""

    trigger: Trigger
    tier: Tier
    sentence: str


def read_trigger(row: Mapping[str, Any]) -> Trigger:
    """A row of a policy file: `id`, `tool`, `all` (the subject's words, then each action's), `none`, `recall`, and the other fields of Trigger.

    Raises InvalidRecordError for a row without words, with a pattern that is none, or with a field that is unknown.
    """
    known = {"id", "tool", "all", "subject", "actions", "none", "recall", "argument", "tool_is_enough", "has_hint", "positive", "negative"}
    name = str(row.get("id") or "?")
    if unknown := sorted(row.keys() - known):
        raise InvalidRecordError(f"trigger {name} has no field {unknown[0]!r}; expected some of {', '.join(sorted(known))}")
    groups = [tuple(map(str, group)) for group in (row.get("all") or [row.get("subject") or [], *(row.get("actions") or [])])]
    for pattern in (row.get("tool", ""), row.get("tool_is_enough", "")):
        try:
            re.compile(str(pattern))
        except re.error as error:
            raise InvalidRecordError(f"trigger {name}: {pattern!r} is no pattern of tool names ({error})") from error
    if not row.get("id") or not row.get("recall") or not groups or not all(groups):
        raise InvalidRecordError(f"trigger {name} needs an id, a query to recall, and at least one word for its subject and for each action")
    return Trigger(
        id=name,
        tool=str(row.get("tool", "")),
        subject=groups[0],
        actions=tuple(groups[1:]),
        query=str(row["recall"]),
        none=tuple(map(str, row.get("none") or ())),
        argument=str(row.get("argument", "")),
        tool_is_enough=str(row.get("tool_is_enough", "")),
        has_hint=bool(row.get("has_hint", False)),
        positive=tuple(map(str, row.get("positive") or ())),
        negative=tuple(map(str, row.get("negative") or ())),
    )


def matches(triggers: Iterable[Trigger], tool: str, text: str) -> list[Match]:
    """The rows that a call hits, whole hits first, each in the order of the rows."""
    if _ONLY_LOOKS.match(text) and is_shell(tool):
        return []
    own = own_text(text[:_MOST_TEXT])
    said = sentences(own)
    found = [match for trigger in triggers if re.search(trigger.tool, tool) and (match := _match(trigger, tool, said)) is not None]
    return sorted(found, key=lambda match: match.tier != "full")


def names_subject(trigger: Trigger, text: str) -> bool:
    """Whether a text names what the row is about, whatever is done to it."""
    return any(_has_one(sentence.whole, trigger.subject) for sentence in sentences(own_text(text[:_MOST_TEXT])))


def _match(trigger: Trigger, tool: str, said: Sequence[Sentence]) -> Match | None:
    hint: Match | None = None
    for place, sentence in enumerate(said):
        if any(_holds(sentence.whole, term, is_exact=True) for term in trigger.none):
            continue
        is_meant = bool(trigger.tool_is_enough and re.search(trigger.tool_is_enough, tool)) and not sentence.is_denied
        has_subject = _has_one(sentence.whole, trigger.subject)
        if is_meant or (has_subject and all(_has_one(sentence.affirmed, group) for group in trigger.actions)):
            is_refused = not is_meant and _is_refused(trigger, sentence)
            if not is_refused and not _is_taken_back(said[place + 1 :][:1], trigger):
                return Match(trigger, "full", sentence.whole)
        elif has_subject and trigger.has_hint and hint is None and not sentence.is_denied:
            hint = Match(trigger, "hint", sentence.whole)
    return hint


def _is_refused(trigger: Trigger, sentence: Sentence) -> bool:
    """Whether the subject is only named to say that it is not wanted: `do not refund anything`, not `do not purge all of Cloudflare, but`."""
    if _has_one(sentence.affirmed, trigger.subject):
        return False
    return not any(_holds(sentence.denied, term, is_exact=True) for group in trigger.actions for term in group)


def _is_taken_back(following: Sequence[Sentence], trigger: Trigger) -> bool:
    """Whether the next sentence denies what was said, naming nothing of its own: `지금은 적용하지 않는다`, `Do not do it yet.`"""
    return any(
        sentence.is_denied and not any(_holds(sentence.whole, term) for group in (trigger.subject, *trigger.actions) for term in group)
        for sentence in following
    )


def _has_one(text: str, group: tuple[str, ...]) -> bool:
    """Whether a text (lower case) has one of a group's terms in any form, or another common way to say one of them, letter by letter."""
    return any(_holds(text, term) for term in group) or any(pattern.search(text) for pattern in _other_ways(group))


@lru_cache(512)
def _other_ways(group: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    return tuple(_spelled(term, has_endings=True) for term in ways_to_say(group) if term not in group)


def _holds(text: str, term: str, *, is_exact: bool = False) -> bool:
    """Whether a text (lower case) has a term, or, unless `is_exact`, another form of it."""
    term = term.lower().strip()
    if not term:
        return False
    if _spelled(term).search(text):
        return True
    if is_exact or not text:
        return False
    return any(form <= _terms(text) for form in _forms(term))


@lru_cache(4_096)
def _spelled(term: str, *, has_endings: bool = False) -> re.Pattern[str]:
    """The term with everything between its letters as in the text; letters and digits of Latin script do not run on at its ends.

    has_endings: English endings of a word may follow.
    """
    inner = r"[\s=_-]+".join(re.escape(part) for part in term.split())
    ending = r"(?:s|es|d|ed|ing)?" if has_endings else ""
    return re.compile((r"(?<![a-z0-9])" if term[0].isascii() else "") + inner + (ending + r"(?![a-z0-9])" if term[-1].isascii() else ""))


@lru_cache(4_096)
def _forms(term: str) -> tuple[frozenset[str], ...]:
    """What may stand for a term: the stems of its words, what the other language calls them, their sound."""
    said = list(words(term))
    found = [frozenset(part for word in said for part in word.parts)]
    for (start, end), forms in meanings(said):
        if (start, end) == (0, len(said)):
            found += [form for form in forms if len("".join(form)) > (2 if "".join(form).isascii() else 1)]
    if len(said) == 1 and len(said[0].sound) >= _LEAST_SOUND:
        found.append(frozenset({_SOUND + said[0].sound}))
    return tuple(dict.fromkeys(form for form in found if form))


_SOUND = "~"


@lru_cache(512)
def _terms(text: str) -> frozenset[str]:
    """All that the words of a text can be found by; a Korean word also by what it is called in English."""
    found: set[str] = set()
    said = list(words(text))
    for _, forms in meanings([word for word in said if word.is_hangul]):
        found.update(term for form in forms if len(form) == 1 for term in form if term.isascii() and len(term) > 2)
    for word in said:
        found.update(word.parts)
        found.update(word.whole)
        if word.sound:
            found.add(_SOUND + word.sound)
    return frozenset(found)
