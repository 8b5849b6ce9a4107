"""The audit: no row is lost, whoever writes; what gates decided is counted; a gate that fails or has gone quiet is told; tests stay out of it."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.config import AUDIT_FILE
from knowledge.errors import StoreCorruptError, StoreError
from knowledge.operations import write_gate as gate_module
from knowledge.operations.attending import FAILED, attend
from knowledge.operations.audit import PROBE, audit, troubles
from knowledge.operations.project import Project, open_project
from knowledge.operations.record import UNANCHORED, Draft, record
from knowledge.operations.status import status
from knowledge.records.agent_events import AgentEvent, Reply
from knowledge.records.claims import Author
from knowledge.storage.audit import MEANWHILE, TESTS_BELOW, Decision, open_audit

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
WRITER = """
import sys
from pathlib import Path
from knowledge.storage.audit import Call, Decision, open_audit
path, name, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
for number in range(count):
    with open_audit(path) as store:
        row = Decision("2026-11-30T12:00:00Z", "claude", "2.1", name, "before_call", "Bash", "triggered", "match", claims=(f"{name}-{number}",))
        store.close_moment("claude", name, {"given": list(row.claims)}, [row], Call(row.at, "claude", name, "before_call", "Bash", {"n": number}))
"""


def decided(at: datetime, gate: str = "triggered", outcome: str = "miss", **more: object) -> Decision:
    """A row of another day."""
    return Decision(at.strftime("%Y-%m-%dT%H:%M:%SZ"), "claude", "2.1", "s1", "before_call", "Bash", gate, outcome, **more)  # type: ignore[arg-type]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "knowledge" / "audit.sqlite3"


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("a.py", "x = 1\n")
    repo.commit("Add a")
    with open_project(repo.path, Author("person", "ada"), create=True) as opened:
        yield opened


def test_many_agents_at_once_lose_no_row(path: Path) -> None:
    """Eight processes, each opening the store anew for every call."""
    command = [sys.executable, "-c", WRITER, str(path)]
    writers = [subprocess.Popen([*command, f"s{number}", "25"], stderr=subprocess.PIPE, text=True) for number in range(8)]
    assert [(writer.communicate()[1], writer.returncode) for writer in writers] == [("", 0)] * 8
    with open_audit(path) as store:
        assert len(store.decisions()) == len(store.calls()) == 200
        assert [len(store.state("claude", f"s{number}")["given"]) for number in range(8)] == [25] * 8


def test_of_two_moments_that_give_one_memory_the_first_gives_it(path: Path) -> None:
    """Tools are called in parallel; both began before either ended."""
    with open_audit(path) as one, open_audit(path) as two:
        row = decided(NOW, outcome="match", claims=("c_1",))
        assert one.close_moment("claude", "s1", {"given": ["c_1"]}, [row]) == frozenset()
        assert two.close_moment("claude", "s1", {"given": ["c_1"]}, [row]) == {"c_1"}
        assert [(d.outcome, d.cause) for d in one.decisions()] == [("match", ""), ("miss", MEANWHILE)]


def test_a_locked_audit_lets_the_call_go_on_and_is_counted(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody holds the write lock for longer than anybody waits."""
    monkeypatch.setattr("knowledge.storage.audit._WAIT_SECONDS", 0.05)
    event = AgentEvent("claude", "stop", "s1", message="done")
    attend(project, event)
    holder = sqlite3.connect(project.home / AUDIT_FILE, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    assert attend(project, event) == Reply()
    holder.close()
    assert project.index.counts()[FAILED] == 1


def test_a_full_disk_lets_the_call_go_on_and_is_counted(project: Project) -> None:
    """SQLite's own failure, by a bound on the pages of the file."""
    event = AgentEvent("claude", "prompt", "s1", prompt="x " * 3_000)
    attend(project, event)
    project.audit._connection.execute("PRAGMA max_page_count = 1")
    replies = [attend(project, event) for _ in range(20)]
    assert set(map(repr, replies)) == {repr(Reply())} and project.index.counts()[FAILED] >= 1


def test_an_audit_with_other_tables_than_it_says_lets_the_call_go_on_and_is_counted(project: Project) -> None:
    """As a damaged one: its own file is named, nothing is said to the agent."""
    project.audit._connection.executescript("DROP TABLE decision; CREATE TABLE decision (id INTEGER PRIMARY KEY);")
    with pytest.raises(StoreCorruptError, match=AUDIT_FILE):
        project.audit.decisions()
    assert attend(project, AgentEvent("claude", "prompt", "s1", prompt="go on")) == Reply() and project.index.counts()[FAILED] == 1


def test_what_the_write_gate_decides_is_a_row(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Match, miss, and that it did not run; the claim is stored all the same, also a long one."""
    record(project, Draft("Cloudflare 캐시 퍼지는 aside로 대시보드에서 성공했다.", anchors=(UNANCHORED,)))
    long = (
        "".join(f"{n}번째 파일을 올리고 눈으로 확인했다. " for n in range(120))
        + "Cloudflare 캐시 퍼지는 대시보드에서 할 수 없다. "
        + "다음 작업을 적어 둔다. " * 20
    )
    assert len(long) > 2_000
    answer = record(project, Draft(long, anchors=(UNANCHORED,)))
    assert answer.gate is not None and answer.gate.warnings

    def failing(*_: object) -> None:
        raise StoreError("the index is gone")

    monkeypatch.setattr(gate_module, "bring_up_to_date", failing)
    assert "did not run" in str(record(project, Draft("Nothing more.", anchors=(UNANCHORED,))).gate)
    with open_audit(project.home / AUDIT_FILE) as store:
        rows = [d for d in store.decisions() if d.adviser == "write_gate"]
    assert [d.outcome for d in rows] == ["miss", "match", "failed"] and rows[-1].cause.endswith("the index is gone")


def test_counts_by_day_gate_trigger_and_program(path: Path) -> None:
    """What an agent's programs did, without the probe's own rows."""
    with open_audit(path) as store:
        store.add([decided(NOW - timedelta(days=1), outcome="match", triggers=("cf",), claims=("c_1",), tokens=120, milliseconds=4.0)])
        store.add([decided(NOW), decided(NOW, outcome="failed", cause="store: full"), decided(NOW, "stuck")])
        store.add([Decision("2026-11-30T12:00:00Z", PROBE, "", "p", "before_call", "", "triggered", "match")])
    answer = audit(path, NOW, rows=2)
    days = [(day.day, day.match, day.miss, day.failed, day.tokens) for day in answer.days]
    assert days == [("2026-11-29", 1, 0, 0, 120), ("2026-11-30", 0, 2, 1, 0)]
    assert [(gate.name, gate.match, gate.miss, gate.failed, gate.causes) for gate in answer.gates] == [
        ("stuck", 0, 1, 0, {}),
        ("triggered", 1, 1, 1, {"store: full": 1}),
    ]
    assert [(trigger.id, trigger.match) for trigger in answer.triggers] == [("cf", 1)]
    assert answer.hosts == {"claude 2.1": 4} and [row.gate for row in answer.rows] == ["triggered", "stuck"]
    assert audit(path, NOW + timedelta(days=60)).decisions == 0


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([decided(NOW, outcome="failed", cause="query too long")] * 5, "as good as off: its last 5 decisions failed (query too long)"),
        ([*[decided(NOW, outcome="failed", cause="locked")] * 4, decided(NOW)], "fails: 4 of 5"),
        ([*[decided(NOW - timedelta(days=6))] * 5, decided(NOW, "before_edit")], "triggered has gone quiet: nothing since 2026-11-24"),
        ([decided(NOW)] * 200, "has not matched once in 200 decisions"),
    ],
)
def test_a_gate_that_fails_or_has_gone_quiet_is_told(path: Path, rows: list[Decision], told: str) -> None:
    """Each kind of trouble that went unseen elsewhere."""
    with open_audit(path) as store:
        store.add(rows)
    assert any(told in text for text in troubles(path, NOW))


def test_gates_that_work_are_not_told(path: Path) -> None:
    """Few failures, and a silence in which nobody did anything."""
    assert troubles(path, NOW) == []
    with open_audit(path) as store:
        store.add([*[decided(NOW - timedelta(days=6))] * 20, decided(NOW - timedelta(days=6), outcome="failed", cause="once")])
    assert troubles(path, NOW) == []


def test_status_tells_of_a_gate_that_is_off(project: Project) -> None:
    """Without anybody asking for the audit."""
    with open_audit(project.home / AUDIT_FILE) as store:
        store.add([decided(datetime.now(UTC), outcome="failed", cause="recall-failed")] * 5)
    assert any("triggered is as good as off" in note for note in status(project.home).notes)


@pytest.mark.parametrize("below", ["", "/nowhere"])
def test_a_test_never_writes_to_the_audit_of_real_work(tmp_path: Path, below: str) -> None:
    """Neither a test here nor the tests of somebody whose code calls this program: in a process of its own, by the whole way."""
    repo = GitRepo.create(tmp_path / "real")
    repo.write("a.py", "x = 1\n")
    repo.commit("Add a")
    with open_project(repo.path, Author("person", "ada"), create=True) as project:
        home = project.home
    environment = {name: value for name, value in os.environ.items() if name != TESTS_BELOW} | ({TESTS_BELOW: below} if below else {})
    command = [sys.executable, "-m", "knowledge", "--json", "claim", "record", "x is 1", "--anchor", "none"]
    done = subprocess.run(command, cwd=repo.path, env=environment, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["claim"]["statement"] == "x is 1"
    assert not (home / AUDIT_FILE).exists()
