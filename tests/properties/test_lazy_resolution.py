"""Names are resolved when a question needs them (knowledge/operations/resolving.py), and no answer shows it, whatever was asked before."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path

from git_fixtures import GitRepo
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from analyzers.registry import LANGUAGES, language_of
from knowledge.operations.indexing import index
from knowledge.operations.project import Project, open_project
from knowledge.operations.reading import Reading
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.edges import Edge
from tests.graph_trees import resolve_cold
from tests.properties.test_graph_incremental import MODULES, SCRIPTS, python_trees, typescript_trees

SLOW = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], phases=[Phase.explicit, Phase.reuse, Phase.generate])
Question = tuple[str, int]
"""(what is asked, a number that chooses the file or the edge it is asked about)."""
questions = st.lists(st.tuples(st.sampled_from(["from", "from", "limits", "into", "askers", "nothing"]), st.integers(0, 40)), max_size=4)


class Whole:
    """A tree resolved from scratch, all of it."""

    def __init__(self, files: Mapping[str, str]) -> None:
        found = resolve_cold(files)
        self.resolutions = {path: one for path, one in found.items() if LANGUAGES[language_of(path)].kind == "code"}
        self.edges = [edge for found in self.resolutions.values() for edge in found.edges]
        self.paths = sorted(self.resolutions)

    def check(self, view: IndexedTree, question: Question) -> None:
        """The view answers as this tree does."""
        asked, number = question
        if asked in ("from", "limits") and self.paths:
            path = self.paths[number % len(self.paths)]
            found = self.resolutions[path]
            if asked == "from":
                assert view.edges_of_file(path) == found.edges
            else:
                assert [limit for limit in view.limitations_in(path) if limit.code != "syntax-error"] == list(found.limitations)
        elif asked in ("into", "askers") and self.edges:
            target = self.edges[number % len(self.edges)]
            if asked == "into":
                same = (target.object.path, target.object.qualified_name, target.object.package)
                wanted = {e for e in self.edges if e.predicate == target.predicate and _end(e) == same}
                assert set(view.edges_into(target.object, target.predicate)) == wanted
            else:
                name = target.object.name
                askers = {path for path, found in self.resolutions.items() if ("name", name) in {(read.kind, read.key) for read in found.reads}}
                assert set(view.paths_asking(name)) == askers


def _end(edge: Edge) -> tuple[bytes, str, str]:
    return edge.object.path, edge.object.qualified_name, edge.object.package


def check(steps: list[dict[str, str]], asked: list[list[Question]], paths: list[str]) -> None:
    """Commits the trees one after the other; at each some questions are asked, at the last one all of them, and of every earlier tree again."""
    with tempfile.TemporaryDirectory() as folder:
        repo = GitRepo.create(Path(folder) / "repo")
        revisions = []
        for number, files in enumerate(steps):
            for path in paths:
                if path in files:
                    repo.write(path, files[path])
                elif (repo.path / path).exists():
                    repo.path.joinpath(path).unlink()
            repo.write("number.txt", str(number))
            revisions.append(repo.commit(f"Step {number}"))
            with open_project(repo.path, create=True) as project:
                _ask(project, revisions[-1], files, asked[number % len(asked)] if asked else [])
        everything = [(kind, number) for kind in ("from", "limits", "into", "askers") for number in range(8)]
        with open_project(repo.path) as project:
            for revision, files in [*zip(revisions, steps, strict=True)][::-1]:
                _ask(project, revision, files, everything)


def _ask(project: Project, revision: str, files: dict[str, str], asked: list[Question]) -> None:
    view = Reading(project).trees.at(revision)
    whole = Whole(files)
    for question in asked:
        whole.check(view, question)


@settings(SLOW, max_examples=12)
@given(st.lists(python_trees, min_size=1, max_size=3), st.lists(questions, max_size=3))
def test_python_trees_answer_as_if_all_were_resolved(steps: list[dict[str, str]], asked: list[list[Question]]) -> None:
    """Edges out of a file, edges into anything, limitations and uses of a name equal those of the tree resolved from scratch."""
    check(steps, asked, MODULES)


@settings(SLOW, max_examples=8)
@given(st.lists(typescript_trees, min_size=1, max_size=3), st.lists(questions, max_size=3))
def test_typescript_trees_answer_as_if_all_were_resolved(steps: list[dict[str, str]], asked: list[list[Question]]) -> None:
    """The same for ES modules and CommonJS."""
    check(steps, asked, SCRIPTS)


FILES = {"a.py": "def f(): ...\n", "b.py": "from a import f\n\n\ndef g():\n    f()\n", "c.py": "import a\n\n\ndef h():\n    a.f()\n"}


def _resolved(view: IndexedTree) -> set[bytes]:
    return {path for path, (_, resolution) in view.files.items() if resolution}


def test_only_what_is_asked_for_is_resolved(tmp_path: Path) -> None:
    """Indexing resolves nothing, callees one file, callers all; what was resolved stays so in the trees that come after."""
    repo = GitRepo.create(tmp_path / "repo")
    for path, text in FILES.items():
        repo.write(path, text)
    repo.commit("Start")
    with open_project(repo.path, create=True) as project:
        answer = index(project, "HEAD")
        assert (answer.resolved, answer.unresolved) == (0, 3)
        view = Reading(project).trees.at("HEAD")
        assert [e.object.qualified_name for e in view.edges_of_file(b"b.py") if e.predicate == "calls"] == ["f"]
        assert _resolved(view) == {b"b.py"} == _resolved(Reading(project).trees.at("HEAD"))
        repo.write("a.py", "def f(x): ...\n")
        repo.write("c.py", "")
        repo.commit("Change what b reads, and what nobody asked about")
        assert index(project, "HEAD").unresolved == 2
        view = Reading(project).trees.at("HEAD")
        assert _resolved(view) == {b"b.py"}
        view.resolve_all()
        assert _resolved(view) == {b"a.py", b"b.py", b"c.py"}
        repo.write("d.py", "from a import f\n")
        repo.commit("Add a file")
        answer = index(project, "HEAD")
        assert (answer.resolved, answer.unresolved) == (1, 0)


def test_a_tree_that_another_process_resolves_meanwhile_lends_nothing_wrong(tmp_path: Path) -> None:
    """A tree that is told as a difference from another one keeps its own resolutions, whatever is said of the other one later."""
    repo = GitRepo.create(tmp_path / "repo")
    for path, text in FILES.items():
        repo.write(path, text)
    first = repo.commit("Start")
    repo.write("a.py", "def other(): ...\n")
    second = repo.commit("Take f away")
    with open_project(repo.path, create=True) as project:
        index(project, first)
        index(project, second)
        Reading(project).trees.at(first).resolve_all()
        view = Reading(project).trees.at(second)
        assert not _resolved(view)
        assert not [e for e in view.edges_of_file(b"b.py") if e.predicate == "calls" and e.confidence_kind == "resolved" and e.object.path == b"a.py"]
