"""What is left to be told after a commit: added up, taken back, told once, and never in the way."""

from __future__ import annotations

from pathlib import Path

import pytest

from knowledge.operations.news import drop_news, leave_news, news_path, news_text, read_news


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A git common directory with the folder of the databases."""
    (tmp_path / "knowledge").mkdir()
    return tmp_path


def told(home: Path, worktree: str = "") -> str:
    """The line that would be told."""
    news = read_news(home, worktree)
    return news_text(news) if news is not None else ""


def test_news_add_up_until_they_are_told(home: Path) -> None:
    """The revision is the one that was known before the first of them; what stands again is no news."""
    leave_news(home, "", "abc1234def", {"c_1": "stale", "c_2": "stale"}, ())
    leave_news(home, "", "fff", {"c_3": "needs_review"}, ())
    assert told(home) == "since abc1234: 2 claims stale, 1 for review"
    leave_news(home, "", "fff", {}, ["c_1", "c_9"])
    assert told(home) == "since abc1234: 1 claim stale, 1 for review"
    leave_news(home, "", "fff", {"c_2": "needs_review"}, ())
    assert told(home) == "since abc1234: 2 claims for review"
    leave_news(home, "", "fff", {}, ["c_2", "c_3"])
    assert told(home) == ""
    assert list((home / "knowledge").iterdir()) == []


def test_each_worktree_has_its_own(home: Path) -> None:
    """What fell in one worktree is not told in another, and telling forgets it."""
    leave_news(home, "other", "abc1234", {"c_1": "stale"}, ())
    assert (told(home), told(home, "other")) == ("", "since abc1234: 1 claim stale")
    drop_news(home, "other")
    drop_news(home, "other")
    assert told(home, "other") == ""


@pytest.mark.parametrize(
    "content", ["", "{", "[]", "null", '{"since": 1}', '{"since": "a", "fallen": 3}', '{"since": "a", "fallen": {"c": "eaten"}}']
)
def test_a_file_that_is_not_ours_is_no_news(home: Path, content: str) -> None:
    """Half a file, another's file or nonsense is passed over, and replaced by the next news."""
    news_path(home, "").write_text(content)
    assert told(home) == ""
    leave_news(home, "", "abc1234", {"c_1": "stale"}, ())
    assert told(home) == "since abc1234: 1 claim stale"


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    """News are lost then; whatever is being done goes on."""
    leave_news(tmp_path / "gone", "", "abc1234", {"c_1": "stale"}, ())
    drop_news(tmp_path / "gone", "")
    assert told(tmp_path / "gone") == ""
