"""Memory that comes by itself, in Claude Code, Codex CLI and Gemini CLI as they really are: nobody asks for it, and it is in front of the model.

Each run is judged by what the program sent to its (scripted) model, and at which turn. What a program does not allow is asked of it nowhere:
docs/hosts.md and `knowledge doctor` say what that is.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import UPSTREAM, set_up
from git_fixtures import GitRepo
from model_api import Call, Say, Scripted
from programs import ALL, CLAUDE, CODEX, GEMINI, Place, Program, Ran

from knowledge.config import AUDIT_FILE
from knowledge.operations import trigger_rows
from knowledge.operations.persons import Proof
from knowledge.operations.project import open_project
from knowledge.operations.record import UNANCHORED, Draft, record
from knowledge.records.claims import Author
from knowledge.storage.audit import Decision, open_audit
from knowledge.surfaces.cli.main import main
from knowledge.surfaces.daemon.client import __file__ as CLIENT

pytestmark = pytest.mark.skipif(not all(one.needs.exists() for one in ALL), reason="the agents' programs are not in tests/agents: make test-agents")

EVERY = pytest.mark.parametrize("program", ALL, ids=lambda one: one.name)
WAY = "Cloudflare 캐시 퍼지는 aside로 대시보드에 로그인해서 한다. 2FA 코드는 Claude Code가 계산해 6자리만 넘긴다. 성공했다."
MARK = "6자리만 넘긴다"
ROW = {
    "id": "cf",
    "tool": r"^(run|.*aside.*run|prompt)$",
    "argument": "task",
    "subject": ["cloudflare", "클라우드플레어"],
    "actions": [["purge", "퍼지", "login", "로그인"]],
    "recall": "Cloudflare 캐시 퍼지 로그인 2FA",
    "positive": ["Cloudflare 캐시를 퍼지해"],
    "negative": ["Cloudflare 문서를 읽어"],
}


@dataclass
class Site:
    """The project, what it remembers, and where programs run in it."""

    repo: GitRepo
    place: Place

    def run(self, program: Program, prompt: str, *turns: Scripted, more_words: Sequence[str] = ()) -> Ran:
        """Let a program answer; it must end well."""
        ran = self.place.run(program, prompt, *turns, more_words=more_words)
        assert ran.code == 0, ran.errors
        return ran

    def decisions(self) -> list[Decision]:
        """All rows of the audit."""
        with open_audit(self.repo.path / ".git" / AUDIT_FILE) as audit:
            return list(audit.decisions())


@pytest.fixture
def site(repo: GitRepo, place: Place) -> Iterator[Site]:
    """A way that worked is remembered, and a person approved the row that brings it."""
    with open_project(repo.path, Author("person", "ada")) as project:
        record(project, Draft(WAY, anchors=(UNANCHORED,)))
        trigger_rows.draft(project, ROW)
        trigger_rows.approve(project, "cf", "seen in replay", Proof(has_terminal=True))
    yield Site(repo, place)


def aside(task: str) -> Call:
    """A call of the server that does tasks in words."""
    return Call("run", {"task": task}, "aside")


@EVERY
def test_a_session_begins_with_what_is_stale(program: Program, site: Site) -> None:
    """The claim that fell is in front of the model at its first turn."""
    with open_project(site.repo.path, Author("person", "ada")) as project:
        record(project, Draft("`create_session` makes a dict", anchors=("body:src/session.py::create_session",)))
    site.repo.write("src/session.py", "def create_session(user):\n    return (user,)\n")
    site.repo.commit("Make it a tuple")
    set_up(site.repo, program)
    assert "`create_session` makes a dict" in site.run(program, "go on", [Say("done")]).model.seen(0)


@EVERY
@pytest.mark.parametrize("prompt", ["Cloudflare 캐시를 퍼지해 줘", "please purge the cloudflare cache"])
def test_what_a_person_asks_brings_the_memory(program: Program, prompt: str, site: Site) -> None:
    """Before the model's first turn, once, as what somebody observed; a prompt about something else brings no byte."""
    set_up(site.repo, program)
    seen = site.run(program, prompt, [Say("done")]).model.seen(0)
    assert seen.count(MARK) == 1
    assert MARK not in site.run(program, "Cloudflare 문서를 읽어 줘", [Say("done")]).model.seen(0)


@EVERY
def test_a_call_is_met_by_the_memory(program: Program, site: Site) -> None:
    """Where an argument can be rewritten without granting the call, it comes before the task is done; in Codex as text beside it."""
    set_up(site.repo, program)
    turns = [[program.shell("sleep 2")], [aside("Cloudflare 캐시를 퍼지한다")], [aside("다른 일을 한다")], [Say("done")]]
    ran = site.run(program, "일을 해 줘", *turns)
    met, other = ran.model.new(2), ran.model.new(3)
    assert MARK in met
    assert "did: 다른 일을 한다" in other
    if program is CODEX:
        assert "did: Cloudflare 캐시를 퍼지한다" in met
    else:
        assert "did: Cloudflare 캐시를 퍼지한다" not in met  # what the server got begins with the memory
    matched = [row for row in site.decisions() if row.adviser == "triggered" and row.outcome == "match"]
    assert [(row.host, row.moment) for row in matched] == [(program.name, "before_call")]


@EVERY
def test_a_gateway_meets_it_in_every_program(program: Program, site: Site) -> None:
    """In front of the same server, without any hook: the task begins with the memory, others are as they were."""
    upstream = f"{sys.executable} {UPSTREAM}"
    site.place.servers = {"aside": [sys.executable, "-m", "knowledge", "-C", str(site.repo.path), "gateway", "--upstream", upstream]}
    turns = [[program.shell("sleep 5")], [aside("Cloudflare 캐시를 퍼지한다")], [aside("다른 일을 한다")], [Call("fail", {}, "aside")], [Say("done")]]
    ran = site.run(program, "일을 해 줘", *turns)
    assert MARK in ran.model.new(2) and "did: Cloudflare" not in ran.model.new(2)
    assert "did: 다른 일을 한다" in ran.model.new(3)
    assert "invalid token" in ran.model.new(4)


@EVERY
def test_an_edit_is_met_by_the_claims_that_it_touches(program: Program, site: Site) -> None:
    """Those on the function that is changed, and no others, by the turn after it at the latest."""
    with open_project(site.repo.path, Author("person", "ada")) as project:
        record(project, Draft("세션은 사용자 이름만 담는다", anchors=("body:src/session.py::create_session",)))
    set_up(site.repo, program)
    edit = program.edit(site.repo.path / "src" / "session.py", "    return {'user': user}", "    return {'user': user, 'n': 1}")
    ran = site.run(program, "n을 넣어 줘", [program.shell("echo begin")], [edit], [Say("done")])
    assert "세션은 사용자 이름만 담는다" not in ran.model.seen(1)
    assert "세션은 사용자 이름만 담는다" in ran.model.seen(2)
    assert MARK not in ran.model.seen(2)


@EVERY
def test_two_failures_in_a_row_bring_it(program: Program, site: Site) -> None:
    """The same operation fails twice and nothing was changed in between: what is remembered comes with the second failure, not with the first."""
    script = site.repo.write("tools/purge-cloudflare.sh", "#!/bin/sh\necho 'error: cloudflare zone purge needs 2FA login' >&2\nexit 1\n")
    script.chmod(0o755)
    site.repo.commit("Add a script")
    set_up(site.repo, program)
    call = program.shell("sh tools/purge-cloudflare.sh cache")
    ran = site.run(program, "캐시를 비워 줘", [call], [call], [Say("done")])
    assert MARK not in ran.model.seen(1)
    assert MARK in ran.model.seen(2)


@EVERY
@pytest.mark.parametrize(
    "report",
    [
        "배포는 끝났습니다. 토큰에 zone 퍼지 권한이 없어서 Cloudflare 캐시 퍼지는 내가 못 한다.",
        "The deploy is done, but I cannot purge the Cloudflare cache: the token has no zone permission.",
    ],
    ids=["ko", "en"],
)
def test_the_story_of_58_seconds(program: Program, report: str, site: Site) -> None:
    """A way is stored; the agent is about to declare that there is none. It goes on once with the memory in front of it, and may then end."""
    set_up(site.repo, program)
    zones = program.shell('echo \'{"result": [], "success": true}\'')
    ran = site.run(program, "새 CSS를 배포해 줘", [zones], [Say(report)], [Say(report)])
    assert MARK not in ran.model.seen(1)
    assert MARK in ran.model.seen(2)
    assert len(ran.model.requests) == 3, "it is told once, never in a loop"


@EVERY
def test_a_session_off_the_record(program: Program, site: Site) -> None:
    """A person wishes that a session is not remembered: nothing is pushed into it any more, and what it records is refused."""
    set_up(site.repo, program)
    recorded = Call("record_claim", {"claim": {"statement": "`create_session` takes a user"}}, "knowledge")
    turns = [[program.shell("sleep 2")], [aside("Cloudflare 캐시를 퍼지한다")], [recorded], [Say("Cloudflare 캐시 퍼지는 내가 못 한다.")]]
    ran = site.run(program, "이 세션은 기억하지 마. 일을 해 줘", *turns)
    assert MARK not in ran.model.seen(-1)
    with open_project(site.repo.path, Author("person", "ada")) as project:
        assert [claim.statement for claim in project.ledger.claims()] == [WAY]


@EVERY
def test_push_off_is_silent(program: Program, site: Site) -> None:
    """One command, and not a byte comes."""
    set_up(site.repo, program)
    assert main(["-C", str(site.repo.path), "push", "off"]) == 0
    ran = site.run(program, "Cloudflare 캐시를 퍼지해 줘", [Say("Cloudflare 캐시 퍼지는 내가 못 한다.")])
    assert MARK not in ran.model.seen(-1) and len(ran.model.requests) == 1


@EVERY
def test_hooks_of_a_removed_installation_let_all_go_on(program: Program, site: Site) -> None:
    """The files of the hooks' program are gone: every call is made, nothing is said, the program ends well."""
    set_up(site.repo, program)
    gone = str(Path(CLIENT).with_name("gone.py"))
    for name in (".claude/settings.local.json", ".codex/hooks.json", ".gemini/settings.json"):
        file = site.repo.path / name
        if file.is_file():
            file.write_text(file.read_text(encoding="utf-8").replace(CLIENT, gone), encoding="utf-8")
    ran = site.run(program, "Cloudflare 캐시를 퍼지해 줘", [program.shell("expr 40 + 2")], [Say("done")])
    assert "42" in ran.model.seen(1) and MARK not in ran.model.seen(1)


def test_the_same_hooks_in_two_places_say_it_once(site: Site) -> None:
    """A person has our hooks in the settings of the home and of the project: one memory, one row of the audit."""
    set_up(site.repo, CLAUDE)
    settings = site.place.home / ".claude" / "settings.json"
    settings.parent.mkdir(parents=True)
    written = json.loads((site.repo.path / ".claude" / "settings.local.json").read_text(encoding="utf-8"))
    for groups in written["hooks"].values():
        for hook in (hook for group in groups for hook in group["hooks"]):
            hook["timeout"] = 9  # or the program itself takes them for one
    settings.write_text(json.dumps(written), encoding="utf-8")
    ran = site.run(CLAUDE, "Cloudflare 캐시를 퍼지해 줘", [aside("Cloudflare 캐시를 퍼지한다")], [Say("done")])
    assert ran.model.seen(0).count(MARK) == 1
    assert len([row for row in site.decisions() if row.adviser == "triggered" and row.outcome == "match"]) == 1


def test_a_hook_grants_nothing(site: Site) -> None:
    """A call that the person did not allow is refused as before, though its argument would have been rewritten."""
    set_up(site.repo, CLAUDE)
    words = list(CLAUDE.words)
    words[words.index("--allowedTools") + 1] = "Read"
    strict = Program(CLAUDE.name, CLAUDE.dialect, words, CLAUDE.needs)
    ran = site.run(
        strict,
        "일을 해 줘",
        [Call("Read", {"file_path": str(site.repo.path / "src/session.py")})],
        [aside("Cloudflare 캐시를 퍼지한다")],
        [Say("end")],
    )
    assert "did: " not in ran.model.seen(-1)
    assert "permission" in ran.model.new(2)


def test_what_an_agent_delegates_to_is_met_too(site: Site) -> None:
    """In Claude Code a delegate does not see how its session began; it is told at its own beginning."""
    with open_project(site.repo.path, Author("person", "ada")) as project:
        record(project, Draft("`create_session` makes a dict", anchors=("body:src/session.py::create_session",)))
    site.repo.write("src/session.py", "def create_session(user):\n    return (user,)\n")
    site.repo.commit("Make it a tuple")
    set_up(site.repo, CLAUDE)
    task = {"description": "look", "prompt": "DELEGATED look at sessions", "subagent_type": "general-purpose", "run_in_background": False}
    ran = site.run(CLAUDE, "go on", [Call("Agent", task)], [Say("looked")], [Say("done")])
    delegated = [number for number, request in enumerate(ran.model.requests) if "DELEGATED" in json.dumps(request["messages"][0])]
    assert delegated
    assert "`create_session` makes a dict" in ran.model.seen(delegated[0])


def test_untrusted_hooks_of_codex_are_told_and_never_trusted_by_us(
    site: Site, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Codex silently runs no hook that a person did not trust: `doctor` says so, and nothing of ours writes the trust."""
    set_up(site.repo, CODEX)
    words = [word for word in CODEX.words if word != "--dangerously-bypass-hook-trust"]
    ran = site.run(Program(CODEX.name, CODEX.dialect, words, CODEX.needs), "Cloudflare 캐시를 퍼지해 줘", [Say("done")])
    assert MARK not in ran.model.seen(0)
    monkeypatch.setenv("CODEX_HOME", str(site.place.home / ".codex"))
    capsys.readouterr()
    main(["-C", str(site.repo.path), "doctor"])
    assert "/hooks" in capsys.readouterr().out
    assert "trusted_hash" not in (site.place.home / ".codex" / "config.toml").read_text(encoding="utf-8")


def test_a_rewritten_argument_is_told(site: Site) -> None:
    """The conversation keeps the task as the model wrote it, so the model is told that more was put before it."""
    set_up(site.repo, GEMINI)
    ran = site.run(GEMINI, "일을 해 줘", [GEMINI.shell("sleep 1")], [aside("Cloudflare 캐시를 퍼지한다")], [Say("done")])
    assert "modified by a hook" in ran.model.new(2)
