"""A claim goes stale and stands again: the auth flow under the real command line. `python -m sample_repos.demo [FOLDER]`

Without FOLDER the repository is made in a temporary folder and removed at the end.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sample_repos.build import add_step, build, environment

KNOWLEDGE = Path(sys.executable).with_name("knowledge")
STATEMENT = "createSession is only called from authenticate"


@dataclass(frozen=True, slots=True)
class Scene:
    """What is said, and the command that is then run. `ID` in a command stands for the claim's id."""

    text: str
    command: tuple[str, ...]


SCENES = (
    Scene("A small service: a login route calls authenticate, which calls createSession.", ("git", "log", "--oneline", "--stat=72")),
    Scene("Set up: the repository is read, the ledger made, git hooks installed. Nothing is written outside .git.", ("knowledge", "init")),
    Scene("Say something about the code. What the sentence stands on is found by itself.", ("knowledge", "claim", "record", STATEMENT)),
    Scene("The claim, what it stands on, and what it cannot notice.", ("knowledge", "claim", "show", "ID")),
    Scene("Somebody adds a refresh route, in a new file: no line that existed before changes.", ("commit", "refresh")),
    Scene("Nobody told the claim. It is stale, with the reason and the new caller.", ("knowledge", "stale")),
    Scene("Who calls createSession now, and how that is known.", ("knowledge", "callers", "createSession")),
    Scene("The commit is reverted.", ("git", "revert", "--no-edit", "HEAD")),
    Scene("The claim stands again. Nobody verified anything: what was said of it is said of this state of the code.", ("knowledge", "stale")),
    Scene("Its whole history is kept.", ("knowledge", "claim", "history", "ID")),
    Scene("What such a claim cannot notice: this commit calls createSession by a name that is put together at run time.", ("commit", "guest")),
    Scene(
        "The claim still stands, although it is false by now. It says itself that dynamic calls, and the order of calls, are not in its sight.",
        ("knowledge", "claim", "show", "ID"),
    ),
)


def play(repository: Path) -> int:
    """Run all scenes in a new repository; 0, or the exit code of the first command that failed."""
    build("auth_python", repository, until="login")
    for number, scene in enumerate(SCENES, 1):
        print(f"\n{'─' * 78}\n{number}. {scene.text}\n")
        code = _run(repository, scene.command)
        if code != 0:
            print(f"\nThis command ended with exit code {code}.", file=sys.stderr)
            return code
    return 0


def _run(repository: Path, command: tuple[str, ...]) -> int:
    program, *words = command
    if program == "commit":
        add_step("auth_python", repository, words[0])
        program, words = "git", ["show", "--format=%h %s%n", "HEAD"]
    words = [_claim_id(repository) if word == "ID" else word for word in words]
    print(f"$ {shlex.join([program, *words])}", flush=True)
    return _call(repository, program, words).returncode


def _call(repository: Path, program: str, words: list[str], *, is_kept: bool = False) -> subprocess.CompletedProcess[str]:
    """Run a command; what it prints is shown, or kept for us."""
    command = [str(KNOWLEDGE) if program == "knowledge" else program, *words]
    output = subprocess.PIPE if is_kept else None
    return subprocess.run(command, cwd=repository, env=environment(), stdin=subprocess.DEVNULL, stdout=output, check=False, text=True)


def _claim_id(repository: Path) -> str:
    """The id of the one claim that there is."""
    return _call(repository, "knowledge", ["claim", "list", "--quiet"], is_kept=True).stdout.split()[0]


def main() -> int:
    """Play the scenes, in the folder that is named or in a temporary one."""
    if len(sys.argv) > 1:
        return play(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory(prefix="knowledge-demo-", ignore_cleanup_errors=True) as folder:
        return play(Path(folder) / "auth")


if __name__ == "__main__":
    sys.exit(main())
