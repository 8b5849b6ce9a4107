"""Sessions of which nothing is recorded and to which nothing is pushed. That it was so is all that is kept of them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from knowledge.config import AUDIT_FILE
from knowledge.errors import InvalidRecordError, OffRecordError
from knowledge.operations.project import Project
from knowledge.repository.processes import own_programs
from knowledge.storage.audit import open_audit

_NAMES = ("KNOWLEDGE_SESSION", "CLAUDE_CODE_SESSION_ID")
"""Environment variables by which a program that an agent starts knows its session."""


def own_sessions(project: Project) -> tuple[str, ...]:
    """The sessions in which whoever asks may be."""
    return tuple(dict.fromkeys(s for s in (project.author.session, *(os.environ.get(name, "") for name in _NAMES)) if s))


def refuse_off_record(project: Project) -> None:
    """Raises OffRecordError where whoever records is in a session that is off the record."""
    if is_here_off_record(project):
        raise OffRecordError("this session is off the record, as the person said: nothing was stored. `knowledge session on-record` takes it back.")


def is_here_off_record(project: Project) -> bool:
    """Whether whoever asks is in a session that is off the record, by its name or by the program that started it all. Raises StoreError."""
    return is_off_record(project, (*own_sessions(project), *own_programs()))


def is_off_record(project: Project, sessions: Sequence[str]) -> bool:
    """Whether one of these sessions is off the record. Raises StoreError where that cannot be read: then nothing may be recorded either."""
    path = project.home / AUDIT_FILE
    named = [session for session in sessions if session]
    if not named or not path.exists():
        return False
    with open_audit(path) as audit:
        return audit.is_off_record(named)


def take_off_record(project: Project, host: str, session: str) -> None:
    """Mark a session and the sub-agents that it is known to have."""
    _named(session)
    with open_audit(project.home / AUDIT_FILE) as audit:
        audit.take_off_record([session, *map(str, audit.state(host, session).get("agents", ()))], project.now())


def put_on_record(project: Project, session: str) -> None:
    """Take the mark off a session."""
    _named(session)
    with open_audit(project.home / AUDIT_FILE) as audit:
        audit.put_on_record([session])


def _named(session: str) -> None:
    if not session:
        raise InvalidRecordError("no session is named; give --session, or set KNOWLEDGE_SESSION")
