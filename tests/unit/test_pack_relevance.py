"""Which files and definitions a goal is about."""

import pytest

from knowledge.records.stored import PastCommit
from knowledge.views.relevance import rank_files, read_goal, terms_of

PATHS = {b"src/app.py": False, b"src/sessions.py": False, b"src/cli.py": False, b"tests/test_sessions.py": True}


def _ranked(goal: str, **signals: object) -> list[bytes]:
    given: dict[str, object] = {"texts": {}, "named": {}, "past": []}
    values = given | signals
    return [f.path for f in rank_files(read_goal(goal), PATHS, values["texts"], values["named"], values["past"])]  # type: ignore[arg-type]


@pytest.mark.parametrize("goal", ["sign the session cookie", "세션 쿠키에 서명한다", "세션이 만료되지 않는 문제"])
def test_korean_and_english_goals_find_the_same_file(goal: str) -> None:
    """A goal is held against the code's English names in whichever language it is put."""
    assert _ranked(goal)[0] == b"src/sessions.py"


def test_tests_follow_what_they_test_unless_they_are_meant() -> None:
    """A test file comes after the file it tests, and before it where the goal speaks of tests."""
    texts = {"session": {b"tests/test_sessions.py": 2.0, b"src/sessions.py": 1.0}}
    assert _ranked("change the session", texts=texts)[:2] == [b"src/sessions.py", b"tests/test_sessions.py"]
    assert _ranked("test the session", texts=texts)[0] == b"tests/test_sessions.py"


def test_commits_that_said_the_same_speak_for_what_they_touched() -> None:
    """Where no text says it, earlier commits do."""
    past = [
        PastCommit(terms_of("Fix typo in the documentation"), (b"src/app.py",)),
        PastCommit(terms_of("Make teardown callbacks robust"), (b"src/cli.py",)),
    ]
    found = rank_files(read_goal("teardown callbacks fail"), PATHS, {}, {}, past)
    assert found[0].path == b"src/cli.py"
    assert found[0].why[0] == "alike"


def test_a_spelled_file_comes_first() -> None:
    """A goal that spells out a path is about that path."""
    busy = [PastCommit(terms_of("session"), (b"src/app.py",))] * 20
    assert _ranked("session: see src/cli.py", past=busy)[0] == b"src/cli.py"


def test_files_that_nothing_speaks_for_are_left_out() -> None:
    """Only files with a signal are ranked; no goal finds everything."""
    assert _ranked("zebra crossing") == []


def test_sweeping_commits_say_nothing_of_a_single_file() -> None:
    """A commit that touched more files than anybody means is not held for any."""
    many = {f"src/m{i}.py".encode(): False for i in range(40)}
    found = rank_files(read_goal("reformat"), many, {}, {}, [PastCommit(terms_of("reformat everything"), tuple(many))])
    assert found == []


def test_names_in_code_are_told_from_prose() -> None:
    """What is written as code counts as a name, everyday words do not."""
    goal = read_goal("Let `open_session` and SessionInterface.save() agree, as before")
    assert {"open_session", "SessionInterface", "save"} <= goal.names
    assert "agree" not in goal.names
