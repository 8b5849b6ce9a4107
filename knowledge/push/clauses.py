"""Sentences, and in each what is said to be done and what is said not to be: negation is read clause by clause.

In English a negation stands before what it denies (`do not push`), in Korean behind it (`푸시하지 말고`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from knowledge.recall import chunks

_BREAK = re.compile(
    r"[;,()（）:→]+|\s(?:but|instead|then|and then|rather|only|just|while)\s"
    r"|(?<=[가-힣])(?:말고|않고|않으며|않은 채|없이|빼고|제외하고|대신에?|끄고|건너뛰고|고|해서|한 뒤|한 후|하며|지만|는데)\s",
    re.IGNORECASE,
)
"""Where a clause ends. What ends a Korean clause belongs to it."""
_DENIED_AFTER = re.compile(
    r"\b(?:do not|don't|dont|does not|did not|not to|never|without|no need to|avoid|skip|stop|cannot|must not|should not|shouldn't|rather than"
    r"|except)\b",
    re.IGNORECASE,
)
"""English: what follows is denied."""
_DENIED_BEFORE = re.compile(
    r"(?:지|질|지는|지도)\s*(?:말|마|않|못)[가-힣]*|말고|없이|빼고|제외|금지|안\s*(?:한다|해|하고|함|할)|건너뛰[가-힣]*|끄고|끈다|대신|불필요"
    r"|필요\s*없|할\s*필요가?\s*없"
)
"""Korean: what stands before is denied."""
_WORD_BREAK = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence: what is said in it, the part of that which is not denied, and the part that is."""

    whole: str
    affirmed: str
    denied: str

    @property
    def is_denied(self) -> bool:
        """Whether all of it is denied."""
        return not self.affirmed.strip()


def sentences(text: str) -> list[Sentence]:
    """The sentences of a text; a line is at least one."""
    found = []
    for piece in chunks.sentences(text):
        parts = [_parted(clause) for clause in _clauses(piece)] or [(piece, "")]
        affirmed, denied = (" ; ".join(filter(str.strip, side)) for side in zip(*parts, strict=True))
        found.append(Sentence(_squeezed(piece), _squeezed(affirmed), _squeezed(denied)))
    return found


def _clauses(sentence: str) -> list[str]:
    clauses, start = [], 0
    for match in _BREAK.finditer(sentence):
        is_korean = bool(re.match(r"[가-힣]", match[0]))
        clauses.append(sentence[start : match.end() if is_korean else match.start()])
        start = match.end() if is_korean else match.start() + (0 if match[0].strip().isalpha() else len(match[0]))
    clauses.append(sentence[start:])
    return [clause for clause in clauses if clause.strip()]


def _parted(clause: str) -> tuple[str, str]:
    """What the clause says is to be done, and what it says is not."""
    before = max((m.end() for m in _DENIED_BEFORE.finditer(clause)), default=0)
    after = next((m.start() for m in _DENIED_AFTER.finditer(clause)), len(clause))
    return (clause[before:after], clause[:before] + clause[after:]) if before <= after else ("", clause)


def _squeezed(text: str) -> str:
    return _WORD_BREAK.sub(" ", text).strip().lower()
