"""When an agent is stuck: by what it does, and by what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.push.blocked import blocked_sentence
from knowledge.push.failures import failure_line, failure_signature
from knowledge.push.stuck import Attempt, is_stuck, read_attempt

FOLDER = Path(__file__).parents[1] / "cases" / "stuck"


def _lines(name: str) -> list[str]:
    blocks = re.findall(rf"^```{name}\n(.*?)^```$", (FOLDER / "blocked.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [line.replace("\\n", "\n") for block in blocks for line in block.splitlines() if line.strip()]


@pytest.mark.parametrize("message", _lines("blocked"))
def test_blocked(message: str) -> None:
    """Each message that says that something cannot be done."""
    assert blocked_sentence(message)


@pytest.mark.parametrize("message", _lines("others"))
def test_not_blocked(message: str) -> None:
    """What code cannot do, what was solved, what is asked and what is quoted is no such message."""
    assert not blocked_sentence(message)


def _sessions() -> list[object]:
    text = (FOLDER / "calls.md").read_text(encoding="utf-8")
    found = []
    for heading, body in re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", text, re.DOTALL | re.MULTILINE):
        for number, block in enumerate(re.findall(r"^```calls\n(.*?)^```$", body, re.DOTALL | re.MULTILINE)):
            found.append(pytest.param(block.splitlines(), id=f"{heading} {number}"))
    return found


@pytest.mark.parametrize("lines", _sessions())
def test_session(lines: list[str]) -> None:
    """Each session of the case file is stuck where it is marked, and nowhere else."""
    earlier: list[Attempt] = []
    told = []
    for line in lines:
        outcome, tool, rest = line.removeprefix("! ").split(" ", 2)
        text, _, result = rest.partition(" => ")
        key = "file_path" if tool in ("Edit", "Read") else "task" if tool.startswith("mcp__") else "command"
        attempt = read_attempt(tool, {key: text}, result, outcome == "fail")
        told.append("! " * is_stuck(earlier, attempt) + line.removeprefix("! "))
        earlier.append(attempt)
    assert told == lines


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("error: /opt/a/x.py:12: token 8f3c2a1b9d expired", "error: /srv/b/y.py:99: token 1a2b3c4d5e expired"),
        ("npm error 403 403 Forbidden - PUT https://registry.example.org/a", "npm error 403 403 Forbidden - PUT https://registry.example.org/b?x=1"),
        ("\x1b[31mError\x1b[0m: timed out after 3000 ms", "Error: timed out after 120 ms"),
        ("오류: 포트 8080 연결이 거부되었습니다", "오류: 포트 9090 연결이 거부되었습니다"),
    ],
)
def test_failures_of_one_cause_have_one_signature(one: str, other: str) -> None:
    """Paths, numbers, ids and colours are left out."""
    assert failure_signature("x", one) == failure_signature("x", other)


@pytest.mark.parametrize(
    ("one", "other"), [("error: token expired", "error: token revoked"), ("Error: connect ECONNREFUSED", "Error: getaddrinfo ENOTFOUND")]
)
def test_failures_of_two_causes_have_two(one: str, other: str) -> None:
    """The words that tell why stay."""
    assert failure_signature("x", one) != failure_signature("x", other)


def test_the_telling_line_is_the_last_that_says_why() -> None:
    """Not the last line of the output, where a line before it says more."""
    assert failure_line("start\nnpm error code EOTP\nA complete log can be found in x.log") == "npm error code EOTP"
    assert failure_signature("x", "") == ""


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["failed", "answered", "changed", "looked"])), max_size=12))
def test_nothing_but_two_failures_in_a_row_is_stuck(calls: list[tuple[str, str]]) -> None:
    """Whatever happened before, the call itself and the last one that was no look must be failures of one operation."""
    attempts = [Attempt(operation, outcome) for operation, outcome in calls]  # type: ignore[arg-type]
    for place, now in enumerate(attempts):
        before = [a for a in attempts[:place] if a.outcome != "looked"]
        assert is_stuck(attempts[:place], now) == (now.outcome == "failed" and bool(before) and before[-1] == now)
