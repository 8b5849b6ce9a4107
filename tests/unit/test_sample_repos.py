"""The sample histories build, are the same each time, and hold what they promise."""

import subprocess
import sys
import unicodedata
from pathlib import Path

import pytest

from sample_repos.build import FOLDER, add_step, build, git, main, names, parse_history, read_history

Built = dict[str, tuple[Path, dict[str, str]]]
"""History → (folder, step → commit id)."""


def content(repository: Path, revision: str, path: str) -> str:
    """A file as it is in a commit."""
    return git(repository, "show", f"{revision}:{path}")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """Every history, built once."""
    folder = tmp_path_factory.mktemp("samples")
    return {name: (folder / name, dict(zip((step.name for step in read_history(name)), build(name, folder / name), strict=True))) for name in names()}


def test_there_are_four_histories() -> None:
    """The auth flow twice, moves, and Korean."""
    assert names() == ["auth_python", "auth_typescript", "korean", "moves"]


@pytest.mark.parametrize("name", ["auth_python", "moves"])
def test_building_again_gives_the_same_commits(name: str, built: Built, tmp_path: Path) -> None:
    """Authors, dates and contents are fixed, so commit ids are."""
    assert build(name, tmp_path / "again") == list(built[name][1].values())


@pytest.mark.parametrize("name", ["auth_python", "auth_typescript", "korean", "moves"])
def test_reverts_give_back_the_tree(name: str, built: Built) -> None:
    """After a revert the tree is that of the commit before what was reverted."""
    folder, ids = built[name]
    reverted = {step.actions[0].first: step.name for step in read_history(name) if step.actions[0].kind == "revert"}
    assert reverted
    for undone, step in reverted.items():
        assert git(folder, "rev-parse", f"{ids[step]}^{{tree}}") == git(folder, "rev-parse", f"{ids[undone]}^^{{tree}}")


@pytest.mark.parametrize("name", ["auth_python", "auth_typescript"])
def test_refresh_only_adds_a_file(name: str, built: Built) -> None:
    """The second caller of createSession comes without a change to any line that was there."""
    folder, ids = built[name]
    changed = git(folder, "diff", "--name-status", ids["login"], ids["refresh"]).split("\n")[:-1]
    assert [line[0] for line in changed] == ["A"]
    assert "createSession(" in content(folder, ids["refresh"], changed[0].split("\t")[1])


def test_auth_python_runs(built: Built) -> None:
    """The sample's own tests pass at its last step."""
    folder, _ = built["auth_python"]
    done = subprocess.run([sys.executable, "-B", "-m", "unittest", "-q"], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_move_is_byte_for_byte(built: Built) -> None:
    """The rename keeps the file's bytes, and so does the move of the folder."""
    folder, ids = built["moves"]
    assert content(folder, ids["start"], "flask/cookies.py") == content(folder, ids["rename"], "flask/headers.py")
    assert git(folder, "rev-parse", f"{ids['split']}:flask") == git(folder, "rev-parse", f"{ids['directory']}:src/flask")


def test_korean_comes_in_both_unicode_forms(built: Built) -> None:
    """Decomposed text and a decomposed path are other bytes under the same look."""
    folder, ids = built["korean"]
    before, after = (content(folder, ids[step], "앱/세션.py") for step in ("revert-refresh", "nfd-text"))
    assert before != after
    assert before == unicodedata.normalize("NFC", after)
    paths = git(folder, "ls-tree", "-rz", "--name-only", ids["nfd-name"]).split("\0")
    assert unicodedata.normalize("NFD", "결정.md") in [path.rpartition("/")[2] for path in paths]


def test_until_and_add_step_go_on_from_there(tmp_path: Path) -> None:
    """A repository built up to a step takes the next one on top."""
    build("auth_python", tmp_path / "repo", until="login")
    added = add_step("auth_python", tmp_path / "repo", "refresh")
    assert added == build("auth_python", tmp_path / "whole", until="refresh")[-1]


def test_a_folder_in_use_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing is built over what is there, and the command line says so with exit code 2."""
    (tmp_path / "mine.txt").write_text("mine")
    assert main(["moves", str(tmp_path)]) == 2
    assert "not empty" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine.txt"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("## Add a file\n", "line 1: a step's heading"),
        ("## add — Add a file\n```python a.py\nx = 1\n", "line 2: this block does not end"),
        ("## add — Add a file\n- mvoe a.py to b.py\n", "line 2: no such action"),
    ],
)
def test_a_line_that_cannot_be_meant_is_named(text: str, complaint: str) -> None:
    """A slip in a history is an error with its line, never a step that is quietly left out."""
    with pytest.raises(ValueError, match=complaint):
        parse_history(text)


def test_unknown_names_come_with_the_known_ones(tmp_path: Path) -> None:
    """Asking for what is not there says what is."""
    with pytest.raises(ValueError, match=r"auth_python, auth_typescript, korean, moves"):
        read_history("auth")
    with pytest.raises(ValueError, match=r"it has: start, rename,"):
        build("moves", tmp_path / "repo", until="end")
    with pytest.raises(ValueError, match="it has: login, refresh,"):
        add_step("auth_python", build_login(tmp_path), "end")


def build_login(folder: Path) -> Path:
    """The first state of the auth flow."""
    build("auth_python", folder / "login", until="login")
    return folder / "login"


def test_every_step_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """Without a folder the command line lists the steps."""
    assert main(["korean"]) == 0
    assert capsys.readouterr().out.splitlines()[0].split(maxsplit=1) == ["login", "로그인 경로를 추가한다"]
    assert all((FOLDER / f"{name}.md").read_text(encoding="utf-8").startswith("# ") for name in names())
