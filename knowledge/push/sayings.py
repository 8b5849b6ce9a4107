"""Other ways to say what is done: a row that names one of these is also met by the others. Common verbs only; what it is about is the row's own."""

from __future__ import annotations

_FAMILIES = (
    "send|post|notify|message|share|tell|announce|ping|drop a note|알리|알려|알린|보내|전달|공유|공지|게시|남겨",
    "purge|invalidate|flush|bust|evict|퍼지|무효화|비우|비워|비운|캐시 초기화",
    "otp|2fa|one-time password|one-time code|six-digit code|6-digit code|authenticator|일회용 비밀번호|여섯 자리 코드|6자리 코드|인증번호|인증 코드",
    "login|log in|sign in|log into|sign into|로그인",
    "publish|퍼블리시|레지스트리에 올|배포",
    "install|download|설치|내려받|다운로드|받아 둬|받아 놔",
    "refund|money back|give back|환불|돌려주|돌려줘|돌려준",
    "migration|migrate|마이그레이션|스키마 변경|스키마를 최신",
    "push|푸시|밀어 올",
    "delete|remove|drop|삭제|지우|지워|지운",
    "deploy|roll out|ship|배포",
    "restart|reboot|재시작|다시 시작|다시 띄",
)
_BY_TERM: dict[str, tuple[str, ...]] = {}
for _family in _FAMILIES:
    for _term in _family.split("|"):
        _BY_TERM[_term] = tuple(dict.fromkeys((*_BY_TERM.get(_term, ()), *_family.split("|"))))


def ways_to_say(terms: tuple[str, ...]) -> tuple[str, ...]:
    """The terms of a group, and what else may stand for one of them."""
    return tuple(dict.fromkeys((*terms, *(other for term in terms for other in _BY_TERM.get(term.lower(), ())))))
