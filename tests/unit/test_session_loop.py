"""What an agent is told at the beginning, before an edit and at the end: read from a real repository."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge.operations.before_edit import standing_on
from knowledge.operations.closing import MOST_ITEMS, closing
from knowledge.operations.opening import VIEW_CHARACTERS, opening
from knowledge.operations.plan import Step, add
from knowledge.operations.project import Project, open_project
from knowledge.operations.record import UNANCHORED, Draft, record
from knowledge.operations.steps import withdraw
from knowledge.push.edit_targets import EditTarget
from knowledge.records.claims import Author

CODE = """\
LIMIT = 30


def outer(x):
    return inner(x) + LIMIT


def inner(x):
    return x + 1


class Box:
    def open(self):
        return outer(1)

    def close(self):
        return inner(2)
"""
BROKEN = CODE.replace("return inner(x) + LIMIT", "return LIMIT")


@dataclass
class Site:
    """A repository and its project."""

    repo: GitRepo
    project: Project

    def record(self, statement: str, **more: object) -> str:
        return record(self.project, Draft(statement, **more)).claim.id  # type: ignore[arg-type]

    def standing(self, *pieces: str, path: str = "app/a.py") -> dict[str, str]:
        """claim id → what it stands on."""
        return {s.claim_id: s.on for s in standing_on(self.project, [EditTarget(path, pieces)], self.repo.path)}


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("app/a.py", CODE)
    repo.write("app/b.py", "from app.a import outer\n\n\ndef other():\n    return outer(3)\n")
    repo.commit("Add a")
    with open_project(repo.path, Author("person", "ada"), create=True) as project:
        yield Site(repo, project)


def test_nothing_is_said_where_nothing_is_known(site: Site) -> None:
    """No claims, no goal, no vocabulary: not a byte."""
    assert opening(site.project).text == ""


def test_the_view_names_goal_next_step_and_what_fell(site: Site) -> None:
    """Everything that an agent would have to ask for, and nothing of what is private."""
    goal = add(site.project, Draft("All numbers are decimal", kind="goal"), Step()).claim.id
    step = add(site.project, Draft("Read the outer numbers", kind="plan"), Step(goal=goal)).claim.id
    fell = site.record("`outer` calls `inner`")
    hidden = site.record("`outer` calls `inner` with the customer's number", is_private=True, anchors=("body:app/a.py::outer",))
    kept = site.record("`Box.close` calls `inner`")
    first = opening(site.project).seen
    site.repo.write("app/a.py", BROKEN)
    site.repo.commit("Leave <b>inner</b> out")
    found = opening(site.project, first)
    assert all(text in found.text for text in (goal, step, fell, "1 new commit", "‹b›inner‹/b›", "To verify before", "reverify"))
    assert hidden not in found.text and kept not in found.text
    assert fell in found.shown


def test_what_changed_is_told_once_and_a_switched_branch_by_name(site: Site) -> None:
    """A session that has seen it is not told again; a branch is told by its name."""
    site.record("`outer` calls `inner`")
    first = opening(site.project).seen
    site.repo.git("switch", "-q", "-c", "work")
    second = opening(site.project, first)
    assert "the branch was main and is work" in second.text
    assert "Since" not in opening(site.project, second.seen).text


def test_a_history_that_was_rewritten_is_told(site: Site) -> None:
    """Commits that are not below HEAD any more are counted."""
    site.record("`outer` calls `inner`")
    site.repo.write("app/c.py", "x = 1\n")
    site.repo.commit("Add c")
    first = opening(site.project).seen
    site.repo.git("reset", "-q", "--hard", "HEAD~1")
    site.repo.write("app/a.py", BROKEN)
    site.repo.commit("Break it")
    assert "1 commit of before are not below HEAD any more" in opening(site.project, first).text


def test_a_sub_agent_is_told_less(site: Site) -> None:
    """No history and no list of checks: it does one thing."""
    fell = site.record("`outer` calls `inner`")
    first = opening(site.project).seen
    site.repo.write("app/a.py", BROKEN)
    site.repo.commit("Break it")
    text = opening(site.project, first, is_brief=True).text
    assert fell in text and "Since" not in text and "To verify" not in text


def test_the_vocabulary_is_announced(site: Site) -> None:
    """That tags are rewritten is said before anything is recorded."""
    (site.project.home / "knowledge" / "vocabulary.toml").write_text('prefixes = ["kind", "area"]\n', encoding="utf-8")
    assert "rewrite" in opening(site.project).text


def test_no_view_is_longer_than_its_budget(site: Site) -> None:
    """However much there is to say, and however long the statements are."""
    for number in range(12):
        add(site.project, Draft(f"Goal {number} " + "가나다 " * 700, kind="goal"), Step())
        site.record(f"`outer` calls `inner` {number} " + "말이 길다 " * 500, anchors=("body:app/a.py::outer",))
    site.repo.write("app/a.py", BROKEN)
    text = opening(site.project).text
    assert "more" in text and len(text) <= VIEW_CHARACTERS


def test_claims_on_the_edited_definition_are_found_and_no_others(site: Site) -> None:
    """By body, edge, value, set and line, but not those on the function beside it."""
    edge = site.record("`outer` calls `inner`")
    body = site.record("outer adds a limit", anchors=("body:app/a.py::outer",))
    callers = site.record("`outer` is only called from `Box.open` and `other`")
    value = site.record("`LIMIT` is 30")
    line = site.record("it returns x + 1", evidence=("app/a.py:9",))
    method = site.record("close is called late", anchors=("body:app/a.py::Box.close",))
    assert site.standing("    return inner(x) + LIMIT").keys() == {edge, body, callers}
    assert site.standing("LIMIT = 30").keys() == {value}
    assert line in site.standing("    return x + 1\n")
    assert site.standing("        return inner(2)").keys() == {method}
    assert site.standing().keys() == {edge, body, callers, value, line, method}


def test_what_is_out_of_force_or_private_or_elsewhere_is_not_told(site: Site) -> None:
    """A withdrawn claim warns nobody; a path outside of the work tree, a new file and a piece that is not there bring nothing."""
    gone = site.record("outer adds a limit", anchors=("body:app/a.py::outer",))
    site.record("outer adds the customer's limit", anchors=("body:app/a.py::outer",), is_private=True)
    assert site.standing("    return inner(x) + LIMIT").keys() == {gone}
    withdraw(site.project, gone, "wrong")
    assert site.standing("    return inner(x) + LIMIT") == {}
    assert site.standing(path="/etc/passwd") == site.standing(path="../a.py") == site.standing(path="app/new.py") == site.standing("not there") == {}


def test_uncommitted_lines_count(site: Site) -> None:
    """The file is read as it is on the disk: the edited text need not be committed."""
    claim = site.record("outer adds a limit", anchors=("body:app/a.py::outer",))
    site.repo.write("app/a.py", CODE.replace("return inner(x) + LIMIT", "y = inner(x)\n    return y + LIMIT"))
    assert site.standing("    y = inner(x)").keys() == {claim}


def test_at_the_end_only_what_weighs_is_told(site: Site) -> None:
    """Claims that the work made false are; that some test was never observed alone is no reason to speak."""
    site.record("an opinion", anchors=(UNANCHORED,))
    site.repo.write("app/b.py", "from app.a import outer\n\n\ndef other():\n    return outer(4)\n")
    assert closing(site.project).text == ""
    fell = site.record("`outer` calls `inner`")
    site.repo.write("app/a.py", BROKEN)
    found = closing(site.project)
    assert fell in found.text and "ending is allowed" in found.text
    assert closing(site.project) == found
    assert found.text.count("\n- ") <= MOST_ITEMS
