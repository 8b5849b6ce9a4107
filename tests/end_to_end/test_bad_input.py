"""What is broken, hostile or missing: a clear answer and an exit code from the command line, and nothing lost."""

import json
import os
import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from git_fixtures import GitRepo

from knowledge.config import INDEX_FILE, LEDGER_FILE
from knowledge.storage import database
from knowledge.surfaces.cli.main import main

CODE = "LIMIT = 3\n\n\ndef serve(request):\n    return request\n"


@dataclass(frozen=True)
class Ended:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Ended]


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> GitRepo:
    """One commit with one function."""
    monkeypatch.setenv("KNOWLEDGE_AUTHOR", "Ada")
    created = GitRepo.create(tmp_path / "repo", "--template=")
    created.write("app/server.py", CODE)
    created.commit()
    return created


@pytest.fixture
def run(repo: GitRepo, capsys: pytest.CaptureFixture[str]) -> Run:
    """A command line in the repository, or elsewhere."""

    def run_it(*words: str, there: Path | None = None) -> Ended:
        capsys.readouterr()
        code = main(["-C", str(there or repo.path), *words])
        return Ended(code, *capsys.readouterr())

    return run_it


@pytest.fixture
def claim(run: Run) -> str:
    """The id of a claim on the function."""
    assert run("init", "--no-hooks").code == 0
    return run("claim", "record", "serve returns the request", "--anchor", "body:app/server.py::serve", "--quiet").out.strip()


def status_of(run: Run, claim: str) -> str:
    shown = run("claim", "show", claim, "--json")
    assert shown.code == 0, shown.out
    return str(shown.json["claim"]["status"])


@pytest.mark.parametrize("damage", [b"", b"not a database at all, but long enough to be one" * 40])
def test_a_corrupt_index_is_rebuilt_and_told(repo: GitRepo, run: Run, claim: str, damage: bytes) -> None:
    """Whatever lies where the index was, the claim is worth the same; doctor tells of a damaged one."""
    (repo.path / ".git" / INDEX_FILE).write_bytes(damage)
    if damage:
        told = run("doctor")
        assert "begun anew" in told.out + told.err
    assert status_of(run, claim) == "active"
    repo.write("app/server.py", CODE.replace("return request", "return None"))
    assert status_of(run, claim) == "stale"


def test_a_damaged_ledger_is_named_and_left_as_it_is(repo: GitRepo, run: Run, claim: str) -> None:
    """The record is never begun anew: exit 5, the file named, its bytes untouched."""
    ledger = repo.path / ".git" / LEDGER_FILE
    rubbish = b"\0" * 8192
    ledger.write_bytes(rubbish)
    ended = run("claim", "list")
    assert ended.code == 5
    assert "ledger" in ended.err
    assert ledger.read_bytes() == rubbish


def test_a_locked_ledger_is_waited_for_then_told(repo: GitRepo, run: Run, claim: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """While another program writes, recording waits and says so with exit 5; reading goes on; afterwards nothing is missing."""
    monkeypatch.setattr(database, "LIMITS", type(database.LIMITS)(lock_seconds=0.1))
    other = sqlite3.connect(repo.path / ".git" / LEDGER_FILE, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    ended = run("claim", "record", "serve is called", "--json")
    assert (ended.code, ended.json["error"]["code"]) == (5, "store-locked")
    assert status_of(run, claim) == "active"
    other.execute("ROLLBACK")
    other.close()
    assert run("claim", "record", "serve is called").code == 0
    assert len(run("claim", "list", "--json").json["claims"]) == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_a_folder_that_cannot_be_written_can_be_read(repo: GitRepo, run: Run, claim: str) -> None:
    """Claims are shown from it; recording says that it cannot be written."""
    folder = (repo.path / ".git" / LEDGER_FILE).parent
    folder.chmod(0o555)
    try:
        assert status_of(run, claim) == "active"
        assert run("claim", "record", "serve is called").code == 5
    finally:
        folder.chmod(0o755)


def test_before_the_first_commit_and_with_nothing_in_it(tmp_path: Path, run: Run) -> None:
    """An unborn branch and an empty first commit take claims like any other state."""
    young = GitRepo.create(tmp_path / "young", "--template=")
    assert run("init", "--no-hooks", there=young.path).code == 0
    assert run("stale", there=young.path).code == 0
    assert run("callers", "f", there=young.path).code == 2
    assert run("claim", "record", "nothing is here", there=young.path).code == 0
    young.commit("empty")
    listed = run("claim", "list", "--json", there=young.path)
    assert [c["status"] for c in listed.json["claims"]] == ["active"]


def test_files_that_nobody_can_read_are_skipped_and_told(repo: GitRepo, run: Run) -> None:
    """Huge, deep, minified, binary and undecodable files stop nothing, and the answer of `index` names each cause."""
    repo.write("app/huge.py", "x = 1\n" * 400_000)
    repo.write("app/vast.py", "x = 1\n" * 7_000_000)
    repo.write("app/deep.py", "".join(f"{' ' * depth}if x:\n" for depth in range(600)) + " " * 600 + "pass\n")
    repo.write("app/wide.py", "x=1;" * 8_000 + "\n")
    repo.write("app/binary.py", b"x = 1\n\0\0\0\n")
    repo.write("app/latin.py", b"# caf\xe9\nx = 1\n")
    repo.write("app/broken.py", "def broken(:\n")
    repo.commit()
    assert run("init", "--no-hooks").code == 0
    skipped = run("index", "--json").json["skipped"]
    causes = {path: code for code, paths in skipped.items() for path in paths}
    expected = {
        "app/huge.py": "file-too-large", "app/vast.py": "file-too-large", "app/deep.py": "too-deep", "app/wide.py": "minified",
        "app/binary.py": "binary", "app/latin.py": "undecodable", "app/broken.py": "syntax-error",
    }  # fmt: skip
    assert causes == expected
    answer = run("callers", "serve", "--json")
    assert answer.code == 0


def test_what_stands_in_a_file_that_does_not_parse_can_be_spoken_of(repo: GitRepo, run: Run, claim: str) -> None:
    """Its claim is up for review until the file can be read; asked for its callers, nobody pretends to know it."""
    repo.write("app/draft.py", "def draft(order\n    return order\n")
    repo.commit()
    on_body = run("claim", "record", "drafts an order", "--evidence", "app/draft.py::draft", "--quiet").out.strip()
    predicate = json.dumps({"relation": "calls", "subject": "app/draft.py::draft", "object": "app/server.py::serve"})
    on_call = run("claim", "record", "draft serves", "--predicate", predicate, "--quiet").out.strip()
    assert [status_of(run, c) for c in (on_body, on_call)] == ["needs_review", "needs_review"]
    assert run("callers", "app/draft.py::draft", "--json").json["error"]["code"] == "unknown-symbol"
    assert run("claim", "record", "x", "--anchor", "body:app/server.py::draft", "--json").json["error"]["code"] == "unknown-symbol"


def test_a_link_out_of_the_repository_is_not_followed(repo: GitRepo, run: Run, tmp_path: Path) -> None:
    """What lies outside is never read, not even where a link in the repository leads to it."""
    secret = tmp_path / "secret.toml"
    secret.write_text('[a]\nkey = "do not tell"\n')
    repo.symlink("app/secret.toml", str(secret))
    repo.symlink("app/up.toml", "../../secret.toml")
    repo.symlink("app/loop.toml", "loop.toml")
    repo.commit()
    assert run("init", "--no-hooks").code == 0
    for name in ("secret", "up", "loop"):
        told = run("claim", "record", "the key", "--anchor", f"value:app/{name}.toml::a.key", "--json")
        shown = run("claim", "list", "--json")
        assert "do not tell" not in told.out + told.err + shown.out
        assert shown.code == 0


def test_a_path_that_is_not_utf_8_can_be_cited(repo: GitRepo, run: Run) -> None:
    """It is shown so that it can be typed back, and its claim follows its content."""
    repo.write(b"app/caf\xe9.py", CODE.replace("serve", "brew"))
    repo.commit()
    assert run("init", "--no-hooks").code == 0
    told = run("claim", "record", "brewing", "--anchor", "body:app/caf\\xe9.py::brew", "--quiet")
    assert told.code == 0, told.err
    assert status_of(run, told.out.strip()) == "active"
    repo.write(b"app/caf\xe9.py", CODE.replace("serve", "brew").replace("return request", "return 1"))
    assert status_of(run, told.out.strip()) == "stale"


def test_wrong_names_are_told_with_near_ones(run: Run, claim: str) -> None:
    """A misspelt revision, symbol, path or claim: exit 2, an error code, and what was meant."""
    wrong = [
        (("stale", "--at", "mian"), "unknown-revision", "main"),
        (("callers", "serv"), "unknown-symbol", "serve"),
        (("claim", "record", "x", "--anchor", "value:app/serer.py::LIMIT"), "unknown-path", "app/server.py"),
        (("claim", "record", "x", "--anchor", "edge:app/server.py::serve callz app/server.py::serve"), "invalid-record", "calls"),
        (("claim", "record", "x", "--anchor", "bodi:app/server.py::serve"), "invalid-record", "body"),
        (("importers", "app/srever.py"), "unknown-path", "app/server.py"),
        (("claim", "show", claim[:-1] + ("0" if claim[-1] != "0" else "1")), "unknown-record", claim),
    ]
    for words, code, near in wrong:
        ended = run(*words, "--json")
        assert (ended.code, ended.json["error"]["code"]) == (2, code), words
        assert near in ended.out, words
