"""Plain statements, in English and Korean, that say exactly what a predicate says.

One row a phrasing in PHRASINGS: the relation and a pattern. A sentence that matches a row whole says no more than the predicate; one that matches
none is free text, and its identifiers are only looked up (`mentions`). Nothing is guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowledge.claims.everyday_words import FUNCTION_WORDS, is_common

_NAME = r"`?(?:[\w./\\-]+::)?[^\W\d][\w$]*(?:[./-]+[\w$]+)*(?:\(\))?`?"
_PATH = r"`?[\w.$/\\-]+`?"
_LIST = r"[^;!?]+?"
_LITERAL = r"(?:'[^']*'|\"[^\"]*\"|`[^`]*`|-?\d[0-9A-Za-z_.]*|None|True|False|null|true|false|[\[({].*[\])}]|[A-Za-z_][0-9A-Za-z_.]*)"
_TOPIC = r"(?:은|는|이|가)"
_OBJECT = r"(?:을|를)"
_BE = r"(?:이다|입니다|이에요|예요|다)?"
_CALL = r"(?:호출|콜)"
_IMPORT = r"(?:import|임포트|가져오기|참조)\s*"
_NOT = r"(?:하지|되지)\s*(?:않는다|않습니다|않음|못한다)"
_DOES = r"(?:한다|합니다|함|하고 있다)"
_IS_DONE = r"(?:된다|됩니다|됨|한다|합니다)"
_ADVERB = r"(?:현재|지금|오직|항상)?\s*"


@dataclass(frozen=True, slots=True)
class Phrasing:
    """A way to say a relation. Groups of the pattern: s subject, o object, m members, v value, a parameter."""

    relation: str
    pattern: re.Pattern[str]
    is_negated: bool = False


@dataclass(frozen=True, slots=True)
class Said:
    """What a sentence says: names as written, to be looked up in a tree."""

    relation: str
    subject: str
    object: str = ""
    members: tuple[str, ...] = ()
    value: str = ""
    is_negated: bool = False


_MARKS = {
    "<s>": f"(?P<s>{_NAME})", "<sp>": f"(?P<s>{_PATH})", "<o>": f"(?P<o>{_NAME})", "<op>": f"(?P<o>{_PATH})", "<m>": f"(?P<m>{_LIST})",
    "<v>": f"(?P<v>{_LITERAL})", "<sig>": r"(?P<v>\(.*\))", "<a>": r"`?(?P<a>\w+)`?", "<t>": r"(?P<v>.+?)", "<은>": _TOPIC, "<을>": _OBJECT,
    "<다>": _BE,
}  # fmt: skip
_MARK = re.compile("|".join(re.escape(mark) for mark in _MARKS))


def _row(relation: str, pattern: str, *, is_negated: bool = False) -> Phrasing:
    filled = _MARK.sub(lambda mark: _MARKS[mark[0]], pattern)
    return Phrasing(relation, re.compile(filled + r"\s*[.!。]?\Z", re.IGNORECASE), is_negated)


PHRASINGS: tuple[Phrasing, ...] = (
    _row("called_only_by", r"<s> is (?:only|exclusively) called (?:from|by|in|inside) <m>"),
    _row("called_only_by", r"<s> is called (?:only|exclusively|solely) (?:from|by|in|inside) <m>"),
    _row("called_only_by", r"only <m> calls? <s>"),
    _row("called_only_by", r"(?:nothing|nobody|no one|no code)(?: in the package| else)? calls <s>"),
    _row("called_only_by", r"<s> (?:is never called|has no callers|is not called by anything)(?: in the package)?"),
    _row("called_only_by", rf"<s>\s*<은> {_ADVERB}<m>\s*에서만 {_CALL}\s*{_IS_DONE}"),
    _row("called_only_by", rf"<s>\s*<은> {_ADVERB}<m>\s*만\s*(?:이\s*)?{_CALL}\s*{_IS_DONE}"),
    _row("called_only_by", rf"{_ADVERB}<m>만\s*(?:이\s*)?<s>\s*<을> {_CALL}\s*{_DOES}"),
    _row("called_only_by", rf"(?:아무도|아무 데서도|어디에서도|어디서도) <s>\s*<을> {_CALL}{_NOT}"),
    _row("called_only_by", rf"<s>\s*<을> {_CALL}하는 (?:곳|코드|함수)(?:은|이|는|가) 없다"),
    _row("calls", r"<s> (?:does not|doesn't|never) calls? <o>", is_negated=True),
    _row("calls", r"<s> (?:directly )?calls <o>"),
    _row("calls", rf"<s>\s*<은> <o>\s*<을> {_CALL}\s*{_NOT}", is_negated=True),
    _row("calls", rf"<s>\s*<은> <o>\s*<을> (?:직접 )?{_CALL}\s*{_DOES}"),
    _row("signature", r"the signature of <s> is <sig>"),
    _row("signature", r"<s> (?:takes|has the signature|accepts) <sig>"),
    _row("signature", rf"<s>\s*의 (?:시그니처|시그너처|서명)(?:는|은|가) <sig>\s*{_BE}"),
    _row("inherits", r"(?:class )?<s> (?:inherits(?: directly)? from|extends|is a(?: direct)? subclass of|derives from) <o>"),
    _row("inherits", r"(?:클래스 )?<s>\s*<은> <o>\s*<을> (?:직접 )?상속\s*(?:한다|합니다|받는다|받습니다)"),
    _row("subclasses_exactly", r"the (?:direct )?subclasses of <s>(?: in the package)? are (?:exactly |only )?<m>"),
    _row("subclasses_exactly", r"only <m> (?:inherits?|extends?|derives?) (?:directly )?(?:from )?<s>"),
    _row("subclasses_exactly", r"<s>\s*의 (?:직접 )?(?:하위|자식|서브)\s*클래스(?:는|은) <m>\s*(?:뿐|전부)\s*<다>"),
    _row("default", r"the default (?:value )?of (?:the )?(?:parameter |argument )?<a> (?:of|in) <s> is <v>"),
    _row("default", r"<s>\s*의 (?:매개변수|파라미터|인자|인수)?\s*<a>\s*의 기본\s*값(?:은|이) <v>\s*<다>"),
    _row("raises", r"<s> (?:raises|throws) (?:an? )?<o>"),
    _row("raises", r"<s>\s*<은> <o>\s*<을> (?:발생시킨다|발생시킵니다|던진다|던집니다|일으킨다|raise\s*한다)"),
    _row("never_returns_value", r"<s> never returns a value"),
    _row("never_returns_value", r"<s>\s*<은> (?:절대 |결코 )?값을 반환하지 (?:않는다|않습니다)"),
    _row("returns_type", r"<s> is (?:declared|annotated) to return <t>"),
    _row("returns_type", r"<s>\s*의 (?:반환|리턴) (?:타입|형|형식)(?:은|는|이|가) <t>(?:이다|입니다|로 선언되어 있다)"),
    _row("imported_only_by", r"only <m> imports?(?:\(s\))? (?:the outside module |the module )?<op>"),
    _row("imported_only_by", r"<op> is (?:only imported|imported only) (?:by|from|in) <m>"),
    _row("imported_only_by", r"(?:no module(?: of the package)?|nobody|nothing|no file)(?: in the package)? imports <op>"),
    _row("imported_only_by", rf"<op>\s*<은> {_ADVERB}<m>\s*에서만 {_IMPORT}{_IS_DONE}"),
    _row("imported_only_by", rf"{_ADVERB}<m>만\s*<op>\s*<을> {_IMPORT}{_DOES}"),
    _row("imported_only_by", rf"<op>\s*<을> {_IMPORT}하는 (?:모듈|파일|곳)(?:은|이|는|가) 없다"),
    _row("imported_only_by", rf"아무도 <op>\s*<을> {_IMPORT}{_NOT}"),
    _row("imports", r"<sp> (?:does not|doesn't|never) imports? <op>", is_negated=True),
    _row("imports", r"<sp> imports <op>"),
    _row("imports", rf"<sp>\s*<은> <op>\s*<을> {_IMPORT}{_NOT}", is_negated=True),
    _row("imports", rf"<sp>\s*<은> <op>\s*<을> {_IMPORT}{_DOES}"),
    _row("tests", r"(?:the )?test <s> (?:exercises|tests|covers) <o>"),
    _row("tests", r"테스트 <s>\s*<은> <o>\s*<을> (?:실행|검증|시험|테스트)\s*(?:한다|합니다)"),
    _row("defined_in", r"<s> is defined in <op>"),
    _row("defined_in", r"<s>\s*<은> <op>\s*에 정의(?:되어 있다|되어 있습니다|돼 있다|된다|됨)"),
    _row("value", r"(?:the value of )?<s> (?:is|equals|is set to) <v>"),
    _row("value", r"<s>\s*(?:의 값)?\s*<은> <v>\s*<다>"),
)
"""Every phrasing, the more telling ones first."""

_NOBODY = re.compile(r"(?:\{\}|nothing|nobody|none|no one|nowhere|없음|없다|아무것도)\Z", re.IGNORECASE)


def understand(sentence: str) -> Said | None:
    """What the sentence says, when it says exactly what a predicate says; else None."""
    text = " ".join(sentence.split())
    for phrasing in PHRASINGS:
        found = phrasing.pattern.match(text)
        if found is None:
            continue
        groups = found.groupdict()
        said = _said(phrasing, groups)
        if said is not None:
            return said
    return None


def _said(phrasing: Phrasing, groups: dict[str, str | None]) -> Said | None:
    subject, target, members = groups.get("s") or "", groups.get("o") or "", groups.get("m")
    if phrasing.relation == "imported_only_by":
        subject, target = target, ""
    listed = names_in(members) if members is not None and not _NOBODY.match(members.strip()) else ()
    if members is not None and not listed and not _NOBODY.match(members.strip()):
        return None
    value = (groups.get("v") or "").strip("`")
    if phrasing.relation == "default":
        target = groups.get("a") or ""
    return Said(phrasing.relation, clean(subject), clean(target), listed, value, phrasing.is_negated)


def names_in(text: str) -> tuple[str, ...]:
    """The names of a list: `{a, b}`, `a and b`, `a와 b`, `a, b 그리고 c`; () where something else stands between them."""
    inner = text.strip().strip("{}[]")
    parts = re.split(r"\s*,\s*(?:and\s+|or\s+|그리고\s+)?|\s+(?:and|or|및|그리고)\s+|(?<=[\w`)])(?:와|과|이랑|랑)\s+", inner)
    names = [clean(p) for p in parts if p.strip()]
    return tuple(names) if all(re.fullmatch(_NAME, n) or re.fullmatch(_PATH, n) for n in names) else ()


def clean(name: str) -> str:
    """A name without back-ticks, call parentheses and a Korean particle that stuck to Latin letters."""
    bare = name.strip().strip("`").removesuffix("()")
    stripped = re.sub(r"(?<=[A-Za-z0-9_$)])(?:에서|으로|로|의|은|는|이|가|을|를|와|과|도|만|에)\Z", "", bare)
    return stripped or bare


_MENTION = re.compile(r"`([^`\n]+)`|((?:[\w.\\-]+/)*[\w.\\-]+::[\w$.]+|(?:[\w.-]+/)+[\w.-]+|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*)", re.ASCII)
_HANGUL = re.compile(r"(?<!\w)_*[가-힣]\w*")
_PARTICLES = ("에서만", "에서", "으로", "에게", "까지", "부터", "은", "는", "이", "가", "을", "를", "의", "와", "과", "도", "만", "에", "로")
_PLAIN = re.compile(r"[a-z]+|[가-힣]+")
_SHORTEST_PLAIN = 3


@dataclass(frozen=True, slots=True)
class Mention:
    """A word of a text that may be a name. is_plain: it is written as any word of prose is, so it counts only where it can mean one thing alone."""

    name: str
    is_plain: bool = False


def mentions(statement: str) -> tuple[Mention, ...]:
    """Everything in the text that may be an identifier or a path, in order, without repeats; Korean words with and without their particle.

    Everyday English is left out, unless it stands in back-ticks or before call parentheses.
    """
    found: dict[str, Mention] = {}
    for match in _MENTION.finditer(statement):
        name = (match[1] or match[2]).strip().removesuffix("()").rstrip(".")
        is_marked = match[1] is not None or statement.startswith("(", match.end())
        if not name.strip("_") or (not is_marked and _is_prose(name)):
            continue
        is_plain = not is_marked and bool(_PLAIN.fullmatch(name))
        if name not in found or not is_plain:
            found[name] = Mention(name, is_plain)
    for match in _HANGUL.finditer(statement):
        word = match[0]
        stem = next((word.removesuffix(p) for p in _PARTICLES if word.endswith(p) and len(word) > len(p)), word)
        for name in dict.fromkeys((word, stem)):
            if name not in _PARTICLES:
                found.setdefault(name, Mention(name, bool(_PLAIN.fullmatch(name))))
    return tuple(found.values())


def _is_prose(name: str) -> bool:
    """Whether a word that is not marked as a name is none: a short or everyday word, or `The`, `When`, `A` with the capital of a sentence's start."""
    if name in ("e.g", "i.e") or (name.istitle() and name.lower() in FUNCTION_WORDS):
        return True
    return bool(_PLAIN.fullmatch(name)) and (len(name) < _SHORTEST_PLAIN or is_common(name))


_ORDER = re.compile(r"\b(?:after|before|until|once|first|then)\b|(?:뒤에|후에|전에|다음에|이후|이전)", re.IGNORECASE)
_ONLY_CALLED = re.compile(r"\b(?:only|exclusively) called\b|\bcalled only\b|에서만 호출|뒤에만 호출|후에만 호출|때만 호출", re.IGNORECASE)


def says_only_called(statement: str) -> bool:
    """Whether the text says that something is called only somewhere or some time."""
    return bool(_ONLY_CALLED.search(statement))


def says_order(statement: str) -> bool:
    """Whether the text speaks of an order in time, which no graph of calls can show."""
    return bool(_ORDER.search(statement))
