"""Review conditions: when a claim is put up for review by itself (C11): a day, a figure that passes a bound, an event that was seen often enough.

    2027-01-31 · from 2027-01-31 · 2027-01-31부터
    tags > 100 · more than 100 tags · 태그 100개 초과 · 태그가 100개를 넘으면
    event ClaimRejected >= 2 · 사건 ClaimRejected 2건 이상 · commits >= 50 · 커밋 50개 이상
    any of these joined by `or` / `또는`, each of them by `and` / `그리고`

Reading is strict: an unknown figure or event is an error with what was meant. Judging is pure: figures and clock are given as values.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from functools import lru_cache

from knowledge.errors import InvalidRecordError
from knowledge.records.events import EVENT_TYPES

DUE = "due"
"""The hash of a condition's anchor where the condition is true."""

FIGURES: dict[str, tuple[str, ...]] = {
    "claims": ("claim", "주장", "클레임"),
    "active": ("활성", "유효"),
    "verified": ("검증됨", "검증된 주장"),
    "stale": ("낡음", "낡은 주장", "오래된 주장"),
    "needs_review": ("needs review", "검토 필요", "검토할 주장"),
    "rejected": ("기각됨", "기각된 주장"),
    "conflicts": ("conflict", "open conflicts", "충돌"),
    "tags": ("tag", "태그"),
    "files": ("file", "파일"),
    "symbols": ("symbol", "심볼", "기호"),
    "commits": ("commit", "커밋"),
}
"""Every figure that a bound may be set on → what else it is called. `commits` counts from the last verdict, as events do."""

STATUS_FIGURES = ("active", "verified", "stale", "needs_review", "rejected")
"""Figures that count claims by their status in the tree."""

_NAMES = {other: name for name, others in FIGURES.items() for other in (name, *others)}
_OPERATORS: dict[str, Callable[[int, int], bool]] = {
    ">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le, "=": operator.eq, "!=": operator.ne,
}  # fmt: skip
_WORDS = {
    "more than": ">", "over": ">", "above": ">", "at least": ">=", "fewer than": "<", "less than": "<", "under": "<", "below": "<",
    "at most": "<=", "초과": ">", "넘으면": ">", "넘을 때": ">", "이상": ">=", "이상이면": ">=", "미만": "<", "미만이면": "<", "이하": "<=",
    "이하이면": "<=", "==": "=",
}  # fmt: skip
_EVENT = r"(?:event|이벤트|사건)\s+(?P<event>\w+)(?:이|가)?"
_NAME = r"(?P<name>[^\W\d][\w ]*?)(?:이|가|의 수가)?"
_NUMBER = r"(?P<number>\d[\d,_]*)\s*(?:개|건|쌍|번|회|명)?(?:를|을)?"
_SIGN = "|".join(re.escape(sign) for sign in sorted((*_OPERATORS, "=="), key=len, reverse=True))
_AFTER = "|".join(sorted((word for word in _WORDS if not word.isascii()), key=len, reverse=True))
_BEFORE = "|".join(word for word in _WORDS if word.isascii() and word[0].isalpha())
_BOUNDS = tuple(
    re.compile(pattern + r"\Z", re.IGNORECASE)
    for subject in (_EVENT, _NAME)
    for pattern in (
        rf"{subject}\s*(?P<sign>{_SIGN})\s*{_NUMBER}",
        rf"{subject}\s+{_NUMBER}\s*(?P<sign>{_AFTER})",
        rf"{subject}\s+(?P<sign>{_BEFORE})\s+{_NUMBER}",
        rf"(?P<sign>{_BEFORE})\s+{_NUMBER}\s+{subject}",
    )
)
_DAY = re.compile(r"(?:from\s+|date\s*>=?\s*|날짜\s*>=?\s*)?(\d{4}-\d{2}-\d{2})(?:\s*부터)?\Z", re.IGNORECASE)
_OR = re.compile(r"\s+(?:or|또는|혹은)\s+", re.IGNORECASE)
_AND = re.compile(r"\s+(?:and|그리고)\s+", re.IGNORECASE)
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class Figure:
    """What is counted: one of FIGURES, or the events of one type since the last verdict."""

    name: str
    event: str = ""

    def __str__(self) -> str:
        return f"event {self.event}" if self.event else self.name


@dataclass(frozen=True, slots=True)
class Bound:
    """A figure that passes a number."""

    figure: Figure
    sign: str
    number: int

    def __str__(self) -> str:
        return f"{self.figure} {self.sign} {self.number}"


@dataclass(frozen=True, slots=True)
class Condition:
    """True when all parts of one alternative are. A part is a bound, or the first day on which it is true."""

    alternatives: tuple[tuple[Bound | date, ...], ...]

    def __str__(self) -> str:
        return " or ".join(" and ".join(str(part) for part in parts) for parts in self.alternatives)

    def figures(self) -> tuple[Figure, ...]:
        """Every figure that is asked for."""
        return tuple(dict.fromkeys(part.figure for parts in self.alternatives for part in parts if isinstance(part, Bound)))


@dataclass(frozen=True, slots=True)
class Judged:
    """Whether a condition is true, and which of its alternatives.

    The figures are not told: they move on while it stays true, and a status that is stored says what one that is computed anew says.
    """

    is_true: bool
    detail: str


@lru_cache(1 << 10)
def read_condition(text: str) -> Condition:
    """The condition that a text says. Raises InvalidRecordError, with suggestions for an unknown figure or event."""
    if not text.strip() or len(text) > _LONGEST:
        raise InvalidRecordError(f"a review condition has 1 to {_LONGEST} characters; given {len(text)}")
    parts = [[" ".join(part.split()) for part in _AND.split(one)] for one in _OR.split(text.strip())]
    return Condition(tuple(tuple(_read_part(part) for part in one) for one in parts))


def _read_part(text: str) -> Bound | date:
    if day := _DAY.match(text):
        return read_day(day[1])
    found = next((match for pattern in _BOUNDS if (match := pattern.match(text))), None)
    if found is None:
        raise InvalidRecordError(
            f"cannot read the review condition {text!r}; expected a day (2027-01-31), FIGURE > NUMBER, or event TYPE >= NUMBER",
            suggestions=("2027-01-31", "tags > 100", "event ClaimRejected >= 2", "commits >= 50"),
        )
    groups = found.groupdict()
    sign = groups["sign"].lower()
    figure = _event(groups["event"]) if groups.get("event") else _figure(groups["name"])
    return Bound(figure, _WORDS.get(sign, sign), int(re.sub(r"[,_]", "", groups["number"])))


def read_day(text: str) -> date:
    """The day that is meant by YYYY-MM-DD. Raises InvalidRecordError."""
    try:
        return date.fromisoformat(text if re.fullmatch(r"\d{4}-\d{2}-\d{2}", text) else "")
    except ValueError as error:
        raise InvalidRecordError(f"there is no day {text!r}; expected YYYY-MM-DD, as 2027-01-31") from error


def _figure(text: str) -> Figure:
    name = _NAMES.get(text.lower().strip())
    if name is None:
        known = tuple(FIGURES) if text.isascii() else tuple(name for name in _NAMES if not name.isascii())
        near = get_close_matches(text.lower(), _NAMES, n=3, cutoff=0.5) or known
        raise InvalidRecordError(f"there is no figure {text!r}; expected one of {', '.join(FIGURES)}, or event TYPE", suggestions=near)
    return Figure(name)


def _event(text: str) -> Figure:
    if text not in EVENT_TYPES:
        near = get_close_matches(text, EVENT_TYPES, n=3, cutoff=0.5)
        raise InvalidRecordError(f"there is no event {text!r}; expected one of {', '.join(EVENT_TYPES)}", suggestions=near or EVENT_TYPES)
    return Figure("event", text)


def judge(condition: Condition, figures: Mapping[Figure, int], today: date) -> Judged:
    """Whether the condition is true; `figures` has a value for each that it asks for."""
    for parts in condition.alternatives:
        if all(_is_true(part, figures, today) for part in parts):
            return Judged(True, _told(parts))
    return Judged(False, "")


def _is_true(part: Bound | date, figures: Mapping[Figure, int], today: date) -> bool:
    return today >= part if isinstance(part, date) else _OPERATORS[part.sign](figures[part.figure], part.number)


def _told(parts: Sequence[Bound | date]) -> str:
    return " and ".join(f"from {part}" if isinstance(part, date) else str(part) for part in parts)
