"""The ways, in English and Korean, to say exactly what a predicate says: one row a phrasing.

Marks in a pattern: <s> the subject, <o> the object, <sp> and <op> where these are modules, <m> a list of names, <v> a value, <sig> a parameter list,
<t> a type, <a> a parameter, <the> "the", <pkg> "in the package". Korean: <은> topic or subject, <을> object, <다> the copula. The more telling ones
come first, for the first that fits is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

NAME = r"`?(?:[^\s`,;{}]+::(?:<module>|[^\s`,;{}()'\"<>]*[\w$\]])|[^\W\d][\w$]*(?:[./-]+[\w$]+)*)(?:\(\))?`?"
PATH = r"`?[@\w.$/\\()\[\]+:~-]*[\w$\])/]`?"
_LIST = r"[^;!?]+?"
_IMPORT = r"(?:import|임포트|가져오기|참조)\s*"
_CALL = r"(?:호출|콜)\s*"
_NOT = r"(?:하지|되지)\s*(?:않는다|않습니다|않음|않고 있다|못한다)"
_DOES = r"(?:한다|합니다|함|하고 있다)"
_IS_DONE = r"(?:된다|됩니다|됨|한다|합니다|되고 있다)"
_ADVERB = r"(?:현재|지금|오직|항상|실제로)?\s*"
_CALLED = r"(?:ever )?(?:called|invoked)"
_ONLY = r"(?:only|exclusively|solely)"
_BY = r"(?:from within|from inside|from|by|in|inside|within)"

_MARKS = {
    "<s>": f"(?P<s>{NAME})", "<sp>": f"(?P<s>{PATH})", "<o>": f"(?P<o>{NAME})", "<op>": f"(?P<o>{PATH})", "<m>": f"(?P<m>{_LIST})",
    "<v>": r"(?P<v>.+?)", "<sig>": r"`?(?P<v>\(.*\)(?:\s*(?:->|=>|:)\s*.+?)?)`?", "<a>": r"`?(?P<a>[*\w$]+)`?", "<t>": r"(?P<v>.+?)",
    "<the>": r"(?:the |an? )?", "<pkg>": r"(?: (?:in|within|of) (?:the|this) (?:package|project|code ?base|repository)| anywhere)?",
    "<은>": r"\s*(?:은|는|이|가)", "<을>": r"\s*(?:을|를)", "<다>": r"\s*(?:이다|입니다|이에요|예요|다|임)?",
}  # fmt: skip
_MARK = re.compile("|".join(re.escape(mark) for mark in _MARKS))


@dataclass(frozen=True)
class Phrasing:
    """A way to say a relation. Groups of the pattern: s subject, o object, m members, v value, a parameter."""

    relation: str
    written: str
    is_negated: bool = False

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Compiled when it is first tried: most sentences are no kin of most rows."""
        filled = _MARK.sub(lambda mark: _MARKS[mark[0]], self.written)
        return re.compile(filled + r"\s*[.!。]?\Z", re.IGNORECASE)


_SIGNS = {
    "called_only_by": "call invok 호출 콜", "calls": "call invok 호출 콜 부르 부른 부릅", "signature": "(", "tests": "test exercis cover 테스트 검증",
    "inherits": "inherit extend class derive 상속 클래스", "subclasses_exactly": "inherit extend class derive 상속 클래스", "default": "default 기본",
    "raises": "raise throw 던 발생 일으", "never_returns_value": "return 반환", "returns_type": "return 반환 리턴",
    "imported_only_by": "import 임포트 가져오기 참조", "imports": "import 임포트 가져오기 참조",
    "defined_in": "define declared located implemented lives definition 정의 선언 구현 있", "value": "is equal = has value 은 는 이 가",
}  # fmt: skip
"""relation → parts of words of which every sentence of its rows has one."""


def phrasings_for(text: str) -> Iterator[Phrasing]:
    """The rows that may fit a text, in their order."""
    lower = text.lower()
    fitting = {relation for relation, signs in _SIGNS.items() if any(sign in lower for sign in signs.split())}
    return (one for one in PHRASINGS if one.relation in fitting)


def _rows(relation: str, *patterns: str, is_negated: bool = False) -> tuple[Phrasing, ...]:
    return tuple(Phrasing(relation, pattern, is_negated) for pattern in patterns)


PHRASINGS: tuple[Phrasing, ...] = (
    *_rows(
        "called_only_by",
        rf"<s> is {_ONLY} {_CALLED} {_BY} <m><pkg>",
        rf"<s> is {_CALLED} {_ONLY} {_BY} <m><pkg>",
        rf"{_ONLY} <m> (?:calls?|invokes?) <s><pkg>",
        r"(?:nothing|nobody|no one|no code|no function)(?: else)?<pkg> (?:calls|invokes) <s><pkg>",
        r"<s> (?:is never (?:called|invoked)|has no callers?|is not (?:called|invoked)(?: by anything)?|is called (?:by nothing|nowhere))<pkg>",
        r"there (?:are no calls|is no call) (?:to|of) <s><pkg>",
        r"the only callers? of <s><pkg> (?:is|are) <m>",
        r"<s>(?:'s|’s) only callers? (?:is|are) <m>",
        r"<m> (?:is|are) the only callers? of <s><pkg>",
        r"(?:all |the )?callers of <s><pkg> are (?:exactly |only )?<m>",
        r"<s> has (?:exactly |only )?one caller[:,] <m>",
        rf"<s><은> {_ADVERB}<m>\s*에서만 {_CALL}{_IS_DONE}",
        rf"<s><은> {_ADVERB}<m>\s*만\s*(?:이\s*)?{_CALL}{_IS_DONE}",
        rf"{_ADVERB}<m>만\s*(?:이\s*)?<s><을> {_CALL}{_DOES}",
        rf"(?:아무도|아무 데서도|어디에서도|어디서도|아무것도) <s><을> {_CALL}{_NOT}",
        rf"<s><은> (?:아무 데서도|어디에서도|어디서도|전혀) {_CALL}{_NOT}",
        rf"<s><을> {_CALL}하는 (?:곳|코드|함수)(?:은|이|는|가) (?:없다|없습니다|없음)",
        rf"<s><을> {_CALL}하는 (?:곳|코드|함수)(?:은|이|는|가) <m>\s*(?:뿐|밖에 없다)<다>",
        r"<s>의 (?:유일한 )?(?:호출자|호출부)(?:은|는|이|가) <m>\s*(?:뿐)?<다>",
    ),
    *_rows("calls", r"<s> (?:does not|doesn't|never) (?:calls?|invokes?) <o>", rf"<s><은> <o><을> {_CALL}{_NOT}", is_negated=True),
    *_rows(
        "calls",
        r"<s> (?:directly )?(?:calls|invokes)(?: directly)? <o>",
        r"there is a call (?:to|of) <o> in <s>",
        rf"<s>(?:<은>|에서) <o><을> (?:직접 )?{_CALL}{_DOES}",
        r"<s><은> <o><을> (?:부른다|부릅니다)",
    ),
    *_rows("calls", r"<o> is (?:called|invoked) (?:from|by) <s>", rf"<o><은> <s>에서 {_CALL}{_IS_DONE}"),
    *_rows(
        "signature",
        r"<the>signature of <s> (?:is|reads) <sig>",
        r"<s> (?:takes|accepts|has <the>(?:signature|parameters)) <sig>",
        r"<s>(?:'s|’s) signature is <sig>",
        r"<s> is declared (?:as|with) <sig>",
        r"<s>\s*의 (?:시그니처|시그너처|서명)(?:는|은|가) <sig><다>",
        r"<s><은> <sig>\s*(?:를|을) (?:받는다|받습니다)",
    ),
    *_rows(
        "inherits",
        r"(?:class )?<s> (?:does not|doesn't) (?:inherit from|extend|subclass|derive from) <o>",
        r"(?:클래스 )?<s><은> <o><을> 상속하지 (?:않는다|않습니다)",
        is_negated=True,
    ),
    *_rows(
        "inherits",
        r"<the>(?:class )?<s> (?:directly )?(?:inherits(?: directly)? from|extends|subclasses|derives(?: directly)? from) <the>(?:class )?<o>",
        r"<the>(?:class )?<s> is <the>(?:direct )?(?:subclass|child class|child) of <o>",
        r"<the>(?:class )?<o> is <the>(?:direct )?(?:base class|base|superclass|super class|parent class) of <s>",
        r"<the>(?:direct )?(?:base class|base|superclass|parent class) of <s> is <o>",
        r"(?:클래스 )?<s><은> <o><을> (?:직접 )?상속\s*(?:한다|합니다|받는다|받습니다)",
        r"(?:클래스 )?<s><은> <o>의 (?:직접적인 |직접 )?(?:하위|자식|서브)\s*클래스<다>",
        r"(?:클래스 )?<s>의 (?:상위|부모|기반|기본)\s*클래스(?:는|은|가) <o>(?:이다|입니다|이에요|예요|다)",
    ),
    *_rows(
        "subclasses_exactly",
        r"<the>(?:only )?(?:direct )?subclass(?:es)? of <s><pkg> (?:are|is) (?:exactly |only )?<m>",
        rf"{_ONLY} <m> (?:inherits?|extends?|derives?|subclass(?:es)?) (?:directly )?(?:from )?<s><pkg>",
        r"<m> (?:is|are) the only (?:direct )?subclass(?:es)? of <s><pkg>",
        r"<s> has no (?:direct )?subclass(?:es)?<pkg>",
        r"<s> is (?:never subclassed|not subclassed)<pkg>",
        rf"<s> is {_ONLY} subclassed by <m><pkg>",
        r"(?:nothing|no class)<pkg> (?:inherits|extends|derives|subclasses) (?:directly )?(?:from )?<s><pkg>",
        r"<s>\s*의 (?:직접 )?(?:하위|자식|서브)\s*클래스(?:는|은|가) (?:없다|없습니다)",
        r"<s>\s*의 (?:직접 )?(?:하위|자식|서브)\s*클래스(?:는|은) <m>\s*(?:뿐|전부)<다>",
        r"<s><을> 상속(?:하는|받는) 클래스(?:는|은|가) (?:없다|없습니다)",
        r"<s><을> 상속(?:하는|받는) 클래스(?:는|은) <m>\s*(?:뿐|전부)<다>",
    ),
    *_rows(
        "default",
        r"<the>default (?:value )?(?:of|for) <the>(?:parameter |argument |keyword )?<a> (?:of|in) <s> is <v>",
        r"<the>(?:parameter |argument )?<a> (?:of|in) <s> (?:defaults to|is by default|has the default) <v>",
        r"in <s>,? <the>(?:parameter |argument )?<a> defaults to <v>",
        r"<s>(?:'s|’s) (?:parameter |argument )?<a> (?:parameter |argument )?defaults to <v>",
        r"<s>\s*의 (?:매개변수|파라미터|인자|인수)?\s*<a>\s*의 기본\s*값(?:은|이) <v><다>",
        r"<s>에서 (?:매개변수|파라미터|인자|인수)?\s*<a>\s*의 기본\s*값(?:은|이) <v><다>",
    ),
    *_rows(
        "raises",
        r"<s> (?:does not|doesn't|never) (?:raises?|throws?) <the><o>",
        r"<s><은> <o><을> (?:발생시키지|던지지|일으키지) (?:않는다|않습니다)",
        is_negated=True,
    ),
    *_rows(
        "raises",
        r"<s> (?:may |can )?(?:raises?|throws?) <the>(?:new )?<o>(?: exceptions?| errors?)?",
        r"<the><o> is (?:raised|thrown) (?:in|by|from) <s>",
        r"<s>(?:<은>|에서) <o><을> (?:발생시킨다|발생시킵니다|던진다|던집니다|일으킨다|일으킵니다|raise\s*한다)",
        r"<s>에서 <o>(?:이|가) 발생\s*(?:한다|합니다)",
    ),
    *_rows(
        "never_returns_value",
        r"<s> (?:never returns|does not return|doesn't return) (?:a value|any value|anything)",
        r"<s> (?:returns nothing|has no return value)",
        r"<s><은> (?:절대 |결코 |아무 )?(?:값을|값도|아무것도) 반환하지 (?:않는다|않습니다)",
        r"<s><은> 반환\s*값(?:이|은) (?:없다|없습니다)",
    ),
    *_rows(
        "returns_type",
        r"<s> is (?:declared|annotated|typed) (?:to return|as returning) <t>",
        r"<the>(?:declared |annotated )?return (?:type|annotation) of <s> is <t>",
        r"<s>(?:'s|’s) (?:declared |annotated )?return (?:type|annotation) is <t>",
        r"<s> has <the>(?:declared )?return (?:type|annotation) <t>",
        r"<s>\s*의 (?:반환|리턴) (?:타입|형|형식)(?:은|는|이|가) <t>(?:이다|입니다|로 선언되어 있다|다)",
    ),
    *_rows(
        "imported_only_by",
        rf"{_ONLY} <m> imports?(?:\(s\))? (?:the (?:outside |external )?module )?<op><pkg>",
        rf"<op> is (?:{_ONLY} imported|imported {_ONLY}) {_BY} <m><pkg>",
        r"(?:no module|nobody|nothing|no file|no code)<pkg> imports (?:the (?:outside |external )?module )?<op><pkg>",
        r"<op> is (?:never imported|not imported|imported nowhere|imported by nothing)<pkg>",
        r"the only importers? of <op><pkg> (?:is|are) <m>",
        r"<m> (?:is|are) the only importers? of <op><pkg>",
        r"<op> has no importers?<pkg>",
        rf"<op><은> {_ADVERB}<m>\s*에서만 {_IMPORT}{_IS_DONE}",
        rf"{_ADVERB}<m>만\s*(?:이\s*)?<op><을> {_IMPORT}{_DOES}",
        rf"<op><을> {_IMPORT}하는 (?:모듈|파일|곳|코드)(?:은|이|는|가) (?:없다|없습니다|없음)",
        rf"<op><을> {_IMPORT}하는 (?:모듈|파일|곳|코드)(?:은|는) <m>\s*(?:뿐|전부)<다>",
        rf"(?:아무도|아무 데서도|어디에서도|어디서도) <op><을> {_IMPORT}{_NOT}",
        rf"<op><은> (?:아무 데서도|어디에서도|어디서도) {_IMPORT}{_NOT}",
    ),
    *_rows(
        "imports",
        r"(?:the module )?<sp> (?:does not|doesn't|never) imports? (?:anything from |from )?(?:the module )?<op>",
        rf"<sp><은> <op><을> {_IMPORT}{_NOT}",
        is_negated=True,
    ),
    *_rows(
        "imports",
        r"(?:the module )?<sp> imports (?:something from |from )?(?:the (?:outside |external )?module )?<op>",
        r"<op> is imported (?:by|in) <sp>",
        rf"<sp>(?:<은>|에서) <op><을> {_IMPORT}{_DOES}",
    ),
    *_rows(
        "tests",
        r"(?:the )?(?:unit )?test <s> (?:exercises|tests|covers|calls|runs) <o>",
        r"<o> is (?:exercised|tested|covered) by (?:the )?(?:unit )?(?:test )?<s>",
        r"테스트 <s><은> <o><을> (?:실행|검증|시험|테스트|호출)\s*(?:한다|합니다)",
        r"<o><은> (?:테스트 )?<s>(?:로|으로|에서|에 의해) (?:검증|시험|테스트)\s*(?:된다|됩니다)",
    ),
    *_rows(
        "defined_in",
        r"<s> is (?:defined|declared|located|implemented) in <the>(?:file |module )?<op>",
        r"<s> lives in <op>",
        r"<the>definition of <s> is in <op>",
        r"<op> defines <s>",
        r"<s><은> <op>\s*에 (?:정의|선언|구현)(?:되어 있다|되어 있습니다|돼 있다|된다|됨)",
        r"<s><은> <op>\s*에 (?:있다|있습니다)",
    ),
    *_rows(
        "value",
        r"<the>(?:value of )?(?:constant )?<s> (?:is|equals|is set to|has the value|=) <v>",
        r"<s>(?:'s|’s) value is <v>",
        r"<s>\s*(?:의 값)?<은> <v><다>",
    ),
)
"""Every phrasing."""
