"""What other programs say, end to end: taken in, beside the built-in answers, past where content changed, kept without the index, withdrawn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo
from scip_fixtures import A_PY, CHILD_RUN, SOURCES, small_index

from knowledge.operations.graph_tree import BUILT_IN
from knowledge.surfaces.cli.main import main


@pytest.fixture
def repo(tmp_path: Path) -> GitRepo:
    """Two files of which an index knows more than name resolution can, and that index."""
    repo = GitRepo.create(tmp_path / "repo")
    for path, text in SOURCES.items():
        repo.write(path, text)
    repo.commit("Begin")
    assert main(["-C", str(repo.path), "init", "--no-hooks"]) == 0
    (tmp_path / "index.scip").write_bytes(small_index())
    return repo


@pytest.fixture
def run(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> Any:
    """Runs a command: its exit code and its answer as JSON."""

    def ran(*words: str) -> tuple[int, dict[str, Any]]:
        capsys.readouterr()
        code = main(["-C", str(repo.path), *words, "--json"])
        answer = json.loads(capsys.readouterr().out)
        return code, answer.get("error", answer)

    return ran


def taken_in(run: Any, *words: str) -> str:
    """The id of the index once it is taken in."""
    code, answer = run("analysis", "scip", "../index.scip", *words)
    assert code == 0
    return str(answer["analyses"][0]["id"])


def said(run: Any, *words: str) -> dict[str, list[str]]:
    """What a question says of each relation: analyzer and how it knows it."""
    _, answer = run(*words)
    found: dict[str, list[str]] = {}
    for edge in answer["edges"]:
        found.setdefault(f"{edge['subject']} {edge['predicate']} {edge['object']}", []).append(f"{edge['analyzer']} {edge['confidence_kind']}")
    return {relation: sorted(names) for relation, names in found.items()}


def test_edges_stand_beside_one_another(run: Any, repo: GitRepo) -> None:
    """A guess becomes no fact: the built-in edge stays inferred beside the resolved one of the tool, and both name who agrees."""
    before = said(run, "callers", "a.py::Base.compose")
    assert before == {"b.py::main calls a.py::Base.compose": [f"{BUILT_IN} inferred"]}
    taken_in(run)
    assert said(run, "callers", "a.py::Base.compose") == {"b.py::main calls a.py::Base.compose": [f"{BUILT_IN} inferred", "scip-test 1.0 resolved"]}
    _, answer = run("callers", "a.py::Base.compose")
    assert (answer["resolved"], answer["inferred"]) == (1, 0)
    assert all(edge["agreed_by"] == [BUILT_IN, "scip-test 1.0"] and not edge["silent"] for edge in answer["edges"])


def test_who_differs_and_who_is_silent_is_told(run: Any, capsys: pytest.CaptureFixture[str], repo: GitRepo, tmp_path: Path) -> None:
    """Where one leads elsewhere from the same place, or looked and knows nothing, the answer says so, as JSON and as lines."""
    (tmp_path / "index.scip").write_bytes(small_index(called=CHILD_RUN))
    taken_in(run)
    _, answer = run("callers", "a.py::Base.compose")
    (edge,) = answer["edges"]
    assert (edge["analyzer"], edge["agreed_by"], edge["instead"]) == (BUILT_IN, [BUILT_IN], ["scip-test 1.0: b.py::Child.compose"])
    _, answer = run("callees", "b.py::main")
    assert {(edge["object"], edge["analyzer"], *edge["instead"]) for edge in answer["edges"]} == {
        ("a.py::Base.compose", BUILT_IN, "scip-test 1.0: b.py::Child.compose"),
        ("b.py::Child.compose", "scip-test 1.0", f"{BUILT_IN}: a.py::Base.compose"),
    }
    (tmp_path / "index.scip").write_bytes(small_index(called="t . p 1 elsewhere/f().", version="2.0"))
    taken_in(run)
    _, answer = run("callers", "a.py::Base.compose")
    assert [edge["silent"] for edge in answer["edges"]] == [["scip-test 2.0"]]
    _, answer = run("impact", "b.py::Child.compose")
    assert {tuple(edge["agreed_by"]) for edge in answer["edges"] if edge["predicate"] == "overrides"} == {
        (BUILT_IN, "scip-test 1.0", "scip-test 2.0")
    }
    capsys.readouterr()
    main(["-C", str(repo.path), "callers", "a.py::Base.compose"])
    wanted = f"only {BUILT_IN} (inferred unique-name) · differs: scip-test 1.0: b.py::Child.compose · not known to scip-test 2.0"
    assert wanted in capsys.readouterr().out
    main(["-C", str(repo.path), "callers", "a.py::helper"])
    assert f"agreed by {BUILT_IN} (resolved local), scip-test 1.0 (resolved scip)" in capsys.readouterr().out


@pytest.mark.parametrize("path", ["a.py", "b.py"])
def test_an_edge_of_other_content_is_past(run: Any, repo: GitRepo, path: str) -> None:
    """Where either end's file has another content, uncommitted or committed, the tool's edge is left out, counted, and is back with the content."""
    taken_in(run)
    repo.write(path, SOURCES[path] + "\nlater = 1\n")
    for commit in (False, True):
        if commit:
            repo.commit("Change it")
        assert "scip-test 1.0 resolved" not in str(said(run, "callers", "a.py::Base.compose"))
        _, answer = run("callers", "a.py::Base.compose")
        assert any(text.startswith("outside-past: 1 of 2 files that scip-test 1.0 looked at") for text in answer["limitations"])
        assert any(text.startswith("outside-tree: scip-test 1.0 looked at another tree") for text in answer["limitations"])
    assert "scip-test 1.0 resolved" in str(said(run, "callers", "a.py::Base.compose", "--at", "HEAD~1"))
    repo.write(path, SOURCES[path])
    assert "scip-test 1.0 resolved" in str(said(run, "callers", "a.py::Base.compose"))


def test_it_is_made_of_the_revision_that_is_named(run: Any, repo: GitRepo) -> None:
    """An index of an old revision is taken in for that one; without saying so it does not fit, which is an error with the way out."""
    repo.write("a.py", "# moved down\n" + A_PY)
    repo.write("b.py", "# moved down\n" + SOURCES["b.py"])
    repo.commit("Move everything down")
    code, answer = run("analysis", "scip", "../index.scip")
    assert code == 2 and answer["code"] == "outside-input"
    assert "other content: 2: a.py, b.py" in answer["message"] and "--at" in answer["message"]
    taken_in(run, "--at", "HEAD~1")
    assert "scip-test" in str(said(run, "callers", "a.py::Base.compose", "--at", "HEAD~1"))
    assert "scip-test" not in str(said(run, "callers", "a.py::Base.compose"))


def test_it_outlives_the_index(run: Any, repo: GitRepo) -> None:
    """Deleting the cache loses nothing of what other programs said, and an export carries it into another clone."""
    taken_in(run)
    for file in (repo.path / ".git" / "knowledge").glob("index.sqlite3*"):
        file.unlink()
    assert "scip-test 1.0 resolved" in str(said(run, "callers", "a.py::Base.compose"))
    assert run("export", "../all.jsonl")[0] == 0
    other = repo.path.parent / "other"
    repo.git("clone", "-q", str(repo.path), str(other))
    assert main(["-C", str(other), "init", "--no-hooks"]) == 0
    assert run("-C", str(other), "import", "../all.jsonl")[0] == 0
    assert "scip-test 1.0 resolved" in str(said(run, "-C", str(other), "callers", "a.py::Base.compose"))


def test_it_is_listed_and_withdrawn(run: Any) -> None:
    """An analysis is listed with what holds of it here; withdrawn it answers no more; the same again brings it back once."""
    name = taken_in(run)
    assert taken_in(run) == name
    _, answer = run("analysis")
    (line,) = answer["analyses"]
    assert (line["id"], line["analyzer"], line["files"], line["present"], line["edges"]) == (name, "scip-test 1.0", 2, 2, 7)
    assert run("analysis", "withdraw", name[:6], "-m", "made with a wrong configuration")[0] == 0
    assert run("analysis")[1]["analyses"] == []
    assert "scip-test" not in str(said(run, "callers", "a.py::Base.compose"))
    code, answer = run("analysis", "withdraw", name, "-m", "again")
    assert code == 2 and answer["code"] == "unknown-record"
    assert taken_in(run) == name and "scip-test" in str(said(run, "callers", "a.py::Base.compose"))


def test_what_is_no_index_is_an_error(run: Any, repo: GitRepo) -> None:
    """A missing file, a directory and a file of something else are errors that name them, and nothing is stored."""
    for given in ("../nothing.scip", "a.py"):
        code, answer = run("analysis", "scip", given)
        assert code == 2 and answer["code"] in ("unknown-path", "outside-input")
    assert run("analysis")[1]["analyses"] == []


def test_the_index_may_be_of_a_directory(run: Any, repo: GitRepo, tmp_path: Path) -> None:
    """Paths below a directory: as the index says of its root, or as one says; the top where it was made elsewhere."""
    for path, text in SOURCES.items():
        repo.write(f"lib/{path}", text)
    repo.commit("Add a copy below lib")
    (tmp_path / "index.scip").write_bytes(small_index(project_root=f"file://{repo.path}/lib"))
    taken_in(run)
    assert "scip-test" in str(said(run, "callers", "lib/a.py::Base.compose")) and "scip-test" not in str(said(run, "callers", "a.py::Base.compose"))
    taken_in(run, "--below", "")
    assert "scip-test" in str(said(run, "callers", "a.py::Base.compose"))


def test_pyrefly_stands_beside_the_built_in_answers(run: Any, repo: GitRepo) -> None:
    """The type checker's answers for any revision: its own analyzer with version and configuration, resolved where one target may run."""
    repo.write("c.py", "from a import Base, helper\n\n\ndef typed(given: Base):\n    return given.compose(), helper(3)\n")
    repo.commit("Add a caller that says what it is given")
    repo.write("c.py", "")
    code, answer = run("analysis", "pyrefly", "--at", "HEAD")
    assert code == 0
    (line,) = answer["analyses"]
    name = line["analyzer"]
    assert name.startswith("pyrefly 1.5.0 (") and (line["files"], line["present"]) == (3, 3)
    assert said(run, "callees", "c.py::typed", "--at", "HEAD") == {
        "c.py::typed calls a.py::Base.compose": [f"{BUILT_IN} resolved", f"{name} inferred"],
        "c.py::typed calls a.py::helper": [f"{BUILT_IN} resolved", f"{name} resolved"],
    }
    _, answer = run("callers", "a.py::helper")
    assert any(text.startswith(f"outside-past: 1 of 3 files that {name} looked at") for text in answer["limitations"])
