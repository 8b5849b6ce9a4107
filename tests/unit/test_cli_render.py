"""Answers as lines for people: what stands out, what is wrapped, what is never obeyed."""

import io
import json
import re
from collections.abc import Callable
from dataclasses import fields, replace
from typing import get_args

import pytest
from rich.cells import cell_len
from rich.console import Console

from knowledge.records.answers import (
    CauseLine,
    Checked,
    ClaimLine,
    ClaimsAnswer,
    DoctorAnswer,
    EdgeLine,
    EvidenceLine,
    Finding,
    GraphAnswer,
    StatusAnswer,
    TreeName,
)
from knowledge.records.claims import StaleReason, Status
from knowledge.records.invalidations import StaleAnswer, StaleGroup, StaleLine
from knowledge.surfaces.cli import screen
from knowledge.surfaces.cli.app import SECTIONS
from knowledge.surfaces.cli.commands import context
from knowledge.surfaces.cli.reference import answer_class, answer_names, entries
from knowledge.surfaces.cli.render.lines import REASONS, STATUS_STYLES
from knowledge.surfaces.cli.render.table import CLAIM_IDS, RENDERINGS
from knowledge.surfaces.cli.settings import Settings
from knowledge.surfaces.cli.status_view import status_lines

TREE = TreeName("HEAD+dirty", "a1b2c3d4e5f60718293a4b5c6d7e8f9001122334", "key", True, "pygit2")
CAUSE = CauseLine(
    "counter_evidence", "callers:src/session.py::create", "src/refresh.py:12", "src/refresh.py::refresh calls it too", commit="9f8e7d6c5b4a3210"
)
CLAIM = ClaimLine(
    "c_1a2b3c4d5e6f",
    "observation",
    "stale",
    "createSession is only called from authenticate",
    (CAUSE,),
    "a1b2c3d4",
    False,
    ("auth",),
    "recorded by person:Ada",
)
KOREAN = replace(CLAIM, id="c_000000000001", statement="세션 저장소는 메모리에만 둔다. " * 8, status="needs_review", causes=())
HOSTILE = replace(
    CLAIM, id="c_000000000002", statement="[bold red]x[/] \x1b[2J\x07 \u202eevil :smile: [link=http://a]b[/link]", status="active", causes=()
)
CLAIMS = ClaimsAnswer(TREE, (CLAIM, KOREAN, HOSTILE), {"stale": 1, "needs_review": 1, "active": 1}, Checked(2, 1, ("1 does not parse",)))
FALLEN = StaleLine(
    **{field.name: getattr(CLAIM, field.name) for field in fields(CLAIM)}, since="2026-01-01", age_days=3, owner="person:Ada", dependents=2
)
STALE = StaleAnswer(
    TREE, (StaleGroup("src/session.py::create", (FALLEN,), "symbol", "src/session.py::create"),), {"stale": 1, "active": 9}, Checked(10)
)


def rows(answer: object, *, is_terminal: bool = False) -> list[str]:
    """The answer as it is printed on 80 columns, colours and all."""
    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=is_terminal, no_color=False, highlight=False, legacy_windows=False)
    for line in RENDERINGS[type(answer)](answer):
        console.print(screen.lay_out(line, console), soft_wrap=True)
    return out.getvalue().splitlines()


def plain(lines: list[str]) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(lines))


def test_a_stale_claim_says_what_where_by_which_commit_and_what_next() -> None:
    """One look tells the status, the statement, the cause with its place and commit, and the next command."""
    text = plain(rows(STALE))
    for part in ("HEAD+dirty (on a1b2c3d4): 1 stale · 9 active", "stale", CLAIM.statement, "counter-evidence", "src/refresh.py:12", "9f8e7d6c5b"):
        assert part in text
    assert "of person:Ada, for 3 days, 2 claims rest on it" in text
    assert "next:  knowledge claim why c_1a2b3c4d5e6f" in text


def test_what_fits_on_a_terminal_is_wrapped_behind_its_margin() -> None:
    """No row is wider than the terminal, also in Korean, and no text starts left of its column."""
    lines = [plain([row]) for row in rows(CLAIMS, is_terminal=True)]
    assert max(cell_len(row) for row in lines) <= 80
    korean = [row for row in lines if "메모리에만" in row]
    assert len(korean) > 2
    assert all(row.startswith(" " * len("needs_review  ")) for row in korean[1:])


def test_a_pipe_gets_one_row_a_line_without_colour() -> None:
    """Elsewhere than on a terminal nothing is wrapped, cut or coloured."""
    lines = rows(CLAIMS)
    assert any(KOREAN.statement.strip() in row for row in lines)
    assert "\x1b" not in "".join(lines)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_hostile_statement_is_shown_and_not_obeyed(is_terminal: bool) -> None:
    """Markup, escape sequences, emoji codes and bidi overrides in a claim are printed as what they are."""
    printed = rows(CLAIMS, is_terminal=is_terminal)
    text = plain(printed)
    assert "[bold red]x[/] \\x1b[2J\\x07 \\u{202e}evil :smile: [link=http://a]b[/link]" in re.sub(r"\s*\n\s*", " ", text)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", text.replace("\n", ""))
    assert "\x1b[2J" not in "".join(printed)


def test_statuses_are_coloured_on_a_terminal() -> None:
    """The word stale is what stands out."""
    assert any("\x1b[1;31mstale" in row for row in rows(STALE, is_terminal=True))


def test_nothing_checked_is_never_clean() -> None:
    """Without a claim to check the answer says so instead of being reassuring."""
    text = plain(rows(StaleAnswer(TREE, (), {}, Checked(0))))
    assert "nothing was checked" in text
    assert "nothing must be looked at" not in text


def test_what_could_not_be_checked_is_told_with_the_reason() -> None:
    """checked N, could not check M, because …"""
    assert "checked 2 · could not check 1\n  because: 1 does not parse" in plain(rows(CLAIMS))


def test_an_empty_graph_answer_is_never_a_bare_none() -> None:
    """No edge found comes with what the analysis cannot show."""
    text = plain(rows(GraphAnswer(TREE, "callers", "a.py::f", (), 0, 0, 0, ("dynamic-call: getattr(x, n)()",))))
    assert "none was found, which does not mean that there is none" in text
    assert "dynamic-call: getattr(x, n)()" in text


def test_resolved_and_inferred_edges_stand_apart() -> None:
    """Proved edges come first; guesses follow under their own heading, with how many rivals they have."""
    known = EdgeLine("b.py::g", "calls", "a.py::f", "resolved", "import", "b.py:3", 0, "knowledge 1")
    again = replace(known, place="b.py:8")
    guess = replace(known, subject="c.py::h", confidence_kind="inferred", reason="receiver-name", place="c.py:9", rivals=2)
    text = plain(rows(GraphAnswer(TREE, "callers", "a.py::f", (guess, known, again), 2, 1, 4, ())))
    told = ["resolved  name resolution", "b.py:3, 8  g  import", "inferred  chosen by name", "c.py:9  h  receiver-name 2 rivals", "4 more not shown"]
    order = [text.index(part) for part in told]
    assert order == sorted(order)


def test_doctor_tells_the_worst_first_and_what_to_do() -> None:
    """Errors come before warnings and warnings before what is well; each says its fix."""
    answer = DoctorAnswer((Finding("ok", "fine", "it is"), Finding("warning", "w", "hm"), Finding("error", "e", "broken", "repair it")), Checked(3))
    text = plain(rows(answer))
    order = [text.index(part) for part in ("error    e     broken", "fix: repair it", "warning  w     hm", "ok       fine")]
    assert order == sorted(order)


def test_every_command_has_a_rendering() -> None:
    """What a command answers can be shown; status and completion scripts are written without rich."""
    # The pack adds its own when the command is loaded.
    assert context.ContextPack in RENDERINGS
    names = {name for _, entry in entries() for name in answer_names(entry)} - {"StatusAnswer", "CompletionAnswer"}
    assert {answer_class(name) for name in names} == set(RENDERINGS)
    assert set(CLAIM_IDS) <= set(RENDERINGS)
    assert list(SECTIONS) == ["Set up", "Claims", "Code", "Agents", "Runs", "Carry"]


def test_statuses_and_reasons_have_words() -> None:
    """Every status has a style and every reason words, so that no bare code is all there is."""
    assert set(STATUS_STYLES) == set(get_args(Status))
    assert set(REASONS) == set(get_args(StaleReason))


def written(answer: object, settings: Settings, capsys: pytest.CaptureFixture[str]) -> str:
    screen.show(answer, settings)
    return capsys.readouterr().out


def test_quiet_leaves_ids_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """With --quiet a list of claims is their ids, one a line, for other programs."""
    assert written(CLAIMS, Settings(is_quiet=True), capsys).splitlines() == [CLAIM.id, KOREAN.id, HOSTILE.id]


def test_code_is_left_for_the_terminal_to_break() -> None:
    """An excerpt keeps its lines, however long: wrapped code misleads."""
    long = "x = " + "1 + " * 60
    piece = EvidenceLine("e_1", "ast", None, "a.py", "3", "python", "", "", "a.py::f", "", "ab", "syntax", "the rest", f"def f():\n\t{long}")
    assert any(long.rstrip() in plain([row]) for row in rows(piece, is_terminal=True))


def test_a_hint_can_be_pasted_from_where_it_was_given(capsys: pytest.CaptureFixture[str]) -> None:
    """With -C the next command has it too."""
    assert "next:  knowledge -C 'my repo' claim show" in written(CLAIMS, Settings(directories=("my repo",)), capsys)


def test_json_has_the_answer_whole(capsys: pytest.CaptureFixture[str]) -> None:
    """--json writes the answer, hostile text and all, and nothing else."""
    found = json.loads(written(CLAIMS, Settings(is_json=True), capsys))
    assert found["claims"][2]["statement"] == HOSTILE.statement
    assert found["checked"] == {"checked": 2, "could_not_check": 1, "because": ["1 does not parse"]}


STATUS = StatusAnswer("main", "a1b2c3d4e5", "a1b2c3d4e5", True, {"active": 9, "stale": 1}, {"observation": 10}, {}, 40_000, 3_400_000)


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        (lambda s: s, ["on main at a1b2c3d4: 1 stale · 9 active", "up to date", "ledger 40 kB, index 3.4 MB", "next:  knowledge stale"]),
        (lambda s: replace(s, branch=None), ["detached at a1b2c3d4"]),
        (lambda s: replace(s, head=None, indexed_revision=None), ["on main at no commit yet"]),
        (lambda s: replace(s, indexed_revision="ffff", is_current=False), ["statuses are for ffff"]),
        (lambda s: replace(s, claims_by_status={}, claims_by_kind={}), ["no claims", "claim record"]),
        (lambda s: replace(s, notes=("3 × hook-failed",)), ["note:  3 × hook-failed"]),
        (lambda s: replace(s, branch="\u202eevil"), ["on \\u{202e}evil"]),
    ],
)
def test_status_tells_the_state_in_a_few_lines(change: Callable[[StatusAnswer], StatusAnswer], parts: list[str]) -> None:
    """Branch, head, what needs attention, whether statuses belong to HEAD, sizes, and what to do."""
    text = "\n".join(status_lines(change(STATUS)))
    assert [part for part in parts if part not in text] == []
    assert "\x1b" not in text
