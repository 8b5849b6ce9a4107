"""Answers that only the command line gives: it alone joins the git hooks to the rest."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HookLine:
    """One git hook. state: what was done (written, unchanged, proposed, removed, restored, kept, failed) or how it stands
    (installed, missing, bypassed, disabled). paste: what a person may put there. last_fired: ISO 8601, "" where it is not known."""

    hook: str
    state: str
    path: str
    detail: str = ""
    paste: str = ""
    last_fired: str = ""


@dataclass(frozen=True, slots=True)
class HooksAnswer:
    """The git hooks of a repository. directory: where git takes hooks from; manager: husky, lefthook, pre-commit or ""."""

    directory: str
    manager: str
    hooks: tuple[HookLine, ...]
    waiting: int = 0
    failures: int = 0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class CompletionAnswer:
    """A completion script; without `--json` it is written as it is."""

    shell: str
    script: str


@dataclass(frozen=True, slots=True)
class SetupFile:
    """A file of the project that an agent's program needs changed, and the change as a unified diff ("" where it was shown before)."""

    path: str
    diff: str


@dataclass(frozen=True, slots=True)
class SetupAnswer:
    """What an agent's program needs. files: those that differ from what is needed. note: what a person has to do besides, or to paste."""

    host: str
    files: tuple[SetupFile, ...]
    is_written: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class SessionAnswer:
    """Whether a session is remembered."""

    session: str
    is_off_record: bool


@dataclass(frozen=True, slots=True)
class PushAnswer:
    """Whether memories come to agents by themselves in this repository."""

    is_on: bool
    note: str = ""
