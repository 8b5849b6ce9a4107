"""Scripted sessions of agents: calls with what they answered, and the last message. Made by chance; equal for equal seeds.

A session is ordinary (work that goes on, though much of it fails) or stuck (an obstacle to which a remembered way exists).
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Call:
    """One call that is over."""

    tool: str
    arguments: Mapping[str, object]
    result: str
    is_failed: bool


@dataclass(frozen=True)
class Session:
    """The calls in their order, and the last message."""

    calls: Sequence[Call]
    message: str


@dataclass(frozen=True)
class Obstacle:
    """Calls that fail for one reason, in one or other form; or messages that give up. way: what is remembered of it."""

    tries: Sequence[tuple[str, str]]
    answer: str
    way: str
    messages: Sequence[str] = ()


@dataclass(frozen=True)
class Pool:
    """What the sessions of one half are made of."""

    checks: Sequence[tuple[str, str]]
    fetches: Sequence[tuple[str, str]]
    probes: Sequence[tuple[str, str]]
    acts: Sequence[str]
    files: Sequence[str]
    reports: Sequence[str]
    obstacles: Sequence[Obstacle]

    @property
    def ways(self) -> list[str]:
        """All that is remembered of the obstacles."""
        return [obstacle.way for obstacle in self.obstacles]


def make_session(pool: Pool, chance: random.Random, *, is_stuck: bool) -> Session:
    """A session of some turns; a stuck one has one obstacle somewhere among them."""
    turns = [chance.choice(_TURNS) for _ in range(chance.randint(2, 6))]
    calls = [call for turn in turns for call in turn(pool, chance)]
    message = chance.choice(pool.reports)
    if not is_stuck:
        return Session(calls, message)
    obstacle = chance.choice(pool.obstacles)
    if obstacle.messages and (not obstacle.tries or chance.random() < 0.5):
        return Session(calls, chance.choice(obstacle.messages))
    first, second = (chance.choice(obstacle.tries) for _ in range(2))
    between = _look(pool, chance) if chance.random() < 0.5 else []
    at = chance.randrange(len(calls) + 1)
    tries = [_act(first, obstacle.answer), *between, _act(second, obstacle.answer)]
    return Session([*calls[:at], *tries, *calls[at:]], message)


def _bash(command: str, result: str, is_failed: bool) -> Call:
    return Call("Bash", {"command": command}, result, is_failed)


def _act(one: tuple[str, str], answer: str) -> Call:
    tool, text = one
    return Call(tool, {"command" if tool == "Bash" else "task": text}, answer, True)


def _edit(pool: Pool, chance: random.Random) -> Call:
    return Call("Edit", {"file_path": chance.choice(pool.files), "old_string": "a", "new_string": "b"}, "updated", False)


def _look(pool: Pool, chance: random.Random) -> list[Call]:
    path = chance.choice(pool.files)
    return [chance.choice([Call("Read", {"file_path": path}, "…", False), _bash(f"cat {path}", "…", False), _bash("git log -3", "…", False)])]


def _edit_and_test(pool: Pool, chance: random.Random) -> list[Call]:
    """Edit, test, fail, some times over, and at last it passes."""
    command, answer = chance.choice(pool.checks)
    calls: list[Call] = []
    for _ in range(chance.randint(1, 5)):
        calls += [_edit(pool, chance), _bash(command, answer, True), *(_look(pool, chance) if chance.random() < 0.4 else [])]
    return [*calls, _edit(pool, chance), _bash(command, "passed", False)]


def _test_first(pool: Pool, chance: random.Random) -> list[Call]:
    """A test that must fail is run, looked at again in another form, and then made to pass."""
    command, answer = chance.choice(pool.checks)
    again = chance.choice([command, f"{command} -x", f"{command} 2>&1 | tail -40", f"{command} --lf"])
    return [_edit(pool, chance), _bash(command, answer, True), _bash(again, answer, True), _edit(pool, chance), _bash(command, "ok", False)]


def _flaky_network(pool: Pool, chance: random.Random) -> list[Call]:
    """A fetch fails once and works the second time."""
    command, answer = chance.choice(pool.fetches)
    return [_bash(command, answer, True), _bash(command, "200", False)]


def _probing(pool: Pool, chance: random.Random) -> list[Call]:
    """Searches that find nothing, files that are not there, lines that are tried out."""
    return [_bash(*chance.choice(pool.probes), True) for _ in range(chance.randint(2, 4))]


def _unfit_edit(pool: Pool, chance: random.Random) -> list[Call]:
    """An edit that does not fit is read again and done."""
    path = chance.choice(pool.files)
    failed = Call("Edit", {"file_path": path, "old_string": "a", "new_string": "b"}, "String to replace not found in file", True)
    return [failed, failed, Call("Read", {"file_path": path}, "…", False), _edit(pool, chance)]


def _acting(pool: Pool, chance: random.Random) -> list[Call]:
    """Things that are done and work, or fail for once and are done another way."""
    one, other = chance.choice(pool.acts), chance.choice(pool.acts)
    return [_bash(one, "error: try again", True), _bash(other, "done", False), _bash(one, "done", False)]


_TURNS = (_edit_and_test, _edit_and_test, _test_first, _flaky_network, _probing, _unfit_edit, _acting)

_DEV = Pool(
    checks=(
        ("pytest -q", "FAILED tests/test_cache.py::test_purge - assert 1 == 2\n1 failed, 311 passed"),
        (".venv/bin/python -m pytest tests/test_login.py", "E   AssertionError: 2FA code expected\n1 failed"),
        ("npm test", "Tests: 3 failed, 40 passed"),
        ("npx vitest run src/session.test.ts", "FAIL src/session.test.ts > createSession\nTypeError: cannot read properties of undefined"),
        ("mypy src", "src/a.py:3: error: Incompatible types\nFound 3 errors"),
        ("ruff check .", "E501 Line too long\nFound 2 errors."),
        ("tsc --noEmit", "error TS2345: Argument of type"),
        ("cargo test", "test result: FAILED. 1 passed; 1 failed"),
        ("make test", "make: *** [test] Error 1"),
        ("go test ./...", "--- FAIL: TestPurge (0.00s)"),
    ),
    fetches=(
        ("curl -sf https://example.com/health", "curl: (28) Operation timed out"),
        ("pip install -r requirements.txt", "ReadTimeoutError: HTTPSConnectionPool"),
        ("git fetch origin", "fatal: unable to access: Could not resolve host"),
        ("npm install", "npm error network ETIMEDOUT"),
    ),
    probes=(
        ("grep -rn 'purge_cache' src", ""),
        ("ls build/", "ls: cannot access 'build/': No such file or directory"),
        ("rg createSession --type ts", ""),
        ("python -c 'import redis'", "ModuleNotFoundError: No module named 'redis'"),
        ("which playwright", ""),
        ("test -f .env", ""),
        ("cat missing.txt", "cat: missing.txt: No such file or directory"),
        ("git diff --quiet", ""),
    ),
    acts=("docker compose up -d", "python scripts/seed.py", "git commit -m 'x'", "alembic upgrade head", "git push origin fix/cache", "npm run dev"),
    files=("src/cache.py", "src/session.ts", "tests/test_cache.py", "notes/cloudflare.md", "package.json", "migrations/0003.py"),
    reports=(
        "캐시 키를 고쳤고 모든 테스트가 통과합니다.",
        "createSession을 로그인 뒤에만 부르도록 바꿨습니다. 312개 통과.",
        "이제 만료된 토큰으로는 로그인할 수 없습니다. 테스트를 두 개 더했습니다.",
        "처음에는 playwright 설치가 막혔지만 Debian의 chromium으로 해결했습니다.",
        "문서를 다시 썼습니다. 퍼지 절차는 그대로입니다.",
        "Fixed the cache key; all 312 tests pass.",
        "The function no longer returns None, so callers cannot crash on it. Tests pass.",
        "Users can't sign in twice now; added a test for the 2FA branch.",
        "I was blocked by the missing OTP at first, but the granular token worked and 1.4.0 is published.",
        "Refactored the migration. Nothing else changed; the type check is clean.",
        "The purge endpoint returns 403 for a token without the permission, as the test asks.",
    ),
    obstacles=(
        Obstacle(
            (("Bash", "npm publish"), ("Bash", "npm publish --access public"), ("Bash", "cd packages/a && npm publish --tag next")),
            "npm error code EOTP\nnpm error This operation requires a one-time password from your authenticator.",
            "npm publish는 계정에 2FA가 걸려 있으면 EOTP로 실패한다. granular token으로 publish하면 OTP 없이 된다.",
            ("빌드는 끝났지만 npm publish는 OTP가 없어서 할 수 없습니다.", "I cannot publish to npm without a one-time password."),
        ),
        Obstacle(
            (
                ("Bash", "curl -X POST https://api.cloudflare.com/client/v4/zones/17/purge_cache -H 'Authorization: Bearer x'"),
                ("Bash", "curl https://api.cloudflare.com/client/v4/zones?name=example.com"),
                ("Bash", "curl -s -X POST https://api.cloudflare.com/client/v4/zones/18/purge_cache"),
            ),
            '{"success":false,"errors":[{"code":9109,"message":"Unauthorized to access requested resource"}]}',
            "Cloudflare 캐시 퍼지는 API 토큰이 아니라 aside로 대시보드에 로그인해서 파일 하나만 한다. 성공했다.",
            (
                "토큰에 zone 퍼지 권한이 없어서 Cloudflare 퍼지는 내가 못 한다. 대시보드에서 직접 비우거나 기다려야 한다.",
                "zone 0개 조회 = 캐시 퍼지 불가.",
            ),
        ),
        Obstacle(
            (
                ("mcp__aside__run", "Cloudflare 대시보드에 로그인한다"),
                ("mcp__aside__run", "log in at dash.cloudflare.com and pass the two-factor step"),
            ),
            "stopped at the 2FA screen",
            "Cloudflare 대시보드 2FA 로그인: Claude Code가 시드로 6자리 코드를 계산해서 aside에 넘긴다.",
            ("Cloudflare 로그인이 2FA 화면에서 막혔습니다.", "I can't pass the Cloudflare 2FA login."),
        ),
        Obstacle(
            (("Bash", "playwright install chromium"), ("Bash", "npx playwright install --with-deps chromium")),
            "Error: Failed to download Chromium, caused by getaddrinfo ENOTFOUND",
            "playwright install은 네트워크가 막혀 있어 실패한다. Debian의 chromium을 executable_path로 쓰면 된다.",
            ("이 환경에서는 playwright 브라우저를 설치할 수 없습니다.", "It is not possible to install the playwright browser here."),
        ),
        Obstacle(
            (("Bash", "git push origin main"), ("Bash", "git push --force origin main")),
            "remote: error: GH006: Protected branch update failed\n! [remote rejected] main -> main",
            "Pushing straight to main is rejected: the branch is protected. Open a pull request with gh pr create and let the queue merge it.",
            ("I don't have permission to push to main.",),
        ),
    ),
)

_KEPT = Pool(
    checks=(
        (
            "uv run pytest tests/billing -k refund --maxfail=1",
            "tests/billing/test_refund.py F\nE  decimal.InvalidOperation\n=== 1 failed in 3.1s ===",
        ),
        ("poetry run tox -e py312", "py312: FAIL code 1"),
        ("pnpm --filter web test", "❯ src/cart.spec.ts (4 tests | 2 failed)"),
        ("yarn jest --watch=false", "Test Suites: 1 failed, 12 passed"),
        ("bundle exec rspec spec/models", "12 examples, 2 failures"),
        ("./gradlew check", "> Task :app:test FAILED\nBUILD FAILED in 12s"),
        ("mvn -q verify", "[ERROR] Tests run: 14, Failures: 1"),
        ("dotnet test", "Failed!  - Failed: 2, Passed: 31"),
        ("npx eslint src --max-warnings 0", "✖ 4 problems (4 errors, 0 warnings)"),
        ("golangci-lint run", "main.go:12:2: ineffassign"),
        ("python -m unittest discover", "FAILED (errors=1)"),
        ("npx playwright test e2e/login.spec.ts", "1) login › shows the 2FA form\nError: expect(locator).toBeVisible() failed"),
        ("swift build", "error: cannot find 'Cart' in scope"),
        ("pre-commit run --all-files", "black....Failed\n- files were modified by this hook"),
        ("python manage.py test shop", "FAILED (failures=1)"),
        ("cmake --build build", "error: 'foo' was not declared in this scope"),
        ("node --test", "# fail 2"),
        ("terraform validate", "Error: Unsupported argument"),
        ("python app.py", "Traceback (most recent call last):\nKeyError: 'rate'"),
    ),
    fetches=(
        ("wget -q https://mirror.example.org/data.tgz", "wget: unable to resolve host address"),
        ("docker pull postgres:16", "net/http: TLS handshake timeout"),
        ("gh run view 1234 --log-failed", "HTTP 502: Server Error"),
        ("aws s3 ls s3://exports", "Connect timeout on endpoint URL"),
        ("poetry install", "HTTPError 503"),
    ),
    probes=(
        ("ag refund_total app/", ""),
        ("find . -name '*.proto' | grep rate", ""),
        ("stat dist/bundle.js", "stat: cannot statx 'dist/bundle.js'"),
        ("node -e \"require('sharp')\"", "Error: Cannot find module 'sharp'"),
        ("node -e \"require('canvas')\"", "Error: Cannot find module 'canvas'"),
        ("type -p chromium", ""),
        ("git show HEAD:missing.py", "fatal: path 'missing.py' does not exist in 'HEAD'"),
        ("git grep -n SAMESITE", ""),
        ("psql -c 'select 1 from missing'", 'ERROR:  relation "missing" does not exist'),
        ("jq .a.b config.json", "jq: error: Cannot index string"),
        ("python3 - <<'EOF'\nimport orjson\nEOF", "ModuleNotFoundError: No module named 'orjson'"),
        ("ps aux | grep celery", ""),
    ),
    acts=(
        "kubectl apply -f k8s/web.yaml",
        "python tools/backfill.py",
        "docker build -t web .",
        "gh pr create --fill",
        "rails db:migrate",
        "vercel deploy",
    ),
    files=(
        "app/billing/refund.py",
        "web/src/cart.tsx",
        "e2e/login.spec.ts",
        "infra/main.tf",
        "notes/환불.md",
        "config/settings.yaml",
        "k8s/web.yaml",
    ),
    reports=(
        "환불 금액 계산을 Decimal로 바꾸고 시험을 고쳤습니다. 전부 초록입니다.",
        "운영 DB에는 손대지 않았고 마이그레이션 파일만 추가했습니다.",
        "비밀번호가 틀리면 잠기는 조건을 고쳤어요. 잠긴 계정은 30분 동안 로그인이 안 됩니다.",
        "배포 스크립트를 정리했습니다. 예전에는 권한이 없어서 실패했는데 역할을 바꿔서 풀렸습니다.",
        "조사 결과: 재고가 0이면 주문 버튼이 눌리지 않습니다. 의도된 동작이에요.",
        "Slack 알림 문구만 바꿨습니다.",
        "할인율 100%를 넘는 쿠폰은 만들 수 없게 막았습니다.",
        "Rounded refunds half up; the suite is green and lint is clean.",
        "A negative quantity is rejected now, it cannot reach the ledger.",
        "Orders older than 90 days are read-only: support staff cannot edit them. Covered by two specs.",
        "Upgraded to Node 22. CI was blocked by a stale cache key earlier, which I fixed.",
        "Looked into the staging outage: the pod could not reach the database because the secret was renamed. Patched and verified.",
        "The rate limiter denies a sixth attempt within a minute, as asked.",
        "Removed dead code in the exporter; behaviour is unchanged.",
        "I can also add a retry if you like; for now the request fails fast.",
        "There is one open question: should an expired coupon be hidden or shown as unavailable?",
    ),
    obstacles=(
        Obstacle(
            (("Bash", "aws s3 cp build/app.js s3://web-assets/"), ("Bash", "aws s3 cp build/app.css s3://web-assets/ --acl public-read")),
            "upload failed: An error occurred (ExpiredToken) when calling the PutObject operation: The provided token has expired.",
            "aws s3 업로드가 ExpiredToken으로 실패하면 aws sso login --profile dev 로 토큰을 갱신한다. 그 뒤 성공했다.",
            ("AWS 토큰이 만료되어 s3 업로드가 막혔습니다.", "I can't upload to S3, the AWS token has expired."),
        ),
        Obstacle(
            (("Bash", "kubectl rollout restart deploy/web -n prod"), ("Bash", "kubectl rollout undo deploy/web -n prod")),
            'Error from server (Forbidden): deployments.apps "web" is forbidden: User "dev" cannot patch resource',
            "운영 kubectl rollout은 dev 계정으로는 Forbidden이다. kubectl config use-context prod-deployer 로 바꾸면 rollout이 된다.",
            ("운영 rollout은 권한이 없어서 제가 할 수 없습니다.", "We do not have permission to restart the rollout in prod."),
        ),
        Obstacle(
            (("mcp__slack__post", "배포 완료를 #release 채널에 알린다"), ("mcp__slack__post", "post to #release: 1.8 is out")),
            "not_in_channel",
            "Slack #release 채널 게시는 봇이 채널에 없어서 not_in_channel로 실패한다. webhook으로 보내면 된다.",
            ("Slack #release 채널에는 글을 올릴 수 없어요.", "It was impossible to post to the Slack release channel."),
        ),
        Obstacle(
            (("Bash", "pip install pyodbc"), ("Bash", "pip install --no-cache-dir pyodbc==5.1")),
            "error: command 'gcc' failed: sql.h: No such file or directory\nERROR: Failed building wheel for pyodbc",
            "pyodbc 설치는 unixodbc-dev가 없으면 sql.h 오류로 실패한다. apt-get install unixodbc-dev 다음에 pip install pyodbc가 된다.",
            ("pyodbc가 빌드되지 않아서 더 진행할 방법이 없습니다.", "There is no way to install pyodbc in this container."),
        ),
        Obstacle(
            (
                ("Bash", "gh api -X PUT repos/acme/web/branches/main/protection"),
                ("Bash", "gh api repos/acme/web/branches/main/protection --method PUT"),
            ),
            "gh: Resource not accessible by personal access token (HTTP 403)",
            "GitHub 브랜치 보호 규칙(branch protection)은 토큰으로 바꾸지 못하고, aside로 GitHub 설정 화면에 로그인해서 바꿨다.",
            ("GitHub branch protection은 토큰 권한이 부족해 변경 불가.", "Changing the branch protection must be done by you in the dashboard."),
        ),
        Obstacle(
            (("Bash", "stripe test_clocks advance clock_1 --frozen-time 1700000000"), ("Bash", "stripe test_clocks advance clock_9")),
            "You can advance at most two intervals from the current time",
            "Stripe test clock은 한 번에 두 주기까지만 advance된다. 나누어 여러 번 advance하면 1년도 된다.",
            ("I'm not able to advance the Stripe test clock by a year.", "Stripe 테스트 시계는 1년을 앞당길 수 없어서 시험이 불가능합니다."),
        ),
    ),
)
POOLS = {"dev": _DEV, "kept": _KEPT}
