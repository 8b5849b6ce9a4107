"""Plain statements, in English and Korean, that say exactly what a predicate says.

A sentence that matches a row of `phrasings` whole says no more than the predicate; one that matches none is free text, and its identifiers are only
looked up (`mentions`). Nothing is guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowledge.claims.everyday_words import FUNCTION_WORDS, is_common
from knowledge.claims.phrasings import NAME, PATH, Phrasing, phrasings_for


@dataclass(frozen=True, slots=True)
class Said:
    """What a sentence says: names as written, to be looked up in a tree."""

    relation: str
    subject: str
    object: str = ""
    members: tuple[str, ...] = ()
    value: str = ""
    is_negated: bool = False
    is_sure: bool = True
    """Else it may be prose ("LIMIT is configurable"), and is taken only where the code says just that."""


_NOBODY = re.compile(r"(?:\{\}|nothing|nobody|none|no one|nowhere|없음|없다|아무것도)\Z", re.IGNORECASE)
_PRONOUNS = frozenset({
    "nothing", "nobody", "none", "no", "it", "this", "that", "they", "every", "each", "any", "all", "some", "everything", "something", "anything",
    "everyone", "which", "what", "there", "이것", "그것", "아무것", "모두",
})  # fmt: skip
_NO_MODULE = re.compile(r"[a-z]+ly|things|names|modules|packages|files|code", re.IGNORECASE)
_EXCEPTIONS = frozenset({"오류", "예외", "에러"})
_KIND = re.compile(
    r"(?:(?:the )?(?:function|method|class|module|file) |(?:함수|메서드|클래스|모듈|파일) )|(?: (?:함수|메서드|메소드|클래스|모듈|파일))\Z"
)
_QUOTED = re.compile(r"(\"[^\"\n]*\"|'[^'\n]*'|`[^`\n]*`)")
_BEFORE_OPERAND = frozenset({"lambda", "await", "new", "typeof", "not", "void", "keyof", "readonly", "unique", "asserts"})
_LITERALS = frozenset({"none", "true", "false", "null", "undefined"})


def understand(sentence: str) -> Said | None:
    """What the sentence says, when it says exactly what a predicate says; else None."""
    text = "".join(piece if i % 2 else re.sub(r"\s+", " ", piece) for i, piece in enumerate(_QUOTED.split(sentence.strip())))
    for phrasing in phrasings_for(text):
        found = phrasing.pattern.match(text)
        said = _said(phrasing, found.groupdict()) if found is not None else None
        if said is not None:
            return said
    return None


def _said(phrasing: Phrasing, groups: dict[str, str | None]) -> Said | None:
    subject, target, members = groups.get("s") or "", groups.get("o") or "", groups.get("m")
    if groups.get("f"):
        subject = f"{clean(groups['f'] or '')}::{clean(subject)}"
    if phrasing.relation == "imported_only_by":
        subject, target = target, ""
    listed = names_in(members) if members is not None and not _NOBODY.match(members.strip()) else ()
    if members is not None and not listed and not _NOBODY.match(members.strip()):
        return None
    written = groups.get("v") or ""
    value = written.strip("`")
    if phrasing.relation == "default":
        target = groups.get("a") or ""
    if _PRONOUNS & {clean(subject).lower(), clean(target).lower()}:
        return None
    return Said(phrasing.relation, clean(subject), clean(target), listed, value, phrasing.is_negated, _is_sure(phrasing.relation, target, written))


def _is_sure(relation: str, target: str, written: str) -> bool:
    """Whether what is said of the subject is no prose."""
    if relation in ("value", "default", "returns_type"):
        return _is_expression(written, is_type=relation == "returns_type")
    if relation == "imports":
        return not _NO_MODULE.fullmatch(target)
    if relation in ("inherits", "raises"):
        return target.strip("`") != target or not ((is_common(target.lower()) and target.islower()) or target in _EXCEPTIONS)
    return True


def _is_expression(text: str, *, is_type: bool) -> bool:
    """Whether a text is code and no prose: no two words side by side, no lone everyday word. Of types many are everyday words (`number`)."""
    if text.startswith("`") and text.endswith("`"):
        return True
    words = "".join(" '' " if i % 2 else piece for i, piece in enumerate(_QUOTED.split(text)))
    while (outside := re.sub(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}", "", words)) != words:
        words = outside
    pairs = re.finditer(r"(?=(?<![\w.])([\w가-힣][\w.]*)\s+[\w가-힣])", words)
    if any(found[1].lower() not in _BEFORE_OPERAND for found in pairs) or re.search(r"\d[가-힣]", words):
        return False
    lone = text.strip().lower()
    if is_type or lone in _LITERALS:
        return not _NOBODY.match(lone) or lone in _LITERALS
    return not re.fullmatch(r"[a-z가-힣]+(?:-[a-z가-힣]+)*", text.strip())


def names_in(text: str) -> tuple[str, ...]:
    """The names of a list: `{a, b}`, `a and b`, `a와 b`, `a, b 그리고 c`; () where something else stands between them."""
    inner = text.strip().strip("{}[]")
    parts = re.split(r"\s*,\s*(?:and\s+|or\s+|그리고\s+)?|\s+(?:and|or|및|그리고)\s+|(?<=[\w`)])(?:와|과|이랑|랑)\s+", inner)
    names = [clean(_KIND.sub("", p.strip())) for p in parts if p.strip()]
    return tuple(names) if all(re.fullmatch(NAME, n) or re.fullmatch(PATH, n) for n in names) else ()


def clean(name: str) -> str:
    """A name without back-ticks, call parentheses and a Korean particle that stuck to Latin letters."""
    bare = name.strip().strip("`").removesuffix("()")
    stripped = re.sub(r"(?<=[A-Za-z0-9_$)])(?:에서|으로|로|의|은|는|이|가|을|를|와|과|도|만|에)\Z", "", bare)
    return stripped or bare


_MENTION = re.compile(r"`([^`\n]+)`|((?:[\w.\\-]+/)*[\w.\\-]+::[\w$.#]+|(?:[\w.-]+/)+[\w.-]+|[A-Za-z_$][\w$]*(?:\.#?[A-Za-z_$][\w$]*)*)", re.ASCII)
_HANGUL = re.compile(r"(?<!\w)_*[가-힣]\w*")
_PARTICLES = ("에서만", "에서", "으로", "에게", "까지", "부터", "은", "는", "이", "가", "을", "를", "의", "와", "과", "도", "만", "에", "로")
_PLAIN = re.compile(r"[a-z]+|[가-힣]+")
_SHOUTED = re.compile(r"[A-Z]+")
_SHORTEST_PLAIN = 3
_LONGEST_ACRONYM = 4


@dataclass(frozen=True, slots=True)
class Mention:
    """A word of a text that may be a name. is_plain: it is written as any word of prose is, so it counts only where it can mean one thing alone."""

    name: str
    is_plain: bool = False


def mentions(statement: str) -> tuple[Mention, ...]:
    """Everything in the text that may be an identifier or a path, in order, without repeats; Korean words with and without their particle.

    Everyday English and acronyms are left out, unless it stands in back-ticks or before call parentheses.
    """
    found: dict[str, Mention] = {}
    for match in _MENTION.finditer(statement):
        name = (match[1] or match[2]).strip().removesuffix("()").rstrip(".")
        is_marked = match[1] is not None or statement.startswith("(", match.end())
        if not name.strip("_") or (not is_marked and _is_prose(name)):
            continue
        is_plain = not is_marked and bool(_PLAIN.fullmatch(name) or _SHOUTED.fullmatch(name))
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
    """Whether a word that is not marked as a name is none: a short or everyday word, `The`, `When`, `A` with the capital of a sentence's start, or
    what may be an acronym (`URL`, `MAX`)."""
    if name in ("e.g", "i.e") or (name.istitle() and name.lower() in FUNCTION_WORDS):
        return True
    if _SHOUTED.fullmatch(name):
        return len(name) <= _LONGEST_ACRONYM
    return bool(_PLAIN.fullmatch(name)) and (len(name) < _SHORTEST_PLAIN or is_common(name))


_ORDER = re.compile(r"\b(?:after|before|until|once|first|then)\b|(?:뒤에|후에|전에|다음에|이후|이전)", re.IGNORECASE)


def says_order(statement: str) -> bool:
    """Whether the text speaks of an order in time, which no graph of calls can show."""
    return bool(_ORDER.search(statement))
