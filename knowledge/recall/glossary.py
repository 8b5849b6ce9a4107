"""Words that say the same in Korean and English, as developers use them; also the ways in which one language says it twice.

A row is `한국어, 한국어 : english, english`. A Korean form stands for every word that begins with it, in two syllables or more also
for a part of a word (`재고차감` holds `재고`); an English form is compared by its stems, all of which must be there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from knowledge.recall.terms import Word, bigrams, stem

_ROWS = """
로그인, 접속 : login, log in, sign in, signin, signed in
로그아웃 : logout, log out, sign out, signed out
인증 : authentication, auth, authenticate
인가, 권한 : authorization, permission, privilege, access right, grant
이중 인증, 이단계, 2단계 : 2fa, two factor, mfa, otp
일회용, 인증번호, 코드 입력 : otp, one time code, totp
비밀번호, 암호 : password, passphrase
비밀, 시크릿 : secret
자격, 자격증명, 크레덴셜 : credential
계정 : account
사용자, 유저, 이용자 : user
고객, 손님 : customer, client
회원 : member, user
관리자 : admin, administrator
역할 : role
세션 : session
쿠키 : cookie
토큰 : token
열쇠, 키 : key
서명 : signature, sign
암호화 : encrypt, encryption
복호화, 복호 : decrypt
해시 : hash
보안 : security
취약 : vulnerability, advisory, cve
인증서 : certificate, cert
갱신, 연장 : renew, refresh, renewal
만료, 유효기간 : expire, expiry, expiration, ttl
만료 시간, 유지 시간, 수명 : ttl, lifetime, expiration
방화벽 : firewall, waf
차단, 막힘, 막혀, 막혔, 막힌, 막는, 막고, 막히, 막아, 막았 : block, blocked, deny, reject
허용 : allow, permit
거부, 거절 : reject, refuse, deny
우회 : bypass, workaround, work around
캐시, 캐싱 : cache
비우, 비워, 퍼지 : purge, clear, flush, invalidate
무효화 : invalidate, invalidation
도메인 : domain
주소 : address, url
경로 : path, route
엔드포인트, 종단 : endpoint
요청 : request
응답 : response, reply
호출, 부르, 불러, 부른, 불린, 불리 : call, invoke
반환, 돌려주 : return
전송, 보내, 보낸, 보냈, 보낼, 발송 : send, deliver
수신, 받아 : receive
재시도, 다시 시도 : retry
백오프 : backoff, back off
시간 초과, 타임아웃, 제한 시간 : timeout, time out, deadline
지연, 느리, 느린, 느려, 느림, 늦게, 늦어 : latency, slow, delay
속도 : speed, rate
속도 제한, 횟수 제한, 요청 제한 : rate limit, rate limited, throttle
제한, 한도 : limit, quota
할당량 : quota
초당 : per second, rps, throughput
부하 : load
부하 시험, 부하 테스트, 성능 시험 : load test, benchmark
성능 : performance
병목 : bottleneck, saturate
처리량 : throughput
버티, 버텼, 견디 : hold, sustain, handle
동시, 병렬 : concurrent, parallel, simultaneous
경합, 경쟁 : race, contention
교착, 데드락 : deadlock
잠금, 잠그, 잠겨, 잠긴, 잠기, 잠갔, 락 : lock, locked
대기 : wait, queue
큐, 대기열 : queue
작업, 잡 : job, task, work
일꾼, 워커 : worker
배치 : batch
예약, 스케줄, 일정 : schedule, cron
크론 : cron
야간, 밤, 심야 : nightly, night
매일, 일일 : daily
매주, 주간 : weekly
매월, 월말 : monthly, month end
주말 : weekend, saturday, sunday
자정 : midnight
시간대, 표준시 : timezone, utc
날짜 : date
기간 : period
오류, 에러, 예외 : error, exception
실패 : fail, failure, failed
고장, 장애, 죽으면, 죽었, 죽는, 다운 : outage, down, crash, failure, unavailable
충돌 : conflict, crash, collision
깨지, 깨져, 깨진, 깨졌, 깨짐, 글자 깨 : broken, corrupt, garbled, mojibake
손상 : corrupt, damage
누락, 빠뜨, 빠지, 빠진, 빠져, 빠졌, 빠짐, 없으면 : missing, omit, lack
중복, 두 번 : duplicate, twice, double, two times
멱등 : idempotent, idempotency
음수, 마이너스 : negative
수정, 고치, 고친, 고쳐, 고쳤, 고칠 : fix, edit, modify, repair
변경, 바꾸, 바꿔, 바꿨, 바꾼, 바뀌, 바뀐, 바뀜, 바뀔 : change, switch, replace
교체 : replace, swap
추가 : add
삭제, 지우, 지워, 지운, 지웠, 제거, 없애 : delete, remove, erase, clear
정리, 청소 : cleanup, clean up, prune, remove
보관, 보존, 남겨 : retention, retain, keep, archive
옮기, 옮긴, 옮겨, 옮길, 이전, 이관 : move, migrate, transfer
저장, 보관 : store, save, persist
저장소, 리포지토리 : repository, repo, store
세션 저장소 : session store
불러오, 읽어, 읽힌, 읽는, 읽기, 읽고, 읽을, 읽었 : read, load
쓰기, 기록 : write, record, log
기록, 이력, 히스토리 : history, record, log
로그 : log, logging
감사, 감사 로그 : audit, audit log
감시, 모니터링, 관찰 : monitor, watch, observe
파일 감시 : file watcher, watch
알림, 통지 : notification, notify, alert
경보, 알람 : alarm, alert
당직 : on call, oncall
대시보드, 현황판 : dashboard
지표, 메트릭 : metric
추적, 트레이스 : trace, tracing
원인, 이유, 왜 : cause, reason, why
재현 : reproduce
가설, 추정 : hypothesis, assumption
확인, 검증 : verify, check, confirm, validate
검사 : check, inspect, lint
결정 : decision, decide, decided
정정, 바로잡 : correction, correct
배포, 릴리스, 출시 : deploy, release, rollout, publish
게시, 발행 : publish, post, issue
되돌리, 되돌릴, 되돌린, 되돌려, 되돌렸, 롤백, 복원 : rollback, roll back, revert, restore
복구 : recovery, restore, recover
백업 : backup, dump
덤프 : dump
리허설, 훈련 : rehearsal, drill
운영, 프로덕션, 실서버 : production, prod
스테이징 : staging
개발 : develop, development, dev
환경 : environment, env
환경 변수, 환경변수 : environment variable, env
설정, 구성 : configuration, config, setting, configure
기본값, 기본 : default
옵션 : option, flag
기능 플래그, 플래그, 피처 : feature flag, flag
일부 사용자, 점진 : percent of users, rollout, canary
빌드 : build
컴파일 : compile
설치, 깔기 : install
의존성, 의존 : dependency
꾸러미, 패키지 : package
버전 : version
올리, 올릴, 올린, 올려, 업그레이드, 상향 : upgrade, bump, update
내리, 다운그레이드 : downgrade
잠금 파일, 락파일 : lockfile, lock file
메모리 : memory, heap
메모리 부족 : out of memory, heap, oom
디스크, 저장 공간, 용량 : disk, space, storage
꽉 차, 가득 : full, no space left
프로세스 : process
스레드 : thread
신호 : signal
중단, 멈추, 멈춘, 멈춰, 멈췄, 멈춤, 정지 : stop, hang, halt, abort
시작, 기동, 켜기, 띄우, 띄워 : start, boot, launch
재시작, 다시 시작 : restart, reload
종료, 끄기 : exit, shutdown, terminate
종료 코드 : exit code, exit status
서버 : server
클라이언트 : client
브라우저 : browser
화면 : screen, page, view
쪽, 페이지 : page
버튼, 단추 : button
입력, 입력창 : input, field, enter
양식, 서식 : form
목록, 리스트 : list, listing
표 : table
검색, 찾기 : search, find
색인, 인덱스 : index
형태소 : morpheme, morphological, tokenizer
사용자 사전, 사전 : dictionary
정렬 : sort, order
거르, 필터 : filter
쪽 나누, 페이지네이션, 페이징 : pagination, paging
커서 : cursor
첫, 처음 : first, initial
데이터베이스, 디비 : database, db
스키마 : schema
마이그레이션, 이행 : migration, migrate
테이블 : table
행 : row
열, 칼럼, 컬럼 : column
질의, 쿼리 : query
연결, 커넥션 : connection, connect
풀 : pool
트랜잭션 : transaction
커밋 : commit
제약, 제약조건 : constraint
유니크, 고유 : unique
외래 : foreign
복제, 복제본 : replica, replication
샤딩, 샤드 : shard, sharding
미리 읽, 즉시 로딩 : eager load, prefetch, preload
가지, 브랜치 : branch
병합, 머지 : merge
합치, 합친, 합쳐, 합쳤 : merge, combine
푸시, 밀어 : push
풀 리퀘스트, 피알 : pull request, pr
검토, 리뷰 : review
보호 : protect, protected
태그, 꼬리표 : tag, label
별칭, 별명 : alias
접두, 접두어 : prefix
정규화 : normalise, normalize, normalization
문법 : grammar, syntax
이름 바꾸, 이름 변경, 개명 : rename
차이, 비교 : diff, difference, compare
함수 : function
메서드 : method
클래스 : class
모듈 : module
변수 : variable
인자, 매개변수 : argument, parameter
자료형, 타입 : type
객체 : object
문자열 : string
문자, 글자 : character, letter
한글, 한국어 : korean, hangul
영어, 영문 : english
번역 : translation, translate, locale, i18n
글꼴, 폰트 : font, glyph
인코딩, 부호화 : encoding, encode
이미지, 그림, 사진 : image, picture
아이콘 : icon
색, 색깔 : color, colour
꾸밈, 스타일 : style, css
시험, 테스트 : test
단위 시험 : unit test
픽스처 : fixture
불안정, 간헐, 가끔, 플래키 : flaky, intermittent, sometimes
통과 : pass
건너뛰, 건너뛴 : skip
파싱, 분석기, 구문 분석 : parse, parser, parsing, analyzer
도구 : tool
훅, 갈고리 : hook
명령, 명령어 : command
인터프리터 : interpreter
컨테이너 : container
도커 : docker
이미지 빌드 : image build
쿠버네티스 : kubernetes, k8s
리눅스 : linux
윈도우, 윈도우즈 : windows
맥, 맥북 : mac, macos
깃허브 : github
깃 : git
깃랩 : gitlab
슬랙 : slack
아마존 : aws, amazon
구글 : google
클라우드 : cloud
버킷 : bucket
정적 사이트, 정적 호스팅 : static site, static hosting
호스팅 : hosting, host
프록시 : proxy
사내, 회사 : corporate, internal, company
네트워크, 망 : network
포트 : port
소켓 : socket
웹훅 : webhook
콜백 : callback
메시지 : message
채널 : channel
게이트웨이, 관문 : gateway
미들웨어 : middleware
핸들러, 처리기 : handler
이벤트 : event
구독 : subscription, subscribe
발화, 방아쇠, 트리거 : trigger, fire
주입 : injection, inject
조건 : condition
규칙 : rule
정책 : policy
문서 : document, documentation, docs
예시, 예제, 보기 : example
기억, 회상, 리콜 : memory, recall
모순 : contradiction, conflict
근거, 증거 : evidence
낡은, 오래된, 낡았 : stale, outdated, old
원장 : ledger
분개, 전표 : journal, entry, posting
역분개 : reversal, reversing entry
회계 : accounting
마감 : close, closing
회계 기간 : accounting period, period
정산 : settlement, reconcile
잔액 : balance
금액 : amount, money
반올림 : round, rounding
통화, 화폐 : currency
원화 : krw, won
환율 : exchange rate
출처 : source, origin
이자 : interest
세금 : tax
계산서, 세금계산서 : invoice, tax invoice
명세서 : statement
영수증 : receipt
은행 : bank
거래, 거래내역 : transaction, statement, trade
거래 내역, 입출금 : bank statement, transaction
계좌 : account
결제, 지불, 납부 : payment, pay, charge, checkout
승인 : approval, approve, confirm
취소 : cancel, cancellation
환불 : refund
부분 환불, 일부 환불 : partial refund
청구 : billing, charge, invoice
요금, 가격, 값 : price, fee, value
할인 : discount
쿠폰 : coupon
주문 : order
장바구니, 카트 : cart, basket
비회원, 손님 장바구니 : guest, guest cart
상품, 제품 : product, item
재고 : stock, inventory
수량 : quantity
차감 : decrement, deduct
배송 : shipping, delivery
행사, 이벤트 : promotion, event, sale
카드 : card
개인정보 : personal data, pii, privacy
가리, 가린, 가려, 마스킹 : mask, masking, redact
내보내, 추출 : export
가져오, 수입 : import, fetch, come from
내려받, 다운로드 : download
올려, 업로드 : upload
붙이, 첨부 : attach
비율, 퍼센트 : percent, ratio
기기, 장치 : device
앱 : app, application
지역, 리전 : region
용어, 어휘 : vocabulary, term
보고서 : report
소요 시간, 걸리, 걸린, 걸렸 : duration, take, takes, minutes
얼마나 오래 : how long
언제 : when
누가, 누구 : who
어디 : where
몇 : how many
무엇, 뭐 : what
같은, 동일 : same, identical
새는, 새지, 새어, 유출, 누출 : leak
조회 : query, look up, lookup, fetch
빈, 비어, 비었 : empty
파일 : file
폴더, 디렉터리, 디렉토리 : folder, directory
그래프 : graph
코드 : code
크기, 용량 : size
길이 : length
개수, 횟수, 건수 : count, number, times
시도 : attempt, try
최대 : max, maximum, at most, up to
최소 : min, minimum, at least
두, 둘 : two
세, 셋 : three
초 : second
분 : minute
시간 : hour, time
일 : day
주 : week
개월, 달 : month
년 : year
슬래시, 빗금 : slash
역슬래시, 백슬래시 : backslash
낱말, 단어 : word
줄 : line
열기, 열린, 열어 : open
닫기, 닫힌, 닫아 : close, closed
무시 : ignore
강제 : force
자동 : automatic, auto
수동, 손으로, 직접 : manual, by hand
복사 : copy
경고 : warning
제외 : exclude, except
포함 : include, contain
반드시, 필수 : must, required, mandatory
대신 : instead
불가, 불가능 : impossible, cannot
금지 : forbidden, banned
임시 : temporary
외부 : external, outside
내부 : internal, inside
상태 : status, state
단계 : step, stage, phase
순서 : order, sequence
범위 : range, scope
공개 : public
비공개 : private
공유 : share, shared
생성, 만들 : create, generate, make
연동, 통합 : integration, integrate
분리, 나누, 나눠 : split, separate
압축 : compress, compression
직렬화 : serialize, serialise, pickle
요약 : summary
가입 : sign up, signup, register
등록 : register, registration
탈퇴 : delete account, account deletion
반영 : apply, applied, reflect, show up
미러 : mirror
평문 : plain text, plaintext
절차, 순서도 : procedure, steps
마지막 : last, final
전체, 전부 : whole, entire, full
일부, 부분 : partial, part
현재, 지금 : current, now
이전, 예전 : previous, former
다음 : next
실시간 : real time, realtime
주기, 간격 : interval, period
비용 : cost
사람 : person, people, human
팀 : team
담당, 담당자 : owner, in charge
보이지, 안 보, 사라지, 사라져, 사라진, 사라졌 : disappear, missing, gone, vanish
"""
_SHORTEST_PART = 2

Form = frozenset[str]
"""Another way to say a word: terms that must all be in a text."""


@dataclass(frozen=True, slots=True)
class _Rows:
    """korean: forms of one word. phrases: forms of several, by how many words they have."""

    korean: dict[str, list[int]]
    phrases: dict[int, list[tuple[list[str], int]]]
    english: dict[tuple[str, ...], list[int]]
    forms: list[list[Form]]
    longest: int


@cache
def _rows() -> _Rows:
    korean: dict[str, list[int]] = defaultdict(list)
    english: dict[tuple[str, ...], list[int]] = defaultdict(list)
    phrases: dict[int, list[tuple[list[str], int]]] = defaultdict(list)
    forms: list[list[Form]] = []
    for number, row in enumerate(_ROWS.strip().splitlines()):
        left, _, right = row.partition(":")
        said: list[Form] = []
        for text in (part.strip() for part in left.split(",")):
            if " " in text:
                phrases[text.count(" ") + 1].append((text.split(), number))
            else:
                korean[text].append(number)
            said.append(frozenset(term for word in text.split() for term in (tuple(bigrams(word)) or (word,))))
        for text in (part.strip() for part in right.split(",")):
            stems = tuple(stem(word) for word in text.split())
            english[stems].append(number)
            said.append(frozenset(stems))
        forms.append(said)
    return _Rows(dict(korean), dict(phrases), dict(english), forms, max(len(stems) for stems in english))


@cache
def rows_of_korean(said: str, text: str) -> tuple[int, ...]:
    """The rows that a Hangul word (as it stands, and without its ending) is in: by its beginning, by the end or middle of a compound."""
    found = {
        number: None
        for form, numbers in _rows().korean.items()
        if (text == form or (len(form) >= _SHORTEST_PART and form in said))
        for number in numbers
    }
    return tuple(found)


def meanings(words: Sequence[Word]) -> list[tuple[tuple[int, int], tuple[Form, ...]]]:
    """What the words of a query can also be said by: (first, after the last) of the words it is about → the other forms."""
    rows, found = _rows(), []
    for start in range(len(words)):
        for length in range(1, min(rows.longest, len(words) - start) + 1):
            span = words[start : start + length]
            numbers = _numbers(rows, span)
            if numbers:
                forms = dict.fromkeys(form for number in numbers for form in rows.forms[number])
                found.append(((start, start + length), tuple(forms)))
    return found


def _numbers(rows: _Rows, span: Sequence[Word]) -> tuple[int, ...]:
    if all(word.is_hangul for word in span):
        if len(span) == 1:
            return rows_of_korean(span[0].said, span[0].text)
        return tuple(number for said, number in rows.phrases.get(len(span), ()) if _begin_with(span, said))
    if any(word.is_hangul or len(word.parts) != 1 for word in span):
        return ()
    return tuple(rows.english.get(tuple(word.parts[0] for word in span), ()))


def _begin_with(span: Sequence[Word], said: list[str]) -> bool:
    return all(word.said.startswith(text) for word, text in zip(span, said, strict=True))
