"""Whether somebody who speaks to an agent takes the session off the record: "기억하지 마", "don't remember this session", "off the record".

What is said about remembering is not yet a wish: a quoted phrase, a pasted text, a question, a sentence about what somebody or some program
remembers, and a task about passwords and browsers are left alone. In doubt about the object ("don't remember this"), it is a wish: a session
that is not remembered can be had again, a memory that should not be cannot.
"""

from __future__ import annotations

import re

from knowledge.push.own_text import own_text
from knowledge.recall.chunks import sentences

_MOST_TEXT = 20_000
_QUOTED = re.compile(r"`[^`\n]*`|\"[^\"\n]*\"|“[^”\n]*”|‘[^’\n]*’|「[^」\n]*」|『[^』\n]*』|«[^»\n]*»|(?<!\w)'[^'\n]*'(?![a-z])")
_BREAK = re.compile(r"[,;:()\n—–]+|\s-\s|\s(?:and|but|so|then|because|since)\s", re.IGNORECASE)
_WHILE = r"(?:for|in|during) (?:this|the rest of (?:this|the)) (?:session|conversation|chat|task)"
_ASKED = r"i(?:'d| would) (?:like|prefer)(?: for)? you|i (?:want|need|ask) you"
_LEAD = (
    r"(?:(?:please|also|just|ok(?:ay)?|hey|well|note|important|again|first|and|but|so|then|now|kindly|from now on|for now|this time"
    rf"|{_WHILE}|you (?:must|should|may|need to|have to)|you(?= (?:must|should|may) not)|(?:{_ASKED})(?: to)?(?= (?:not|to not))|(?:{_ASKED}) to"
    r"|make sure (?:to|you)|let's)\s+)*"
)
_NOT = r"(?:do not|don'?t|don’t|never|not to|to not|(?:should|must|may) not|not)\s+"
_THIS = r"(?:this|that|it|any of (?:this|it|that)|anything|any(?: of)? the (?:following|above)|what i (?:say|said|tell you|told you))"
_SESSION = r"(?:(?:this|the|our|the whole|the entire|this whole|this entire) )?(?:session|conversation|chat|exchange|discussion|talk|thread)"
_BESIDES = r"please|at all|later|afterwards|anywhere|(?:in|to) (?:your )?memory|in the knowledge (?:base|store)|for later"
_END = rf"(?:\s+(?:{_BESIDES}))*\s*[.!]*$"
_ANYTHING = r"(?:(?:anything|any memor(?:y|ies)|claims|notes|a memory|memories)\s+(?:of|from|about|in|during)\s+)?"
_MEMORY = r"(?:in|to|into) (?:your |the )?(?:long-term )?(?:memory|knowledge (?:base|store|bank))"
_IS = r"(?:(?:is|are|'s|stays?|will be|should be|must be|remains?|goes)\s+)?"
_ENGLISH = tuple(
    re.compile(rf"^{_LEAD}{wish}{_END}", re.IGNORECASE)
    for wish in (
        rf"{_NOT}(?:remember|memori[sz]e)(?:\s+(?:{_THIS}|(?:anything (?:from|about|of) |any of )?{_SESSION}))?",
        rf"{_NOT}(?:remember|memori[sz]e|record|save|store|keep|log)\s+{_ANYTHING}{_SESSION}",
        rf"{_NOT}(?:save|store|keep|put|write|add|commit)\s+(?:{_THIS}|{_SESSION})\s+{_MEMORY}",
        rf"{_NOT}record\s+(?:{_THIS})",
        rf"forget\s+(?:(?:everything|all)(?: about| of| in)? )?{_SESSION}(?:\s+(?:afterwards|when (?:we|you) are done))?",
        rf"(?:(?:keep|leave|take|make) )?(?:{_THIS}|{_SESSION}|everything(?: here)?|we)?\s*{_IS}(?:strictly )?off[ -]the[ -]record",
    )
)
_NEVER = r"\s*(?:는\s*|를\s*)?(?:말\s*아\s*(?:줘|주세요|달라|줄래)?|말아라|마라|마세요|마십시오|말\s*것|말\s*자|말고|말기|마요|말아요|마)"
_TAIL = r"(?=\s|[.!~ㅋㅎ]|$)(?!\s*(?:라는|라고|란|이라))"
_NOW = r"(?:이|이번|지금|여기|오늘|방금|앞으로|지금부터|여기서부터)\s*(?:의\s*)?"
_HERE = rf"{_NOW}(?:세션|대화|채팅|얘기|이야기|작업|내용|말|거|것|건)?(?:에서|에|은|는|부터|을|를)?"
_TALK = r"(?:(?:이|이번|지금|오늘)\s*(?:의\s*)?(?:세션|대화|채팅|이야기|얘기)|세션|대화)"
_STORE = r"(?:기억|메모리|지식)\s*(?:저장소|베이스|은행|뱅크)?\s*에\s*(?:는\s*)?"
_NOTHING = r"(?:아무\s*것도\s*)?"
_KOREAN = (
    # Remembering: by itself, or of what is said here.
    re.compile(
        rf"(?:^|{_HERE}.{{0,20}}|세션.{{0,12}}|대화.{{0,12}}|아무\s*것도\s*|절대\s*|제발\s*|좀\s*|그리고\s*)기억(?:은|을)?\s*하지{_NEVER}{_TAIL}"
    ),
    re.compile(rf"{_STORE}{_NOTHING}(?:남기|저장하|기록하|넣|적|올리)지{_NEVER}{_TAIL}"),
    re.compile(rf"{_TALK}(?:은|는|을|를|에서|의)?\s*(?:내용(?:은|을)?\s*)?{_NOTHING}(?:기록|저장|기억|로깅)(?:을)?\s*(?:하지|남기지){_NEVER}{_TAIL}"),
    re.compile(
        r"(?:^|\s)(?:오프\s*더\s*레코드|비공개|기록\s*없이)\s*"
        r"(?:로\s*(?:하자|해|해줘|해\s*줘|진행|부탁|가자|할게|합시다|하겠)|야|다|입니다|예요|이야|임)(?=\s|[.!]|$|해|하)"
    ),
)
_QUESTION = re.compile(r"[?？]\s*$")
_ASKED_KOREAN = re.compile(r"^(?:왜|어째서|어떻게)\s")


def off_record_sentence(prompt: str) -> str:
    """The sentence in which a person says that the session is not to be remembered; "" where none does."""
    said = _QUOTED.sub(" … ", own_text("\n" + prompt[:_MOST_TEXT]))
    for sentence in sentences(said):
        if _QUESTION.search(sentence) or _ASKED_KOREAN.match(sentence.strip()):
            continue
        if any(_is_wish(clause.strip()) for clause in [sentence, *_BREAK.split(sentence)]):
            return " ".join(sentence.split())
    return ""


def _is_wish(clause: str) -> bool:
    return any(pattern.search(clause) for pattern in (*_ENGLISH, *_KOREAN))
