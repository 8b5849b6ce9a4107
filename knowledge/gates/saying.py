"""What one sentence says, as far as a rule can tell: of what, how often, whether it is denied, done, impossible, or takes something back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from knowledge.recall.glossary import meanings
from knowledge.recall.terms import SOUND_MARK, Word, words

_CANNOT = re.compile(
    r"\b(?:cannot|can not|can't|impossible|unable|not possible|not able|blocked|forbidden|fails? with|no way to)\b"
    r"|불가|[을를]?\s*수\s*(?:가\s*)?없|못\s*(?:한|하|읽|쓰|찍|바꾸|한다)|지\s*못|안\s*(?:된다|됨|돼|되)|막혔|막혀|막힌|막는다|막았|거부|실패한다|실패했",
    re.IGNORECASE,
)
_NOT_SO = re.compile(r"것[이은]\s*아니|\bnot (?:blocked|impossible|forbidden)\b", re.IGNORECASE)
"""What looks impossible and is not."""
_DENIED = re.compile(
    r"\b(?:not|never|no longer|doesn't|don't|didn't|isn't|aren't|won't|without|any more|anymore)\b"
    r"|지\s*않|지\s*못|없이|없다|없음|아니|제외|금지|안\s*(?:한다|하고|된다)",
    re.IGNORECASE,
)
_DONE = re.compile(
    r"\b(?:done|passed|passes|succeeded|works|worked|can|completed|now has)\b"
    r"|성공|통과|완료|[했었았됐왔켰봤찍]다\b|수\s*있다|된다\b|가능",
    re.IGNORECASE,
)
_TAKES_BACK = re.compile(
    r"\b(?:correction|no longer|any more|anymore|was wrong|instead of|now|since|moved|raised|lowered|reduced|today|these days)\b"
    r"|정정|틀렸|더 이상|이제|바꿨|바뀌|부터는?|줄였|늘렸|옮겼|아니다|아니라|켰다|껐다|어제|오늘",
    re.IGNORECASE,
)
_ON = re.compile(r"\b(?:on|enabled|true|included|allowed)\b|켜져|켰|켜다|켠다|포함|허용|활성", re.IGNORECASE)
_OFF = re.compile(r"\b(?:off|disabled|false|excluded|denied)\b|꺼져|껐|끈다|제외|차단|비활성", re.IGNORECASE)
_NUMBER = re.compile(r"(?<![A-Za-z0-9_#.-])(\d[\d,.]*)(?![\da-f]*[a-f]\d)\s*(%|[a-zA-Z]+|[가-힣]+)?")
_UNITS = {
    "s": "second", "sec": "second", "secs": "second", "second": "second", "seconds": "second", "초": "second",
    "m": "minute", "min": "minute", "mins": "minute", "minute": "minute", "minutes": "minute", "분": "minute",
    "h": "hour", "hour": "hour", "hours": "hour", "시간": "hour", "d": "day", "day": "day", "days": "day", "일": "day", "퍼센트": "percent",
    "%": "percent", "percent": "percent", "회": "times", "번": "times", "times": "times", "대": "machine", "개": "piece", "ms": "millisecond",
}  # fmt: skip
_TIME = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400, "millisecond": 0.001}
_EMPTY_WORDS = """
    the a an and or of to in on for from is are was were be been with when that this it as by if at has have had do does did not so we i you now
    then than also only just every any some all its can will would should must may never no without cannot
    하다 한다 했다 된다 됐다 있다 없다 이다 것 수 때 때문 그 이 더 중 및
"""
_EMPTY = frozenset(_EMPTY_WORDS.split())


@dataclass(frozen=True, slots=True)
class Saying:
    """One sentence. ideas: for each word of weight the terms that any other way of saying it has; names: words that name one thing, not a kind."""

    text: str
    ideas: tuple[frozenset[str], ...]
    names: frozenset[str]
    numbers: frozenset[tuple[float, str]]
    is_cannot: bool
    is_denied: bool
    is_done: bool
    takes_back: bool
    switch: str
    """ "on", "off" or "". """


@lru_cache(4_096)
def read_saying(sentence: str) -> Saying:
    """What a sentence says."""
    said = [word for word in words(sentence) if word.text not in _EMPTY and not word.text.isdigit()]
    forms: dict[int, set[str]] = {}
    for (start, end), others in meanings(said):
        if end - start == 1:
            forms.setdefault(start, set()).update(term for form in others if len(form) == 1 for term in form)
    ideas = tuple(frozenset((*_terms(word), *forms.get(place, ()))) for place, word in enumerate(said))
    is_on, is_off = bool(_ON.search(sentence)), bool(_OFF.search(sentence))
    return Saying(
        sentence,
        ideas,
        frozenset(_names(sentence)),
        frozenset(_numbers(sentence)),
        bool(_CANNOT.search(sentence)) and not _NOT_SO.search(sentence),
        bool(_DENIED.search(sentence)),
        bool(_DONE.search(sentence)),
        bool(_TAKES_BACK.search(sentence)),
        "" if is_on == is_off else "on" if is_on else "off",
    )


def _terms(word: Word) -> set[str]:
    found = {*word.parts, *word.whole}
    if len(word.sound) > 3:
        found.add(SOUND_MARK + word.sound)
    return found


_NAME = re.compile(r"\b[A-Z][a-zA-Z]{2,}\b|\b[a-z]+[A-Z]\w+|\b\w+_\w+|\b[a-z]+\.[a-z]+\b")


def _names(sentence: str) -> set[str]:
    """What is written as a name: services, identifiers, files; the word at the head of an English sentence aside."""
    return {match[0].lower() for match in _NAME.finditer(sentence) if not _opens(match, sentence)} - _EMPTY


def _opens(match: re.Match[str], sentence: str) -> bool:
    """Whether a capital is only that of a sentence's first word."""
    return not match.start() and match[0].istitle() and re.match(r"\s+[a-z]", sentence[match.end() :]) is not None


def _numbers(sentence: str) -> set[tuple[float, str]]:
    found = set()
    for digits, unit in _NUMBER.findall(sentence):
        text = digits.strip(".,").replace(",", "")
        if text.count(".") > 1 or not text:
            continue
        kind = _UNITS.get(unit.lower()) or next((known for form, known in _UNITS.items() if unit.startswith(form) and not form.isascii()), "")
        value = float(text)
        found.add((value * _TIME[kind], "time") if kind in _TIME else (value, kind))
    return found
