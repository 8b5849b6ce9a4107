"""Words of a question that only say that something is asked or to be done: they find nothing and are not missed."""

from __future__ import annotations

from knowledge.recall.terms import stem, without_ending

_ENGLISH = """
    a an and any are as at be been but by can could did do does done for from get give had has have having he her here his how i if in into is it
    its just let like make may me more most must my need no not of on or our out over please shall she should show so some such tell than that the
    their them then there these they this those through to too under up us use using very want was we well were what when where which while who
    whom why will with would you your right now happen happens happened find look investigate check write resolve fix stop bash edit open
"""
_KOREAN = """
    그 이 저 곳 것 거 수 등 및 또 더 좀 잘 안 못 왜 뭐 무엇 어떤 어떻게 어디 어디서 언제 누가 얼마 얼마나 몇 모두 전부 다시 지금 아직 이미 먼저
    관련 대해 대한 위해 위한 통해 따라 경우 방법 절차 문제 내용 이유 있다 있는 있어 있나 있는데 있음 있으면 있을 있지 없다 없는 없어 없나 없이
    된다 되나 되는 돼 않다 않는 않게 않아 않도록 아니 아닌 같다 같은 같이 이런 그런 저런 이렇게 그렇게 여기 거기 저기 해줘 알려줘 찾아줘 봐줘 해봐
    찾는다 찾는 찾아 찾아서 고친다 고쳐줘 고치 조사 확인 작성 검토 처리 정리 진행 실행 사용 써 쓴다 한다 하는 하나 하려 하고 싶다 싶어 필요 해야
    알고 너무 매우 아주 갑자기 자꾸 계속 항상 그냥 혹시 대체 도대체
"""
_ASKING = frozenset(stem(word) for word in _ENGLISH.split()) | frozenset(form for word in _KOREAN.split() for form in (word, without_ending(word)))


def only_asks(text: str) -> bool:
    """Whether a word (lower case, a stem, or Hangul without its ending) says nothing about the subject."""
    return text in _ASKING
