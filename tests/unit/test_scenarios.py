"""Runs tests/cases/scenarios/*.md: what happens to a real git repository, and what each claim is worth afterwards.

`start.md` holds the repository and the claims that every scenario begins with; a file with a `## start` or `## claims` of its own uses or adds
those. Every other `##` heading is one scenario on a fresh copy, every `###` heading in it a further step. A step is done line by line:

    ```python a/b.py            write the file
    in a/b.py: `x` becomes `y`  change the one place that says x (\\n is a line feed)
    delete: P · move: P -> Q · link: P -> TARGET · executable: P · encode: P as CODEC · line ends: P crlf
    git: ARGS · git fails: ARGS · git in other: ARGS    the git command, also in the repository beside this one (`other:path` writes there)
    commit: MESSAGE             a commit within the step; at its end what is left is committed by itself, but for
    left uncommitted
    clone: OPTIONS              go on in a clone, with the claims exported and imported
    forget unreachable          git's garbage collection, of everything no ref reaches
    record: NAME = ANCHORS · verify: NAME · review: NAME · reject: NAME
    nothing is written          the ledger gets no event in this step
    history: NAME = EVENT, EVENT

The table (claim, status, reason, what it says) tells the claims that are not active at the end of the step; `moved` is active and
re-anchored, `*` stands for all claims that have no row. Each step is read step by step, from no index at all, and in one jump from the start.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest
from git_fixtures import GitRepo
from status_fixtures import Kept, OldState, plain

from knowledge.operations import steps
from knowledge.operations.record import Draft, record_many
from knowledge.operations.transfer import export, import_
from knowledge.records.claims import ClaimStatus

FOLDER = Path(__file__).parent.parent / "cases" / "scenarios"
_EDIT = re.compile(r"in (\S+): `(.*?)` becomes `(.*)`\Z")
_ARROW = re.compile(r"(move|link): (\S+) -> (\S+)\Z")
_WORD = re.compile(r"([a-z][a-z ]*): (.+)\Z")
_BLOCK = re.compile(r"```\w* (.+)\Z")


@dataclass
class Part:
    """What stands under one heading: lines and code blocks in order, and the rows of its table."""

    title: str
    actions: list[tuple[str, ...]] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)


@dataclass(frozen=True)
class CaseFile:
    """start: the first commit. claims: rows of (name, statement or anchors, options). scenarios: each the steps it has."""

    start: Part
    claims: list[list[str]]
    scenarios: dict[str, list[Part]]


def read_parts(text: str) -> Iterator[tuple[int, Part]]:
    """Every heading below the title, with its level."""
    part = Part("")
    lines = iter(text.splitlines())
    for line in lines:
        if heading := re.match(r"(#{2,3}) (.+)", line):
            part = Part(heading[2].strip())
            yield len(heading[1]), part
        elif block := _BLOCK.match(line):
            content = [row + "\n" for row in iter(lambda: next(lines), "```")]
            part.actions.append(("write", block[1].strip(), "".join(content)))
        elif line.startswith("|"):
            part.rows.append([cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))])
        elif edit := _EDIT.match(line):
            part.actions.append(("edit", *(piece.replace("\\n", "\n") for piece in edit.groups())))
        elif arrow := _ARROW.match(line):
            part.actions.append((arrow[1], arrow[2], arrow[3]))
        elif line in ("left uncommitted", "nothing is written", "forget unreachable"):
            part.actions.append((line,))
        elif (word := _WORD.match(line)) and word[1] in WORDS:
            part.actions.append((word[1], word[2]))


@cache
def read_file(path: Path) -> CaseFile:
    """A case file; what it does not say of start and claims is taken from start.md."""
    common = read_file(FOLDER / "start.md") if path.name != "start.md" else CaseFile(Part("start"), [], {})
    start, claims, scenarios = common.start, common.claims, {}
    is_own = False
    current: list[Part] = []
    for level, part in list(read_parts(path.read_text(encoding="utf-8"))):
        if part.title == "start":
            start, is_own = part, True
        elif part.title == "claims":
            claims = ([] if is_own else claims) + part.rows[2:]
        elif level == 2:
            current = scenarios[part.title] = [part]
        else:
            current.append(part)
    return CaseFile(start, claims, scenarios)


class Stage:
    """One scenario's repository while its steps are done."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.kept = Kept(GitRepo(folder / "repo"))
        self.names: dict[str, str] = {}
        self.is_said = False
        self.notes: list[tuple[str, ...]] = []

    @property
    def repo(self) -> GitRepo:
        return self.kept.repo

    def do(self, part: Part) -> None:
        """The step's lines, in order, then a commit of what they left."""
        self.notes = []
        for word, *rest in part.actions:
            getattr(self, "_" + word.replace(" ", "_"))(*rest)
        if not any(note[0] == "left uncommitted" for note in self.notes) and self.repo.git("status", "--porcelain"):
            self.repo.commit(part.title)

    def _write(self, path: str, content: str) -> None:
        if path.startswith("other:"):
            self._other().write(path.removeprefix("other:"), content)
        else:
            self.repo.write(path, content)

    def _edit(self, path: str, old: str, new: str) -> None:
        content = self.repo.file(path).read_bytes()
        assert content.count(old.encode()) == 1, f"{path} has {content.count(old.encode())} × {old!r}"
        self.repo.write(path, content.replace(old.encode(), new.encode()))

    def _delete(self, path: str) -> None:
        self.repo.delete(path)

    def _move(self, old: str, new: str) -> None:
        self.repo.rename(old, new)

    def _link(self, path: str, target: str) -> None:
        self.repo.symlink(path, target)

    def _executable(self, path: str) -> None:
        self.repo.file(path).chmod(0o755)

    def _encode(self, text: str) -> None:
        path, _, codec = text.partition(" as ")
        self.repo.write(path, self.repo.file(path).read_bytes().decode().encode(codec))

    def _line_ends(self, text: str) -> None:
        path, _, end = text.partition(" ")
        content = self.repo.file(path).read_bytes().replace(b"\r\n", b"\n")
        self.repo.write(path, content.replace(b"\n", b"\r\n") if end == "crlf" else content)

    def _git(self, text: str) -> None:
        self.repo.git(*shlex.split(text))

    def _git_fails(self, text: str) -> None:
        with pytest.raises(subprocess.CalledProcessError):
            self.repo.git(*shlex.split(text))

    def _git_in_other(self, text: str) -> None:
        self._other().git(*shlex.split(text))

    def _other(self) -> GitRepo:
        place = self.folder / "other"
        return GitRepo(place) if place.exists() else GitRepo.create(place, "--template=")

    def _commit(self, message: str) -> None:
        self.repo.commit(message)

    def _clone(self, options: str) -> None:
        exported = self.folder / "claims.jsonl"
        with self.kept.project() as project:
            export(project, exported)
        self.kept = Kept(self.repo.clone(self.folder / "clone", "--template=", *shlex.split(options.replace("no options", ""))))
        with self.kept.project(create=True) as project:
            import_(project, exported)
        self.is_said = True

    def _forget_unreachable(self) -> None:
        self.repo.forget_unreachable()

    def _record(self, text: str) -> None:
        name, _, anchors = text.partition(" = ")
        self.record([[name, anchors]])
        self.is_said = True

    def record(self, rows: list[list[str]], *, create: bool = False) -> None:
        """Record the claims of a table, premises after those they rest on."""
        with self.kept.project(create=create) as project:
            for row in rows:
                [answer] = record_many(project, [self._draft(*row)])
                self.names[answer.claim.id] = row[0]

    def _draft(self, name: str, text: str, options: str = "") -> Draft:
        given = dict(option.strip().partition("=")[::2] for option in options.split(";") if option.strip())
        is_statement = text.startswith("“")
        anchors = () if is_statement else tuple(part.strip() for part in text.split(";"))
        premises = tuple(claim for claim, known in self.names.items() if known == given.get("from"))
        kind = given.get("kind", "observation")
        return Draft(text.strip("“”") if is_statement else name, kind, (name,), anchors=anchors, derived_from=premises)  # type: ignore[arg-type]

    def _verify(self, name: str) -> None:
        self._say("verify", name)

    def _review(self, name: str) -> None:
        self._say("review", name)

    def _reject(self, name: str) -> None:
        self._say("reject", name)

    def _say(self, step: str, name: str) -> None:
        with self.kept.project() as project:
            getattr(steps, step)(project, self.claim(name), "looked at")
        self.is_said = True

    def _left_uncommitted(self) -> None:
        self.notes.append(("left uncommitted",))

    def _nothing_is_written(self) -> None:
        self.notes.append(("nothing is written",))

    def _history(self, text: str) -> None:
        name, _, events = text.partition(" = ")
        self.notes.append(("history", name, *(event.strip() for event in events.split(","))))

    def claim(self, name: str) -> str:
        """The id of the claim with that name."""
        return next(claim for claim, known in self.names.items() if known == name)

    def history(self, name: str) -> list[str]:
        with self.kept.project() as project:
            return [event.type for event in project.ledger.events(claim_id=self.claim(name))]


WORDS = {name[1:].replace("_", " ") for name in vars(Stage) if name.startswith("_") and not name.startswith("__")}
CASES = [(path, title) for path in sorted(FOLDER.glob("*.md")) for title in read_file(path).scenarios]


def test_all_forty_scenarios_are_here() -> None:
    """Each has its number at the head of a scenario or of a step."""
    titles = [part.title for path in FOLDER.glob("*.md") for _, part in read_parts(path.read_text(encoding="utf-8"))]
    assert {int(found[0]) for title in titles if (found := re.match(r"\d+", title))} == set(range(1, 41))


@pytest.fixture(scope="module")
def templates(tmp_path_factory: pytest.TempPathFactory) -> dict[Path, tuple[Path, dict[str, str]]]:
    """Case file → a folder with its repository and recorded claims, and their names; made when first wanted."""
    return {Path("made in"): (tmp_path_factory.mktemp("templates"), {})}


def stage_of(path: Path, templates: dict[Path, tuple[Path, dict[str, str]]], tmp_path: Path) -> Stage:
    """A copy of the file's beginning."""
    if path not in templates:
        case = read_file(path)
        made = Stage(templates[Path("made in")][0] / path.stem)
        GitRepo.create(made.folder / "repo", "--template=")
        made.do(case.start)
        made.repo.tag("start")
        made.record(case.claims, create=True)
        templates[path] = (made.folder, made.names)
    folder, names = templates[path]
    stage = Stage(tmp_path / "stage")
    shutil.copytree(folder, stage.folder, symlinks=True)
    # Times of files are not what git remembers of the template; without this every file would be read again at each question.
    stage.repo.git("update-index", "-q", "--refresh")
    stage.names = dict(names)
    return stage


@pytest.mark.parametrize(("path", "title"), CASES, ids=lambda value: value.stem if isinstance(value, Path) else value.split()[0])
def test_scenario(path: Path, title: str, templates: dict[Path, tuple[Path, dict[str, str]]], tmp_path: Path) -> None:
    """Each step gives the statuses that its table says: step by step, with no index, and in one jump from the start."""
    stage = stage_of(path, templates, tmp_path)
    past = OldState(stage.kept, tmp_path / "past")
    for part in read_file(path).scenarios[title]:
        before = stage.kept.last_event()
        stage.do(part)
        found = stage.kept.step()
        assert told(found, stage.names, part.rows[2:]) == [], part.title
        assert plain(stage.kept.cold()) == plain(found), f"{part.title}: with no index it is different"
        if not stage.is_said:
            assert plain(past.read()) == plain(found), f"{part.title}: in one jump it is different"
        for note, *rest in stage.notes:
            if note == "nothing is written":
                assert stage.kept.last_event() == before, part.title
            elif note == "history":
                assert stage.history(rest[0]) == rest[1:], part.title


def told(found: dict[str, ClaimStatus], names: dict[str, str], rows: list[list[str]]) -> list[str]:
    """Every claim whose status is not the expected one, in words."""
    expected = {row[0]: [*row[1:], "", ""][:3] for row in rows}
    usual = expected.pop("*", ["active", "", ""])
    assert expected.keys() <= set(names.values()), f"no such claim: {expected.keys() - set(names.values())}"
    wrong = []
    for claim, name in names.items():
        status, reason, says = expected.get(name, usual)
        one = found[claim]
        is_status = one.status == status if status != "moved" else one.status == "active" and one.is_relocated
        if status == "active" and one.is_relocated:
            is_status = False
        reasons = [cause.reason for cause in one.causes]
        shown = "; ".join(f"{c.reason} {c.place} {c.detail}".strip() for c in one.causes)
        if not is_status or (reason and reason not in reasons[:1]) or says not in shown:
            wrong.append(f"{name}: expected {status} {reason} {says!r}, is {'moved ' if one.is_relocated else ''}{one.status} ({shown})")
    return wrong
