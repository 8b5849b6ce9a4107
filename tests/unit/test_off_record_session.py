"""Of a session that is not to be remembered nothing is written down, whatever it asks for; reading goes on."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from git_fixtures import GitRepo

from knowledge import operations
from knowledge.errors import OffRecordError
from knowledge.operations import conflicts, plan, premises, steps, trigger_rows
from knowledge.operations.observing import ToRun, list_runs, observe
from knowledge.operations.off_record import put_on_record, take_off_record
from knowledge.operations.project import Project, open_project
from knowledge.operations.recall import Asked, recall
from knowledge.operations.record import UNANCHORED, Draft, record
from knowledge.operations.reverify import reverify
from knowledge.operations.run_folder import Begun, run_folder
from knowledge.operations.steps_in_bulk import Chosen, step_in_bulk
from knowledge.operations.transfer import export, import_
from knowledge.records.claims import Author

AGENT = Author("agent", "claude", "s1")
ROW = {"id": "cf", "subject": ["cloudflare"], "recall": "Cloudflare login"}
WRITERS = {"append", "record_claims", "redact", "import_rows"}
SAYING: dict[str, Callable[[Project, str, str], object]] = {
    "record": lambda project, one, other: record(project, Draft("A secret", anchors=(UNANCHORED,))),
    "verify": lambda project, one, other: steps.verify(project, one, "seen"),
    "review": lambda project, one, other: steps.review(project, one, "seen"),
    "reject": lambda project, one, other: steps.reject(project, one, "wrong"),
    "withdraw": lambda project, one, other: steps.withdraw(project, one, "mine"),
    "supersede": lambda project, one, other: steps.supersede(project, one, other, "better"),
    "correct": lambda project, one, other: steps.correct(project, one, Draft("Better", anchors=(UNANCHORED,)), "better"),
    "redact": lambda project, one, other: steps.redact(project, one, "secret"),
    "in bulk": lambda project, one, other: step_in_bulk(project, "verify", Chosen((one,)), "seen"),
    "reverify": lambda project, one, other: reverify(project, [one]),
    "conflict": lambda project, one, other: conflicts.report(project, one, other, "they differ"),
    "support": lambda project, one, other: conflicts.support(project, one, other, "it shows it"),
    "goal": lambda project, one, other: plan.add(project, Draft("Do it", anchors=(UNANCHORED,)), plan.Step()),
    "depend": lambda project, one, other: plan.depend(project, one, other),
    "drop": lambda project, one, other: premises.drop_premise(project, one, other, "no longer"),
    "trigger": lambda project, one, other: trigger_rows.draft(project, ROW),
    "run": lambda project, one, other: observe(project, ToRun(("touch", "ran"))),
}


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Project]:
    """A person's project with two claims, and the agent's session marked."""
    repo = GitRepo.create(tmp_path / "repo")
    repo.write("a.py", "def f():\n    return 1\n")
    repo.commit("Add a")
    with open_project(repo.path, Author("person", "ada"), create=True) as project:
        record(project, Draft("`f` returns 1"))
        record(project, Draft("`f` is fast", anchors=(UNANCHORED,)))
        take_off_record(project, "claude", "s1")
        yield project


@pytest.mark.parametrize("said", SAYING)
def test_nothing_is_written_down(person: Project, said: str) -> None:
    """No claim, verdict, relation, draft or run, and a command is not even begun."""
    one, other = person.ledger.claim_ids()
    before = list(person.ledger.export_rows())
    with pytest.raises(OffRecordError, match="nothing was stored"):
        SAYING[said](replace(person, given_author=AGENT), one, other)
    assert list(person.ledger.export_rows()) == before
    assert person.repository.workdir is not None and not (person.repository.workdir / "ran").exists()


def test_an_import_is_refused_too(person: Project, tmp_path: Path) -> None:
    """What comes from a file is written down like anything else."""
    export(person, tmp_path / "out.jsonl")
    with pytest.raises(OffRecordError):
        import_(replace(person, given_author=AGENT), tmp_path / "out.jsonl")


def test_what_it_asks_is_answered_and_others_go_on(person: Project) -> None:
    """Reading is no record; the mark is of one session, and can be taken back."""
    agent = replace(person, given_author=AGENT)
    assert recall(agent, Asked("f returns")).lines
    assert record(replace(person, given_author=Author("agent", "claude", "s2")), Draft("Said by another", anchors=(UNANCHORED,))).claim.id
    put_on_record(person, "s1")
    assert record(agent, Draft("Said again", anchors=(UNANCHORED,))).claim.id


def test_a_wish_while_a_command_runs_holds_for_what_it_told(person: Project) -> None:
    """Neither what ran to its end nor what a killed recorder left behind is kept."""
    put_on_record(person, "s1")
    agent = replace(person, given_author=AGENT)
    with pytest.raises(OffRecordError):
        observe(agent, ToRun(("echo", "a secret"), how="results"), lambda chunk: take_off_record(person, "claude", "s1"))
    assert list_runs(person).runs == ()


def test_a_run_that_was_left_behind_by_it_is_not_kept(person: Project) -> None:
    """Somebody else's next look at the runs finds nothing of it."""
    fields = ("id", "at", "begun", "command", "directory", "how", "seconds", "variables", "reports", "search_path", "environment")
    values: tuple[object, ...] = ("r_1", person.now(), 0.0, ("echo", "x"), ".", "results", 9.0, (), (), None, {})
    with run_folder(person.home, "r_1") as folder:
        begun = Begun(**dict(zip(fields, values, strict=True)), revision=None, tree_id="", snapshot_key="", author="agent:claude:s1")  # type: ignore[arg-type]
        folder.begin(begun, {})
        kept = {path: path.read_bytes() for path in folder.path.iterdir() if path.is_file()}
    folder.path.mkdir(parents=True, exist_ok=True)
    for path, content in kept.items():
        path.write_bytes(content)
    assert list_runs(person).runs == ()


def test_no_operation_writes_without_asking_whether_it_may() -> None:
    """Whoever adds to the ledger looks first; what is computed when a branch moved is said by nobody."""
    forgetful = []
    for path in Path(operations.__file__).parent.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        calls = [node.func for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
        is_writing = any(call.attr in WRITERS and ast.unparse(call.value).endswith("ledger") for call in calls)
        if is_writing and "refuse_off_record" not in text:
            forgetful.append(path.stem)
    assert sorted(forgetful) == ["reconcile", "rerunning"], "rerunning is asked by reverify, which looks"
