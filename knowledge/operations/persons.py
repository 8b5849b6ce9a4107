"""Who is a person: what an agent must not do by itself, it cannot do by leaving out that it is an agent.

A person sits at a terminal and no agent's program started the command; or shows the token that a person made at a terminal, once. A program that
runs under the person's own account can forge either if it sets out to: this holds off an agent that oversteps, not one that attacks.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from knowledge.config import APPROVAL_FILE
from knowledge.errors import NotAPersonError
from knowledge.operations.project import Project

TOKEN_VARIABLE = "KNOWLEDGE_APPROVAL_TOKEN"
AGENT_VARIABLES = (
    "KNOWLEDGE_AGENT", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CODEX_SANDBOX", "CODEX_THREAD_ID", "GEMINI_CLI", "CURSOR_AGENT", "OPENCODE",
)  # fmt: skip
"""What agents' programs set for the commands that they run."""


@dataclass(frozen=True, slots=True)
class Proof:
    """What speaks for a person. has_terminal: input and output are one. token: what was given of it."""

    has_terminal: bool = False
    token: str = ""


def require_person(project: Project, proof: Proof, act: str) -> str:
    """Who decides, as events name it. act: what is to be decided, for the refusal. Raises NotAPersonError."""
    token = proof.token or os.environ.get(TOKEN_VARIABLE, "")
    if token:
        if _is_known(project.home / APPROVAL_FILE, token):
            return _person_text(project)
        raise NotAPersonError(f"the token does not fit: {act} needs the one that `knowledge trigger token` wrote last")
    named = _agent(os.environ, project)
    if named or not proof.has_terminal:
        why = f"{named} asks" if named else "there is no terminal"
        raise NotAPersonError(
            f"only a person may {act}, and {why}. Run it at a terminal, or with a token that a person made with `knowledge trigger token`."
        )
    return _person_text(project)


def make_token(project: Project, proof: Proof) -> str:
    """A new token, told once; the one before is void. Only its digest is kept. Raises NotAPersonError where no terminal shows that a person asks."""
    if _agent(os.environ, project) or not proof.has_terminal:
        raise NotAPersonError("a token is made at a terminal, by the person who gives it to somebody")
    token = secrets.token_urlsafe(24)
    file = project.home / APPROVAL_FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch(mode=0o600)
    file.write_text(_digest(token), encoding="ascii")
    return token


def _agent(environment: Mapping[str, str], project: Project) -> str:
    """What shows that an agent asks; "" for nothing."""
    if project.author.kind == "agent":
        return f"the agent {project.author.name}"
    return next((f"a program that an agent started ({name} is set)" for name in AGENT_VARIABLES if environment.get(name)), "")


def _person_text(project: Project) -> str:
    author = project.author
    return project.author_text() if author.kind == "person" else f"person:{project.repository.user_name() or 'unknown'}"


def _is_known(file: Path, token: str) -> bool:
    try:
        kept = file.read_text(encoding="ascii")
    except (OSError, ValueError):
        return False
    return bool(kept) and hmac.compare_digest(kept.strip(), _digest(token))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
