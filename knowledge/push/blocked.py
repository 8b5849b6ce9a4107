"""Whether an agent says that something cannot be done: the last moment at which a memory of a way that worked can still help."""

from __future__ import annotations

import re

from knowledge.push.own_text import own_text
from knowledge.recall.chunks import sentences

_MOST_TEXT = 20_000
_SELF = r"(?:i|we)(?:'m| am| are|'re| was| were| have been|'ve been)?"
_OFTEN = r"(?:still |also |currently |simply |just |unfortunately |therefore |honestly )?"
_BLOCKED = re.compile(
    rf"\b{_SELF} {_OFTEN}(?:cannot|can't|can’t|can not|could not|couldn't|couldn’t|(?:not |un)able to|was not able|were not able"
    r"|(?:do not|don't) have (?:the )?(?:permission|access|rights)|lack (?:the )?(?:permission|access|rights)|have no (?:way|access|permission)"
    r"|blocked|stuck|give up|giving up)"
    r"|\b(?:this|that|it|the task|the step|the work|progress|deployment|publishing|login|access) (?:is|was|remains|seems|appears to be) "
    r"(?:currently |still |completely )?(?:blocked|impossible|not possible|not feasible|out of reach)"
    r"|\b(?:is|are|was|remains?) blocked (?:by|on|until|because)|\bblocked:|^blocked\b|\bno way to\b|\bthere is no way\b"
    r"|\bimpossible (?:to|from|without|here|in this)|\bnot possible (?:to|from|in|with|without)"
    r"|\b(?:can only|must|has to|have to|needs to|need to) be done (?:manually|by hand|by you|in the dashboard)"
    r"|\bcannot be (?:done|purged|completed|performed|automated|reached|accessed) (?:from|in|by|with|without|here)",
    re.IGNORECASE,
)
_ACTS = (
    "할|열|풀|올릴|보낼|받을|접속할|진행할|실행할|설치할|배포할|바꿀|처리할|확인할|로그인할|해결할|찍을|쓸|읽을|지울|비울|갱신할|통과할|수정할|삭제할"
)
_END = r"(?=\s*(?:[.,!)\]]|$))"
_BLOCKED_KOREAN = re.compile(
    r"막혔|막혀\s*(?:있|버|서)|막힌\s*상태|막힘|못\s*(?:합니다|한다|함|했습니다|했다|하겠|해요|하네요)(?=\s|[.,!)]|$)"
    rf"|(?:{_ACTS})\s*수(?:가|는)?\s*없(?:습니다|다|어요|음|네요|었|는 상태)"
    rf"|불가(?:능)?(?:합니다|하다|함|입니다|이다|해요|했)?{_END}|불가능?\s*(?:판정|상태|로 판단)|방법이\s*없(?:습니다|다|어요|음|네요)"
    rf"|(?:되지|열리지|풀리지|설치되지|접속되지)\s*않(?:아서|아)\s*(?:진행|더|여기)|안\s*(?:됩니다|된다|됨|돼요|되네요){_END}"
    r"|권한이\s*(?:없(?:습니다|다|어|음)|부족)|직접\s*(?:해\s*주|하셔야|처리해\s*주|비워\s*주|로그인해\s*주|눌러\s*주)",
)
_OF_CODE = re.compile(
    r"^(?:이제|now)\b|(?:so|이제)\s.*(?:할 수 없|cannot)|(?:함수|메서드|클래스|값|필드|인자|타입|컬럼|변수|사용자|입력)[은는이가]\s"
    r"|\b(?:function|method|class|value|field|argument|type|column|variable|users?|input|null|None|callers?)\b[^.]{0,40}\b(?:cannot|can't|can not)"
    r"|^`[^`]+`\s|(?:no longer|더 이상)\s",
    re.IGNORECASE,
)
_SOLVED = re.compile(
    r"\b(?:at first|initially|earlier|until i|but (?:then|now)|fixed|solved|resolved|worked around|no longer)\b"
    r"|해결(?:했|됐|되었)|풀렸|고쳤|우회했|막혔(?:지만|으나|었는데|는데|다가)|처음에는",
    re.IGNORECASE,
)


def blocked_sentence(text: str) -> str:
    """The last sentence in which an agent says that something cannot be done or that it is blocked; "" where it says no such thing.

    What the code cannot do (`the parser cannot return None`), what was blocked and was solved, questions and pasted lines are left alone.
    """
    for sentence in reversed(sentences(own_text("\n" + text[-_MOST_TEXT:]))):
        plain = sentence.strip(" *_#>-•")
        if plain.endswith(("?", "？")) or _SOLVED.search(plain) or _OF_CODE.search(plain):
            continue
        if _BLOCKED.search(plain) or _BLOCKED_KOREAN.search(plain):
            return " ".join(plain.split())
    return ""
