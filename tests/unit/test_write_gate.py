"""The write gate: which sentences contradict each other, and which only look so."""

import math

import pytest

from knowledge.gates.write_gate import MOST_WARNINGS, Precedent, conflicts

COMMON = {"한다", "test"}


def _rarity(term: str) -> float:
    return 0.5 if term in COMMON else math.log(100)


def _how(new: str, *olds: str) -> list[str]:
    precedents = [Precedent(f"c_{number}", old) for number, old in enumerate(olds)]
    return [c.how for c in conflicts(new, {new: precedents}, _rarity)]


@pytest.mark.parametrize(
    ("old", "new", "how"),
    [
        ("aside로 Cloudflare에 로그인해 캐시를 퍼지했다.", "Cloudflare 캐시 퍼지는 불가.", "cannot"),
        ("The nightly export passed on the new runner.", "The nightly export cannot run on the new runner.", "cannot"),
        ("x-vercel-protection-bypass 헤더로 프리뷰 e2e가 통과했다.", "Vercel preview e2e cannot run: every request is 401.", "cannot"),
        ("스테이징 배포는 GitHub Actions에서 성공했다.", "스테이징 배포는 불가하다 (러너에 권한이 없고 토큰도 만료됐다).", "cannot"),
        ("SessionStore TTL은 30분이다.", "SessionStore의 TTL은 24시간이다.", "number"),
        ("The pricing deadline is 2 seconds.", "pricing의 deadline은 10초다.", "number"),
        ("new_checkout 플래그는 운영에서 켜져 있다.", "new_checkout 플래그는 운영에서 꺼져 있다.", "switch"),
        ("HTML은 Cloudflare 엣지에 캐시하지 않는다.", "HTML도 Cloudflare 엣지에 캐시된다.", "denied"),
        ("mergeGuestCart does not add quantities together.", "mergeGuestCart adds the quantities together.", "denied"),
        ("거래 목록 페이지네이션은 커서를 쓴다.", "거래 목록 페이지네이션은 offset을 쓴다.", "value"),
    ],
)
def test_what_contradicts(old: str, new: str, how: str) -> None:
    """Success against impossible, another number of the same unit, on against off, a denial, another value: in Korean, English and across."""
    assert _how(new, old) == [how]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Slack 게시는 webhook으로 성공했다.", "Discord 게시는 webhook이 없어 불가하다."),
        ("Slack 게시는 webhook으로 성공했다.", "Discord 게시는 불가하다: webhook이 401을 준다."),
        ("SessionStore TTL은 30분이다.", "SessionStore의 TTL은 30 minutes이다."),
        ("SessionStore TTL은 30분이다.", "SessionStore TTL은 1800초다."),
        ("동시 로그인은 기기 5대까지 허용한다.", "POST /login은 분당 10회로 제한한다."),
        ("커서는 base64다.", "테스트 데이터는 월요일마다 없어진다."),
        ("Landed in 81bc7315.", "Landed in 1bc5387d."),
    ],
)
def test_what_only_looks_so(old: str, new: str) -> None:
    """Another service, the same number in another unit, other things, ids: no warning."""
    assert _how(new, old) == []


def test_what_many_records_say_reports_an_occasion() -> None:
    """A habit of speech with other numbers each time contradicts nothing."""
    olds = [f"Test run: {n} passed, {n} skipped, nothing failed." for n in (80, 96, 112, 40)]
    assert _how("Test run: 77 passed, 3 skipped, nothing failed.", *olds) == []
    assert _how("Test run: 77 passed, 3 skipped, nothing failed.", olds[0]) == ["number"]


def test_at_most_three_warnings_one_a_claim() -> None:
    """However many claims say otherwise, three are told."""
    olds = [f"SessionStore TTL은 {n}분이다. {'가나다라마'[n % 5]}팀" for n in range(30, 42)]
    new = "SessionStore의 TTL은 24시간이다."
    assert len(_how(new, *olds[:2])) == 2
    assert len(_how(new, *olds)) <= MOST_WARNINGS
