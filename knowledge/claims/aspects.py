"""Which sides of the code a free statement speaks of, by its words.

A statement that no predicate says stands on bodies. Words such as "only", "nobody", "signature" or "defined in" tell that more than a body
could make it wrong: then the set, the header or the place is watched too. A side too many costs a look; one too few a claim that is false
and still trusted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowledge.claims.anchors import make_anchor
from knowledge.claims.sets import default_scope
from knowledge.claims.view import TreeView
from knowledge.records.claims import Anchor
from knowledge.records.identifiers import SymbolId, file_symbol

_FLAGS = re.IGNORECASE
_UNIVERSAL = re.compile(
    r"\b(?:only|exclusively|solely|sole|never|nothing|nobody|none|no|nowhere|not|all|every|any|each|exactly|without)\b|만|뿐|밖에|없|않|아무|모든|전부|유일",
    _FLAGS,
)
_REST = r"(?:[^.;]|\.(?=\w))*"
"""The rest of a clause; a dot within a name ends none."""
_SETS: dict[str, re.Pattern[str]] = {
    "callers": re.compile(
        rf"\b(?:called|invoked|callers?|call sites?)\b|\b(?:nothing|nobody|no one|no \w+|only)\b{_REST}\b(?:calls?|invokes?)\b"
        rf"|호출되|호출된|호출하는|호출자|불리|불린|부르는|(?:만|아무도|아무것도|어디서도|데서도){_REST}(?:호출|부르|부른|부릅)",
        _FLAGS,
    ),
    "importers": re.compile(r"\bimport(?:ed|ers?|s|ing)?\b|임포트|import", _FLAGS),
    "subclasses": re.compile(
        r"\bsubclass(?:es|ed)?\b|\b(?:inherits?|extends?|derives?|implementations?|child classes)\b|상속|하위\s*클래스|자식\s*클래스", _FLAGS
    ),
}
_HEADER = re.compile(
    r"\b(?:signature|parameters?|arguments?|defaults?|annotat\w+|type hints?|return type|base class|superclass|inherits?|extends|decorat\w+)\b"
    r"|시그니처|서명|매개변수|파라미터|인자|인수|기본\s*값|반환\s*타입|상속|부모\s*클래스|데코레이터",
    _FLAGS,
)
_PLACE = re.compile(r"\b(?:defined|declared|located|lives|stands|implemented)\b(?:[^.;]|\.(?=\w))*\bin\b|정의되|선언되|에 있(?:다|습니다)", _FLAGS)
_AS_WRITTEN = re.compile(
    r"\bstrict(?:ly)?\b|\bas written\b|\bverbatim\b|\bannotations? included\b|\A\W*(?:the )?(?:whole )?(?:behaviou?r|implementation|body|code) of\b"
    r"|엄격|쓰인 그대로|의 (?:전체 )?(?:동작|구현|본문)",
    _FLAGS,
)
"""Also a statement on the behaviour of something as a whole: nobody can say what of it matters."""
_ASIDE = re.compile(r"\([^()]*\baside\b[^()]*\)|\b(?:ignoring|apart from|regardless of|whatever the)\b[^.;]*|\([^()]*제외[^()]*\)", _FLAGS)
_DENIED = re.compile(r"\S*만 (?:\S+ ){0,3}?(?:것이|것은|게|건) 아니(?:라|고|며)|\bnot (?:just|merely|only) [^,.;]*,? but\b", _FLAGS)
"""A universal that is denied speaks of no set."""

_CALLS = re.compile(
    r"\b(?:calls?|invokes?)(?: directly)? (?:the )?`?([\w$.:#/]*[\w$])"
    r"|([\w$.:#/]*[\w$])(?:\(\))?`?\s*(?:을|를) (?:직접 )?(?:호출(?!되)|부르|부른|부릅|불러)",
    _FLAGS,
)
"""Said in the active voice: what stands after the verb, in Korean before it with the particle of an object."""


@dataclass(frozen=True, slots=True)
class Aspects:
    """questions: sets that the statement says something universal of. The rest: whether it speaks of imports, a header, a place, code as written."""

    questions: tuple[str, ...]
    is_of_imports: bool
    is_of_header: bool
    is_of_place: bool
    is_as_written: bool


def aspects_of(statement: str) -> Aspects:
    """What the words of a statement tell."""
    said = _DENIED.sub(" ", _ASIDE.sub("", statement))
    is_universal = bool(_UNIVERSAL.search(said))
    questions = tuple(question for question, words in _SETS.items() if is_universal and words.search(said))
    is_as_written = bool(_AS_WRITTEN.search(said)) and not _ASIDE.search(statement)
    is_of_header = not is_as_written and bool(_HEADER.search(said))
    return Aspects(questions, bool(_SETS["importers"].search(said)), is_of_header, bool(_PLACE.search(said)), is_as_written)


def called_in(statement: str) -> str:
    """The name of what a statement says that somebody calls, as the last part of the name as written; "" where it does not say so."""
    found = _CALLS.search(statement)
    return next((group for group in found.groups() if group), "").rpartition(".")[2] if found is not None else ""


def sides_of(symbol: SymbolId, aspects: Aspects, view: TreeView, called: SymbolId | None = None) -> tuple[Anchor, ...]:
    """The anchors, besides a body, that a statement with these aspects needs about what it speaks of. called: what is called in it, where another."""
    found = []
    for question in aspects.questions:
        subject = file_symbol(symbol.path) if question == "importers" else called if called is not None and question == "callers" else symbol
        if subject.qualified_name or question == "importers":
            found.append(make_anchor("set", question=question, symbol=str(subject), scope=default_scope(subject, (), view)))
    if aspects.is_of_imports and not symbol.qualified_name:
        found.append(make_anchor("set", question="imports", symbol=str(symbol)))
    if aspects.is_of_header and symbol.qualified_name:
        found.append(make_anchor("signature", symbol=str(symbol)))
    if aspects.is_of_place and symbol.qualified_name:
        found.append(make_anchor("location", symbol=str(symbol)))
    return tuple(found)
