"""What a newcomer does first works as it is written: the demonstration, and the commands of both READMEs."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from sample_repos.build import build, environment
from sample_repos.demo import SCENES, STATEMENT

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What the demonstration shows, scene by scene."""
    command = [sys.executable, "-m", "sample_repos.demo", str(tmp_path_factory.mktemp("demo") / "auth")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return re.split(r"^─+$", done.stdout, flags=re.MULTILINE)[1:]


def scene_of(scenes: list[str], *command: str) -> list[str]:
    """The scenes that ran this command, in order."""
    return [text for text, scene in zip(scenes, SCENES, strict=True) if scene.command[: len(command)] == command]


def test_the_claim_is_recorded_and_stands(scenes: list[str]) -> None:
    """The sentence finds its anchors by itself, and the claim is active."""
    recorded, shown = scene_of(scenes, "knowledge", "claim", "record")[0], scene_of(scenes, "knowledge", "claim", "show")[0]
    assert STATEMENT in recorded
    assert "app/sessions.py::createSession" in shown
    assert re.search(r"\bactive\b", shown)


def test_the_new_caller_makes_it_stale(scenes: list[str]) -> None:
    """After the refresh route the claim is stale, with the new caller and its place as the reason."""
    stale = scene_of(scenes, "knowledge", "stale")[0]
    assert STATEMENT in stale
    assert "app/routes/refresh.py" in stale
    assert "refresh" in scene_of(scenes, "knowledge", "callers")[0]


def test_the_revert_makes_it_stand_again(scenes: list[str]) -> None:
    """Nobody verified anything, and nothing is stale; both turns are in the history."""
    assert STATEMENT not in scene_of(scenes, "knowledge", "stale")[1]
    assert re.findall(r"[a-z_]{5,} → [a-z_]{5,}$", scene_of(scenes, "knowledge", "claim", "history")[0], re.MULTILINE) == [
        "active → stale",
        "stale → active",
    ]


def test_it_says_what_it_cannot_notice(scenes: list[str]) -> None:
    """The last scene's claim is false by now; it says that dynamic calls and the order of calls are out of its sight."""
    shown = scene_of(scenes, "knowledge", "claim", "show")[-1]
    assert re.search(r"\bactive\b", shown)
    assert "dynamic" in shown
    assert "order" in shown


@pytest.mark.parametrize("readme", ["README.md", "README.ko.md"])
def test_the_commands_of_the_readme_run(readme: str, tmp_path: Path) -> None:
    """Every command that a README shows for one's own repository succeeds there, one after the other."""
    repository = tmp_path / "own"
    build("auth_python", repository, until="login")
    lines = re.findall(r"^    \.venv/bin/(knowledge .*?)(?: +#.*)?$", (ROOT / readme).read_text(encoding="utf-8"), re.MULTILINE)
    assert len(lines) == 6
    for line in lines:
        words = shlex.split(line)
        if "ID" in words:
            words[words.index("ID")] = run(repository, "knowledge", "claim", "list", "--quiet").split()[0]
        run(repository, *words)


def run(repository: Path, program: str, *words: str) -> str:
    """What a command of this installation prints; it has to succeed."""
    command = [str(Path(sys.executable).with_name(program)), *words]
    done = subprocess.run(command, cwd=repository, env=environment(), stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{shlex.join(words)}\n{done.stdout}{done.stderr}"
    return done.stdout
