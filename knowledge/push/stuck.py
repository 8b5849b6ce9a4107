"""Whether an agent is stuck, told from what its program reports: not from what the agent thinks of itself.

The sign read here: the same operation failed twice in a row and nothing was changed in between (the other, that the agent says so, is in
`blocked.py`). A test, a check or a search that fails is no obstacle but an answer, so loops of editing and testing are left alone; a failing
test run counts only where it could not be run at all.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

Outcome = Literal["failed", "answered", "changed", "looked"]
"""What a call was: an attempt that failed; one that answered no; one that may have changed something; a look at something."""
KEPT_ATTEMPTS = 8
_MOST_TEXT = 20_000
_SHELLS = frozenset({"Bash", "shell", "run_shell_command", "exec_command", "local_shell", "run_terminal_cmd", "execute_command", "terminal"})
_EDITORS = re.compile(r"(?:^|_)(?:edit|write|multi_?edit|notebook_?edit|apply_?patch|replace|write_file|create_file|str_replace\w*)$", re.IGNORECASE)
_LOOKERS = re.compile(
    r"(?:^|_)(?:read|grep|glob|ls|list\w*|search\w*|find\w*|view|read_\w+|get_\w+|todo\w*|recall|context_pack|task\w*)$", re.IGNORECASE
)
_CHECKER_WORDS = """
    pytest py.test tox nox unittest jest vitest mocha ava karma playwright cypress ctest rspec phpunit mypy pyright basedpyright pyrefly ty ruff
    flake8 pylint black isort eslint tsc prettier biome clippy shellcheck golangci-lint hadolint pre-commit bandit semgrep gcc g++ clang clang++
    javac rustc swiftc
"""
_CHECKING_WORDS = "test tests check lint typecheck type-check verify vet clippy build compile unittest spec coverage e2e assemble bench format fmt"
_RUNNER_WORDS = """
    python python3 py uv poetry pipenv pdm hatch conda npx npm pnpm yarn bun bunx deno node cargo go make just task gradle gradlew mvn dotnet rake
    bundle mix swift xcodebuild bazel nx turbo docker-compose cmake ninja
    meson terraform
"""
_LOOKING_WORDS = """
    grep rg ag ack find fd ls ll cat head tail less more wc diff cmp test [ [[ which type whereis file stat du df tree pwd echo printf true false
    date ps pgrep jq sed awk cut sort uniq column hexdump xxd sleep man help history id whoami uname
"""
_GIT_LOOKING_WORDS = "status log diff show blame grep branch rev-parse ls-files describe shortlog reflog cat-file config remote"
_WRAPPER_WORDS = "sudo time nice env exec command timeout nohup stdbuf xargs"
_SILENT_WORDS = "cd set export source . pushd popd if then fi do done else for while"
_CHECKERS, _CHECKING = frozenset(_CHECKER_WORDS.split()), frozenset(_CHECKING_WORDS.split())
_RUNNERS, _LOOKING = frozenset(_RUNNER_WORDS.split()), frozenset(_LOOKING_WORDS.split())
_GIT_LOOKING, _WRAPPERS = frozenset(_GIT_LOOKING_WORDS.split()), frozenset(_WRAPPER_WORDS.split())
_SILENT = frozenset(_SILENT_WORDS.split())
_RUN_VERBS = ("run", "exec", "dlx")
_TWO_VERBS = frozenset({"gh", "glab", "aws", "gcloud", "az", "docker", "kubectl", "flyctl", "terraform"})
"""Programs whose first word only names a part of them."""
_NOT_RUN = re.compile(
    r"command not found|: not found\b|No module named ['\"]?(?:pytest|mypy|ruff|tox|nox|unittest|coverage)|is not recognized as|Permission denied"
    r"|cannot execute|ENOENT.*(?:package\.json|spawn)|executable file not found|Could not connect|Connection refused|\bECONNREFUSED\b"
    r"|Temporary failure in name resolution|\bENOTFOUND\b|No space left on device|missing script|Executable doesn't exist|Authentication failed"
    r"|명령을 찾을 수 없|권한이 없|허가 거부|연결이 거부",
    re.IGNORECASE,
)
_NAME = re.compile(r"[A-Za-z][\w.:-]*")
_HOST = re.compile(r"^[a-z][a-z0-9+.-]*://(?:[^/@\s]*@)?([^/:\s]+)", re.IGNORECASE)
_ASSIGNMENT = re.compile(r"^[A-Za-z_]\w*=")


@dataclass(frozen=True, slots=True)
class Attempt:
    """A call that is over. operation: what was tried, without options, paths, numbers and ids, so that a second try is known as one."""

    operation: str
    outcome: Outcome


def is_shell_or_editor(tool: str) -> bool:
    """Whether a tool runs commands or changes files."""
    return is_shell(tool) or is_editor(tool)


def is_shell(tool: str) -> bool:
    """Whether a tool runs commands."""
    return tool in _SHELLS


def is_editor(tool: str) -> bool:
    """Whether a tool changes files."""
    return _EDITORS.search(tool.rpartition("__")[2]) is not None


def read_attempt(tool: str, arguments: Mapping[str, object], result: str, is_failed: bool) -> Attempt:
    """What a call tried and what became of it."""
    if tool in _SHELLS:
        return _shell(shell_text(arguments), result, is_failed)
    name = tool.rpartition("__")[2]
    if _EDITORS.search(name):
        # An edit that does not fit is mended by reading the file again.
        return Attempt(tool, "answered" if is_failed else "changed")
    if _LOOKERS.search(name):
        return Attempt(tool, "looked")
    return Attempt(" ".join([tool, *_hosts(arguments)]), "failed" if is_failed else "changed")


def shell_text(arguments: Mapping[str, object]) -> str:
    """The command of a call to a shell, as one text."""
    for key in ("command", "cmd", "script"):
        value = arguments.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            words = [str(word) for word in value]
            return words[-1] if len(words) == 3 and words[1] in ("-c", "-lc") else shlex.join(words)
    return ""


def is_stuck(earlier: Sequence[Attempt], now: Attempt) -> bool:
    """Whether this failure is the second in a row of the same operation: only looking came in between. earlier: oldest first."""
    if now.outcome != "failed" or not now.operation:
        return False
    for attempt in reversed(earlier):
        if attempt.outcome == "looked":
            continue
        # Another thing that was tried and failed, or answered no, changes nothing either, but it is no row any more.
        return attempt.outcome == "failed" and attempt.operation == now.operation
    return False


def _shell(command: str, result: str, is_failed: bool) -> Attempt:
    steps = [step for step in map(_step, _steps(command)) if step is not None]
    if not steps:
        return Attempt("", "looked")
    acting = [step for step in steps if step[1] != "looked"]
    operation, kind = (acting or steps)[-1]
    if not is_failed:
        return Attempt(operation, "changed" if any(kind == "acts" for _, kind in steps) else "looked")
    if kind == "looked":
        return Attempt(operation, "looked")
    if kind == "checks":
        return Attempt(operation, "failed" if _NOT_RUN.search(result[-_MOST_TEXT:]) else "answered")
    return Attempt(operation, "failed")


def _steps(command: str) -> list[list[str]]:
    """The simple commands of a shell's line, as words; the text of a here-document aside."""
    head = re.split(r"<<-?\s*['\"]?\w+", command[:_MOST_TEXT])[0]
    found = []
    for part in re.split(r"&&|\|\||[;\n|]", head):
        try:
            words = shlex.split(part, comments=True)
        except ValueError:
            words = part.split()
        while words and (_ASSIGNMENT.match(words[0]) or words[0] in _WRAPPERS or re.fullmatch(r"\d+[smh]?", words[0])):
            words = words[1:]
        if words and words[0] not in _SILENT:
            found.append(words)
    return found


def _step(words: Sequence[str]) -> tuple[str, Literal["acts", "checks", "looked"]] | None:
    """A command's operation, and whether it acts, checks or looks."""
    words = _unwrapped(words)
    program = words[0].rpartition("/")[2].lower()
    rest = [word for word in words[1:] if not word.startswith("-")]
    if program in _LOOKING:
        return program, "looked"
    if program == "git":
        verb = rest[0] if rest else ""
        return f"git {verb}".strip(), "looked" if verb in _GIT_LOOKING else "acts"
    if program in _CHECKERS and rest[:1] == ["install"]:
        return f"{program} install", "acts"
    if program in _CHECKERS or (program in _RUNNERS and _is_check(words[1:])):
        return program, "checks"
    if program in _RUNNERS and any(word in ("-c", "-e", "-", "--eval") for word in words[1:]):
        # A few lines that are tried out: their failing is what was to be learned.
        return program, "checks"
    hosts = [match[1].lower() for word in words[1:] if (match := _HOST.match(word))]
    named = hosts or [_stem(word) for word in rest if _NAME.match(word) or "/" in word]
    return " ".join([program, *named[: 2 if program in _TWO_VERBS else 1]]), "acts"


def _unwrapped(words: Sequence[str]) -> Sequence[str]:
    """The command that a runner runs: `npx x`, `uv run x`, `pnpm exec x`, `python -m x`."""
    for start in (
        ("npx",),
        ("bunx",),
        ("uvx",),
        ("python", "-m"),
        ("python3", "-m"),
        *((runner, verb) for runner in _RUNNERS for verb in _RUN_VERBS),
    ):
        program = words[0].rpartition("/")[2].lower()
        if (program, *words[1 : len(start)]) == start:
            rest = [word for place, word in enumerate(words[len(start) :]) if not word.startswith("-") or place]
            return rest or words
    return words


def _is_check(words: Iterable[str]) -> bool:
    """Whether what a runner is told to do is to test or to check."""
    for word in words:
        name = word.rpartition("/")[2].lower()
        if name in _CHECKERS or name in _CHECKING or any(part in _CHECKING or part in _CHECKERS for part in re.split(r"[:._-]", name)):
            return True
    return False


def _stem(word: str) -> str:
    """A word without what differs between two tries."""
    return re.sub(r"\d+", "#", word.rpartition("/")[2].partition("=")[0]).lower()


def _hosts(arguments: Mapping[str, object]) -> list[str]:
    """The machines that a call names: two fetches from two sites are two operations."""
    texts = [value.strip() for value in arguments.values() if isinstance(value, str)]
    return [match[1].lower() for text in texts if (match := _HOST.match(text))][:1]
