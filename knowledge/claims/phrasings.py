"""The ways, in English and Korean, to say exactly what a predicate says: one row a phrasing.

Marks in a pattern: <s> the subject, <o> the object, <sp> and <op> where these are modules, <f> a file, each with or without a word for what it
is ("the function f", "f 함수"), <m> a list of names, <v> a value, <sig> a parameter list, <t> a type, <a> a parameter, <the> "the", <pkg> "in the
package", <none> nobody, <but> but for. Korean: <은> topic or subject, <을> object, <다> the copula. The more telling ones come first: the first
that fits is taken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

NAME = r"`?(?:[^\s`,;{}]+::(?:<module>|[^\s`,;{}()'\"<>]*[\w$\]])|[^\W\d][\w$]*(?:[./-]+#?[\w$]+)*)(?:\(\))?`?"
PATH = r"`?[@\w.$/\\()\[\]+:~-]*[\w$\])/]`?"
_LIST = r"[^;!?]+?"
_IMPORT = r"(?:import|임포트|가져오기|참조)\s*"
_CALL = r"(?:호출|콜)\s*"
_CALLING = r"(?:(?:호출|콜)\s*하는|부르는)"
_IMPORTING = rf"(?:{_IMPORT}하는|가져오는)"
_NOT = r"(?:하지|되지)\s*(?:않는다|않습니다|않고 있다|못한다)"
_NEVER = r"(?:(?:절대로?|결코|전혀) )?"
_DOES = r"(?:한다|합니다|하고 있다)"
_IS_DONE = r"(?:된다|됩니다|한다|합니다|되고 있다)"
_DO_CALL = rf"(?:{_CALL}{_DOES}|부른다|부릅니다)"
_DO_NOT_CALL = (
    rf"(?:{_NEVER}(?:{_CALL}{_NOT}|부르지\s*(?:않는다|않습니다))|{_CALL}안\s*(?:한다|합니다)|안\s*(?:{_CALL}(?:한다|합니다)|부른다|부릅니다))"
)
_IS_CALLED = rf"(?:{_CALL}{_IS_DONE}|불린다|불립니다)"
_IS_NOT_CALLED = (
    rf"(?:{_NEVER}(?:{_CALL}되지|불리지)\s*(?:않는다|않습니다)|{_CALL}안\s*(?:된다|됩니다)|안\s*(?:{_CALL}(?:된다|됩니다)|불린다|불립니다))"
)
_ABSENT = r"(?:없다|없습니다)"
_IS = r"(?:이다|입니다|이에요|예요|이야|야|다)"
_ADVERB = r"(?:현재|지금|오직|항상|실제로)?\s*"
_CALLED = r"(?:ever )?(?:called|invoked)"
_ONLY = r"(?:only|exclusively|solely)"
_SOLE = r"(?:only|sole)"
_BY = r"(?:from within|from inside|from|by|in|inside|within)"
_KIND = (
    r"(?:(?:the |an? )?(?:function|method|coroutine|class|interface|constant|variable|exception|(?:outside |external )?module|file) "
    r"|(?:함수|메서드|메소드|클래스|상수|변수|(?:외부 )?모듈|파일) )?"
)
_KIND_AFTER = r"(?: (?:function|method|class|constant|함수|메서드|메소드|클래스|상수|예외|모듈|파일))?"

_MARKS = {
    "<s>": f"{_KIND}(?P<s>{NAME}){_KIND_AFTER}", "<sp>": f"{_KIND}(?P<s>{PATH}){_KIND_AFTER}", "<o>": f"{_KIND}(?P<o>{NAME}){_KIND_AFTER}",
    "<f>": r"(?:the file |파일 )?(?P<f>`?[\w$/-]*\.[\w$./-]*\w`?)",
    "<op>": f"{_KIND}(?P<o>{PATH}){_KIND_AFTER}", "<m>": f"(?P<m>{_LIST})", "<v>": r"(?P<v>.+?)", "<t>": r"(?P<v>.+?)",
    "<sig>": r"`?(?P<v>\(.*\)(?:\s*(?:->|=>|:)\s*.+?)?)`?",
    "<a>": r"(?:(?:the )?(?:(?:parameter|argument|keyword) )?|(?:매개변수|파라미터|인자|인수)\s*)"
    r"`?(?P<a>[*\w$]+)`?(?: (?:parameter|argument)| (?:매개변수|파라미터|인자|인수))?",
    "<the>": r"(?:the |an? )?", "<pkg>": r"(?: (?:in|within|of) (?:the|this) (?:package|project|code ?base|repository)| anywhere)?",
    "<none>": r"(?:nothing|nobody|no one|no (?:code|function|method|class|module|file))",
    "<but>": r"(?:but|except|except for|other than|besides|apart from)",
    "<은>": r"\s*(?:은|는|이|가)", "<을>": r"\s*(?:을|를)", "<다>": r"\s*(?:이다|입니다|이에요|예요|이야|야|다|임)?",
    "<안에서>": r"(?:(?:이 )?(?:패키지|프로젝트|저장소)(?: 안| 내)?(?:에서|의)? )?",
    "<외에는>": r"\s*(?:외에는|외에|이외에는|말고는|를 제외하고는|을 제외하고는)",
    "<아무도>": r"(?:아무도|아무 데서도|어디에서도|어디서도|아무것도|어떤 (?:함수|코드|모듈|파일|클래스)도)",
}  # fmt: skip
_MARK = re.compile("|".join(re.escape(mark) for mark in _MARKS))
_ENDINGS = {
    "한다|합니다": "해요?|함", "된다|됩니다": "돼요?|됨", "않는다|않습니다": "않아요?|않음", "있다|있습니다": "있어요?|있음",
    "받는다|받습니다": "받아요?|받음", "던진다|던집니다": "던져요?|던짐", "일으킨다|일으킵니다": "일으켜요?|일으킴",
    "발생시킨다|발생시킵니다": "발생시켜요?|발생시킴", "가져온다|가져옵니다": "가져와요?|가져옴", "다룬다|다룹니다": "다뤄요?|다룸",
    "부른다|부릅니다": "불러요?|부름", "불린다|불립니다": "불려요?|불림", "없다|없습니다": "없어요?|없음", "아니다|아닙니다": "아니야|아니에요|아님",
}  # fmt: skip
"""A verb's plain and formal ending, as rows write them → its familiar, polite and noted endings, which say the same."""


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
        for ending, others in _ENDINGS.items():
            filled = filled.replace(ending, f"{ending}|{others}")
        return re.compile(filled + r"\s*[.!。]?\Z", re.IGNORECASE)


_SIGNS = {
    "called_only_by": "call invok 호출 콜 부르 부른 부릅 불러 부름 불린 불립 불려 불리 불림",
    "calls": "call invok 호출 콜 부르 부른 부릅 불러 부름 불린 불립 불려 불리 불림", "signature": "(",
    "tests": "test exercis cover 테스트 검증",
    "inherits": "inherit extend class derive parent 상속 클래스 확장",
    "subclasses_exactly": "inherit extend class derive 상속 클래스", "default": "default 기본",
    "raises": "raise throw 던 발생 일으",
    "never_returns_value": "return 반환 리턴", "returns_type": "return 반환 리턴",
    "imported_only_by": "import 임포트 가져 참조", "imports": "import 임포트 가져 참조",
    "defined_in": "define declared located implemented lives definition found is 정의 선언 구현 있", "value": "is equal = has value 은 는 이 가",
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
        rf"<s> is {_CALLED} {_BY} <m>,? and (?:by |from )?(?:<none>|nowhere) else<pkg>",
        rf"{_ONLY} <m> (?:ever )?(?:calls?|invokes?) <s><pkg>",
        r"<none>(?: else)?<pkg> (?:ever )?(?:calls|invokes) <s><pkg>",
        r"<none>(?: else)?<pkg> <but> <m> (?:ever )?(?:calls?|invokes?) <s><pkg>",
        r"<s> (?:has no callers?|is called (?:by nothing|nowhere))<pkg>",
        r"<s> (?:is never|is not|isn't) (?:called|invoked)(?: by anything)?<pkg>",
        r"there (?:are no calls|is no call) (?:to|of) <s><pkg>",
        r"there (?:are no callers|is no caller) of <s><pkg>",
        rf"the {_SOLE} callers? of <s><pkg> (?:is|are) <m>",
        rf"<s>(?:'s|’s) {_SOLE} callers? (?:is|are) <m>",
        rf"<m> (?:is|are) the {_SOLE} callers? of <s><pkg>",
        r"(?:all |the )?callers of <s><pkg> are (?:exactly |only )?<m>",
        r"<s> has (?:exactly |only )?one caller[:,] <m>",
        rf"<s><은> {_ADVERB}<m>\s*에서만 {_IS_CALLED}",
        rf"<s><은> {_ADVERB}<m>\s*만\s*(?:이\s*)?{_CALL}{_IS_DONE}",
        rf"<s><은> <m>\s*(?:이외의|외의|외에 다른) (?:곳|코드|함수)에서는?\s*{_CALL}되지 (?:않는다|않습니다)",
        rf"{_ADVERB}<m>만\s*(?:이\s*)?<s><을> {_DO_CALL}",
        rf"{_ADVERB}<m>\s*에서만 <s><을> {_DO_CALL}",
        rf"<안에서><아무도> <s><을> {_DO_NOT_CALL}",
        rf"<s>(?:은|는) <안에서><아무도> {_DO_NOT_CALL}",
        rf"<m><외에는> <안에서><아무도> <s><을> {_DO_NOT_CALL}",
        rf"<s><은> <안에서>(?:아무 데서도 |어디에서도 |어디서도 |전혀 )?{_CALL}되지\s*(?:않는다|않습니다)",
        rf"<안에서><s><을> {_CALLING} (?:곳|코드|함수)(?:은|이|는|가) {_ABSENT}",
        rf"<안에서><s><을> {_CALLING} (?:곳|코드|함수|것)(?:은|이|는|가) <m>\s*(?:뿐|밖에 없다)<다>",
        rf"<s>의 호출(?:자|부)(?:은|는|이|가) {_ABSENT}",
        r"<s>의 (?:유일한 )?(?:호출자|호출부)(?:은|는|이|가) <m>\s*(?:뿐)?<다>",
        rf"<m><은> <s>의 유일한 호출자{_IS}",
    ),
    *_rows(
        "calls",
        r"<s> (?:does not|doesn't|never) (?:directly )?(?:calls?|invokes?) <o>(?: directly)?",
        r"<o> (?:is not|isn't|is never) (?:called|invoked) (?:from|by) <s>",
        rf"<s>(?:<은>|(?: 안| 내부)?에서는?) {_NEVER}<o><을> (?:직접 )?{_DO_NOT_CALL}",
        rf"<o><은> <s>(?: 안| 내부)?(?:에서는?|에 의해) {_IS_NOT_CALLED}",
        rf"<o>(?:은|는) <s>(?:이|가) {_DO_NOT_CALL}",
        is_negated=True,
    ),
    *_rows(
        "calls",
        r"<s> (?:directly |internally )?(?:calls|invokes)(?: directly| internally)? <o>",
        r"<s> (?:makes|contains|has) a (?:direct )?call (?:to|of) <o>",
        r"there is a call (?:to|of) <o> in <s>",
        r"(?:inside|in|within) <s>,? <o> is (?:called|invoked)",
        rf"<s>(?:<은>|(?: 안| 내부)?에서) (?:내부적으로 )?<o><을> (?:직접 |내부적으로 )?{_DO_CALL}",
        rf"<s>(?: 안| 내부)?에서 <o><은> {_IS_CALLED}",
        rf"<o>(?:은|는) <s>(?:이|가) (?:직접 )?{_DO_CALL}",
    ),
    *_rows("calls", r"<o> is (?:called|invoked) (?:from|by) <s>", rf"<o><은> <s>(?:에서|에 의해) {_IS_CALLED}"),
    *_rows(
        "signature",
        r"<the>signature of <s> (?:is|reads) <sig>",
        r"<the>(?:parameters|arguments|(?:parameter|argument) list) of <s> (?:is|are) <sig>",
        r"<s> (?:takes|accepts) (?:<the>(?:parameters|arguments) )?<sig>",
        r"<s> has <the>(?:signature|parameters) <sig>",
        r"<s>(?:'s|’s) (?:signature|parameters|arguments|(?:parameter|argument) list) (?:is|are) <sig>",
        r"<s> is (?:declared|defined) (?:as|with) <sig>",
        r"<s>\s*의 (?:시그니처|시그너처|서명|(?:매개변수|파라미터|인자|인수)(?: 목록)?)(?:는|은|가) <sig><다>",
        r"<s><은> (?:(?:인자|인수|매개변수|파라미터)로 )?<sig>\s*(?:를|을) (?:받는다|받습니다)",
    ),
    *_rows(
        "inherits",
        r"<s> (?:does not|doesn't) (?:inherit(?: from)?|extend|subclass|derive from) <o>",
        r"<s> (?:is not|isn't) <the>(?:direct )?subclass of <o>",
        r"<s><은> <o><을> (?:상속하지|상속받지|상속 받지|확장하지) (?:않는다|않습니다)",
        r"<s><은> <o>의 (?:직접적인 |직접 )?(?:하위|자식|서브)\s*클래스가 (?:아니다|아닙니다)",
        is_negated=True,
    ),
    *_rows(
        "inherits",
        r"<the><s> (?:directly )?(?:inherits(?: directly)?(?: from)?|extends|subclasses|derives(?: directly)? from|is derived from) <the><o>",
        r"<the><s> is <the>(?:direct )?(?:subclass|child class|child) of <o>",
        r"<the><o> is <the>(?:direct )?(?:base class|base|superclass|super class|parent class|parent) of <s>",
        r"<the>(?:direct )?(?:base class|base|superclass|parent class) of <s> is <o>",
        r"<s>(?:'s|’s) (?:direct )?(?:base class|base|superclass|parent class) is <o>",
        r"<s> has <o> as (?:its|a) (?:base class|base|superclass|parent class)",
        r"<s><은> <o><을> (?:직접 )?(?:상속|확장)\s*(?:한다|합니다|받는다|받습니다)",
        r"<s><은> <o>의 (?:직접적인 |직접 )?(?:하위|자식|서브)\s*클래스<다>",
        rf"<o><은> <s>의 (?:상위|부모|기반)\s*클래스{_IS}",
        rf"<s>의 (?:상위|부모|기반|기본)\s*클래스(?:는|은|가) <o>{_IS}",
    ),
    *_rows(
        "subclasses_exactly",
        rf"<the>(?:{_SOLE} |all )?(?:direct )?subclass(?:es)? of <s><pkg> (?:are|is) (?:exactly |only )?<m>",
        rf"{_ONLY} <m> (?:inherits?|extends?|derives?|subclass(?:es)?) (?:directly )?(?:from )?<s><pkg>",
        rf"<m> (?:is|are) the {_SOLE} (?:direct )?subclass(?:es)? of <s><pkg>",
        rf"<s>(?:'s|’s) {_SOLE} (?:direct )?subclass(?:es)? (?:is|are) <m>",
        r"<s> has exactly the (?:direct )?subclass(?:es)? <m>",
        r"<s> has no (?:direct )?subclass(?:es)?<pkg>",
        r"<s> is (?:never subclassed|not subclassed)<pkg>",
        rf"<s> is (?:{_ONLY} subclassed|subclassed {_ONLY}) by <m><pkg>",
        r"<s> is subclassed by <m>,? and (?:by )?<none> else<pkg>",
        r"<none><pkg> (?:inherits|extends|derives|subclasses) (?:directly )?(?:from )?<s><pkg>",
        r"<none><pkg> <but> <m> (?:inherits?|extends?|derives?|subclass(?:es)?) (?:directly )?(?:from )?<s><pkg>",
        rf"<s>\s*의 (?:직접 )?(?:하위|자식|서브)\s*클래스(?:는|은|가) {_ABSENT}",
        r"<s>\s*의 (?:직접 )?(?:하위|자식|서브)\s*클래스(?:는|은) <m>\s*(?:뿐|전부)<다>",
        rf"<s>\s*의 (?:유일한 (?:직접 )?(?:하위|자식|서브)\s*클래스(?:는|은)|(?:직접 )?(?:하위|자식|서브)\s*클래스(?:는|은) 정확히) <m>{_IS}",
        rf"<m><은> <s>의 유일한 (?:직접 )?(?:하위|자식|서브)\s*클래스{_IS}",
        rf"{_ADVERB}<m>만\s*(?:이\s*)?<s><을> 상속\s*(?:한다|합니다|받는다|받습니다)",
        r"<아무도> <s><을> 상속(?:하지|받지) (?:않는다|않습니다)",
        rf"<s><을> 상속(?:하는|받는) (?:클래스|것)(?:는|은|가) {_ABSENT}",
        r"<s><을> 상속(?:하는|받는) (?:클래스|것)(?:는|은) <m>\s*(?:뿐|전부)<다>",
    ),
    *_rows(
        "default",
        r"<the>default (?:value )?(?:of|for) <a> (?:of|in) <s> is <v>",
        r"<a> (?:of|in) <s> (?:defaults to|is by default|has the default(?: value)?) <v>",
        r"by default,? <a> (?:of|in) <s> is <v>",
        r"in <s>,? <a> defaults to <v>",
        r"<a> defaults to <v> in <s>",
        r"<s>(?:'s|’s) <a> (?:defaults to|has the default(?: value)?) <v>",
        r"<s>\s*(?:의|에서) <a>\s*(?:의 )?기본\s*값(?:은|이) <v><다>",
        rf"<s>\s*(?:의|에서) <a><은> 기본\s*값이 <v>{_IS}",
        rf"<s>\s*(?:의|에서) <a><은> 기본적으로 <v>{_IS}",
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
        r"<s>(?:<은>|에서) <o><을> (?:던질|일으킬|발생시킬) 수 (?:있다|있습니다)",
        r"<s>에서 <o>(?:이|가) 발생\s*(?:한다|합니다)",
    ),
    *_rows(
        "never_returns_value",
        r"<s> (?:never returns|does not return|doesn't return) (?:a value|any value|anything)",
        r"<s> (?:returns nothing|returns no value|has no return value)",
        r"<s><은> (?:절대 |결코 |아무 )?(?:값을|값도|아무것도) (?:반환|리턴)하지 (?:않는다|않습니다)",
        rf"<s><은> (?:반환\s*|반환하는 )값(?:이|은) {_ABSENT}",
        rf"<s>의 반환\s*값(?:이|은) {_ABSENT}",
    ),
    *_rows(
        "returns_type",
        r"<s> is (?:declared|annotated|typed) (?:to return|as returning|with (?:the )?return type) <t>",
        r"<the>(?:declared |annotated )?return (?:type|annotation) of <s> is <t>",
        r"<s>(?:'s|’s) (?:declared |annotated )?return (?:type|annotation) is <t>",
        r"<s> has <the>(?:declared )?return (?:type|annotation) <t>",
        rf"<s>\s*의 (?:선언된 )?(?:반환|리턴)\s*(?:타입|형|형식)(?:은|는|이|가) <t>(?:로 선언되어 있다|{_IS})",
        r"<s><은> <t>\s*(?:을|를) (?:반환|리턴)하도록 선언되어 (?:있다|있습니다)",
    ),
    *_rows(
        "imported_only_by",
        rf"{_ONLY} <m> imports?(?:\(s\))? <op><pkg>",
        rf"<op> is (?:{_ONLY} imported|imported {_ONLY}) {_BY} <m><pkg>",
        r"<none><pkg> imports <op><pkg>",
        r"<none><pkg> <but> <m> imports? <op><pkg>",
        r"<op> (?:is never imported|is not imported|isn't imported|is imported (?:nowhere|by nothing|by no module|by no file))<pkg>",
        r"there (?:are no imports|is no import) of <op><pkg>",
        rf"the {_SOLE} importers? of <op><pkg> (?:is|are) <m>",
        r"the importers of <op><pkg> are (?:exactly |only )?<m>",
        rf"<m> (?:is|are) the {_SOLE} (?:importers? of|(?:file|module)s? (?:that imports?|importing)) <op><pkg>",
        r"<op> has no importers?<pkg>",
        rf"<op><은> {_ADVERB}<m>\s*에서만 {_IMPORT}{_IS_DONE}",
        rf"{_ADVERB}<m>만\s*(?:이\s*)?<op><을> {_IMPORT}{_DOES}",
        rf"<op><을> {_IMPORTING} (?:모듈|파일|곳|코드)(?:은|이|는|가) {_ABSENT}",
        rf"<op><을> {_IMPORTING} (?:모듈|파일|곳|코드|것)(?:은|는) <m>\s*(?:뿐|전부)<다>",
        rf"<m><은> <op><을> {_IMPORTING} 유일한 (?:모듈|파일|곳|코드){_IS}",
        rf"<안에서><아무도> <op><을> {_IMPORT}{_NOT}",
        rf"<op>(?:은|는) <안에서><아무도> {_IMPORT}{_NOT}",
        rf"<m><외에는> <아무도> <op><을> {_IMPORT}{_NOT}",
        rf"<op><은> <안에서>(?:아무 데서도 |어디에서도 |어디서도 )?{_IMPORT}되지\s*(?:않는다|않습니다)",
    ),
    *_rows(
        "imports",
        r"<sp> (?:does not|doesn't|never) (?:directly )?imports? (?:anything from |from )?<op>(?: directly)?",
        r"<op> (?:is not|isn't|is never) imported (?:by|in) <sp>",
        r"<sp> has no imports? of <op>",
        r"there (?:are no imports|is no import) of <op> in <sp>",
        rf"<sp>(?:<은>|에서는?) <op><을> (?:직접 )?(?:{_IMPORT}{_NOT}|가져오지 (?:않는다|않습니다))",
        rf"<op><은> <sp>에서는?\s*{_IMPORT}되지 (?:않는다|않습니다)",
        rf"<sp>에(?:는)? <op>\s*(?:임포트|import)(?:가|는) {_ABSENT}",
        is_negated=True,
    ),
    *_rows(
        "imports",
        r"<sp> imports (?:something from |from )?<op>",
        r"<sp> has an import of <op>",
        r"<op> is imported (?:by|in) <sp>",
        rf"<sp>(?:<은>|에서) <op><을> (?:{_IMPORT}{_DOES}|가져온다|가져옵니다)",
        rf"<op><은> <sp>에서 {_IMPORT}{_IS_DONE}",
    ),
    *_rows(
        "tests",
        r"(?:the )?(?:unit )?test <s> (?:exercises|tests|covers|calls|runs) <o>",
        r"(?=\S*test)<s> (?:exercises|tests|covers) <o>",
        r"<o> is (?:exercised|tested|covered) by (?:the )?(?:unit )?(?:test )?<s>",
        r"테스트 <s><은> <o><을> (?:(?:실행|검증|시험|테스트|호출)\s*(?:한다|합니다)|다룬다|다룹니다)",
        r"<s> 테스트<은> <o><을> (?:(?:실행|검증|시험|호출)\s*(?:한다|합니다)|다룬다|다룹니다)",
        r"(?=\S*test)<s><은> <o><을> (?:검증|시험|테스트)\s*(?:한다|합니다)",
        r"<o><은> (?:테스트 )?<s>(?:로|으로|에서|에 의해) (?:검증|시험|테스트)\s*(?:된다|됩니다)",
    ),
    *_rows(
        "defined_in",
        r"<s> (?:is|can be) (?:defined|declared|located|implemented|found) in <the><op>",
        r"<s> (?:lives|is) in <the><op>",
        r"<the>definition of <s> is in <the><op>",
        r"<op> (?:defines|contains the definition of) <s>",
        r"<s><은> <op>\s*에 (?:정의|선언|구현)(?:(?:되어|돼) (?:있다|있습니다)|된다|됩니다)",
        r"<op>\s*에 <s><은> (?:정의|선언|구현)(?:(?:되어|돼) (?:있다|있습니다)|된다|됩니다)",
        r"<s>(?:의 정의)?<은> <op>\s*에 (?:있다|있습니다)",
        r"<op><은> <s><을> 정의\s*(?:한다|합니다)",
    ),
    *_rows(
        "value",
        r"<the>(?:value of )?<s> in <f> (?:is not|isn't|does not equal) <v>",
        r"<f>(?:의|에서) <s>\s*(?:의 값)?<은> <v>(?:이|가) (?:아니다|아닙니다)",
        r"<the>(?:value of )?<s> (?:is not|isn't|does not equal) <v>",
        r"<s>\s*(?:의 값)?<은> <v>(?:이|가) (?:아니다|아닙니다)",
        is_negated=True,
    ),
    *_rows(
        "value",
        r"<the>(?:value of )?<s> in <f> (?:is (?:currently )?set to|is currently|is|equals|has the value|=) <v>",
        r"(?:in )?<f>,? (?:has|sets) <s> (?:to|=) <v>",
        r"in <f>,? <s> (?:is (?:currently )?set to|is currently|is|equals|has the value|=) <v>",
        r"<f>(?:의|에서) <s>\s*(?:의 값)?<은> (?:현재 |지금 )?<v><다>",
        r"<the>(?:value of )?<s> (?:is (?:currently )?set to|is currently|is|equals|has the value|=) <v>",
        r"<s>(?:'s|’s) value is <v>",
        r"<s>\s*(?:의 값)?<은> <v>(?:으로|로) (?:설정|지정)되어 (?:있다|있습니다)",
        r"<s>\s*(?:의 값)?<은> (?:현재 |지금 )?<v><다>",
    ),
)
"""Every phrasing."""
