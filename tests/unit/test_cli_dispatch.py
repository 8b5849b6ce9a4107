"""How a command line is read before anything is done: shared options, groups that load lazily, errors."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from knowledge.errors import StoreLockedError, UsageError
from knowledge.surfaces.cli import main as entry_point
from knowledge.surfaces.cli.failures import explain
from knowledge.surfaces.cli.main import main
from knowledge.surfaces.cli.settings import Settings, asks_for_json, read_plain_request, wants_colour


@pytest.mark.parametrize(
    ("words", "settings"),
    [
        (["status"], Settings()),
        (["status", "--json"], Settings(is_json=True)),
        (["-C", "a", "status", "-C", "b", "-q", "--no-color"], Settings(("a", "b"), False, True, True)),
        (["status", "--help"], None),
        (["status", "status"], None),
        (["-C"], None),
        (["--json"], None),
        (["stale"], None),
        ([], None),
    ],
)
def test_a_bare_status_is_recognised_and_nothing_else(words: list[str], settings: Settings | None) -> None:
    """Only `status` with shared options takes the cheap way; whatever is unclear goes to the full parser."""
    assert read_plain_request(words, "status") == settings


@pytest.mark.parametrize(("words", "is_asked"), [(["claim", "show", "--json"], True), (["claim", "record", "--", "--json"], False), ([], False)])
def test_json_is_recognised_in_a_broken_command_line(words: list[str], is_asked: bool) -> None:
    """An error of the command line itself is JSON where JSON was asked for."""
    assert asks_for_json(words) is is_asked


@pytest.mark.parametrize(
    ("words", "message", "suggestion"),
    [
        (["stael"], "there is no command knowledge stael", "did you mean: stale"),
        (["claim", "recrod"], "there is no command knowledge claim recrod", "did you mean: record"),
        (["completion", "tcsh"], "'tcsh' is not one of 'bash', 'zsh', 'fish'", ""),
        (["completion"], "Missing argument", ""),
        (["completion", "bash", "--jsno"], "there is no option --jsno", "did you mean: --json"),
    ],
)
def test_a_wrong_command_line_is_told_with_what_was_meant(
    words: list[str], message: str, suggestion: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 2, the message and the nearest names on standard error, nothing on standard output."""
    assert main(words) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert message in told.err
    assert suggestion in told.err
    assert "--help`" in told.err


def test_a_wrong_command_line_is_json_where_json_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    """The error object stands alone on standard output."""
    assert main(["stael", "--json"]) == 2
    told = capsys.readouterr()
    assert told.out.startswith('{"error":{"code":"usage","message":"there is no command knowledge stael')
    assert told.err == ""


def test_help_of_all_commands_loads_none(capsys: pytest.CaptureFixture[str]) -> None:
    """`knowledge --help` lists every command by section without importing what they need."""
    script = (
        "import sys; from knowledge.surfaces.cli.main import main; code = main(['--help']); "
        "heavy = {'sqlalchemy', 'pygit2', 'networkx', 'tree_sitter', 'pydantic', 'alembic'} & set(sys.modules); "
        "sys.exit(f'{code} {heavy}' if code or heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    for name in ("Set up:", "init", "stale", "callers", "import", "Options of every command:"):
        assert name in done.stdout


def test_no_arguments_are_a_call_for_help(capsys: pytest.CaptureFixture[str]) -> None:
    """`knowledge` alone shows what there is, on standard error, and exits with 2."""
    assert main([]) == 2
    assert "Usage: knowledge" in "".join(capsys.readouterr())


def test_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """`--version` prints name and version, alone or among other options."""
    assert main(["--version"]) == 0
    assert main(["--no-color", "--version"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == second
    assert first.startswith("knowledge ")


def raising(failure: BaseException) -> object:
    class Module:
        @staticmethod
        def run(_: object) -> int:
            raise failure

    return lambda name: Module


@pytest.mark.parametrize(
    ("failure", "code", "text"),
    [
        (StoreLockedError("the ledger is in use"), 5, "error: the ledger is in use\n"),
        (FileNotFoundError(2, "No such file or directory", "x.jsonl"), 74, "error: No such file or directory: x.jsonl\n"),
        (KeyError("k"), 70, "this is a defect of knowledge"),
        (KeyboardInterrupt(), 130, ""),
    ],
)
def test_every_failure_has_its_exit_code(
    failure: BaseException, code: int, text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Known failures are told in one line, unknown ones with their traceback, an interruption not at all."""
    monkeypatch.setattr(entry_point, "import_module", raising(failure))
    assert main(["stale"]) == code
    told = capsys.readouterr()
    assert text in told.err
    assert ("Traceback" in told.err) is (code == 70)


def test_a_message_may_not_steer_the_terminal(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """What was typed comes back in errors, made harmless."""
    monkeypatch.setattr(entry_point, "import_module", raising(UsageError("no file \x1b[2J", suggestions=("a\x07",))))
    assert main(["stale"]) == 2
    assert capsys.readouterr().err == "error: no file \\x1b[2J\ndid you mean: a\\x07\n"


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    """`knowledge … | head -1` ends quietly, with what a shell calls a broken pipe."""
    script = "import sys, time; from knowledge.surfaces.cli.main import main; time.sleep(0.3); sys.exit(main(['completion', 'bash']))"
    command = f'{{ {sys.executable} -c "{script}"; echo $? >code; }} | true'
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (tmp_path / "code").read_text().strip() == "141"
    assert done.stderr == ""


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_gets_its_completion_script(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The script calls this program back with the variable that click listens to."""
    assert main(["completion", shell]) == 0
    assert "_KNOWLEDGE_COMPLETE" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "current", "offered"),
    [
        ("knowledge cl", 1, "claim"),
        ("knowledge claim re", 2, "record"),
        ("knowledge completion ", 2, "zsh"),
        ("knowledge completion --js", 2, "--json"),
    ],
)
def test_a_shell_is_offered_what_fits(words: str, current: int, offered: str) -> None:
    """Commands, their choices and their options complete."""
    asked = os.environ | {"_KNOWLEDGE_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(current)}
    script = "from knowledge.surfaces.cli.main import main; main([])"
    done = subprocess.run([sys.executable, "-c", script], env=asked, capture_output=True, text=True, check=False)
    assert f"plain,{offered}" in done.stdout.splitlines(), done.stderr


def test_a_directory_that_is_not_there_is_named(tmp_path: Path) -> None:
    """-C needs a directory; several are joined, as git does."""
    (tmp_path / "a" / "b").mkdir(parents=True)
    assert Settings((str(tmp_path), "a", "b")).start == tmp_path / "a" / "b"
    with pytest.raises(UsageError, match="there is no directory"):
        _ = Settings((str(tmp_path), "c")).start


def test_colour_is_for_terminals_that_want_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR, --no-color and TERM=dumb switch colour off; a pipe never has it."""

    class Terminal:
        def isatty(self) -> bool:
            return True

    terminal: object = Terminal()
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert wants_colour(terminal, Settings())  # type: ignore[arg-type]
    assert not wants_colour(terminal, Settings(is_plain=True))  # type: ignore[arg-type]
    monkeypatch.setenv("TERM", "dumb")
    assert not wants_colour(terminal, Settings())  # type: ignore[arg-type]
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not wants_colour(terminal, Settings())  # type: ignore[arg-type]


def test_a_failure_without_a_file_is_a_defect() -> None:
    """An operating system error that names no file cannot be put right by the person, so it is told as a defect."""
    assert explain(OSError(5, "I/O error")).exit_code == 70
