"""Finding a claim by its id, or by an unmistakable beginning of it."""

from __future__ import annotations

from difflib import get_close_matches

from knowledge.errors import UnknownRecordError
from knowledge.operations.project import Project


def full_id(project: Project, given: str) -> str:
    """The whole id. Raises UnknownRecordError, with near ids, where none or more than one begins so."""
    every = project.ledger.claim_ids()
    if given in every:
        return given
    fitting = [c for c in every if c.startswith(given) or c.removeprefix("c_").startswith(given)] if given else []
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise UnknownRecordError(f"{len(fitting)} claims begin with {given!r}; give more of the id", suggestions=tuple(fitting[:5]))
    raise UnknownRecordError(f"there is no claim {given!r}", suggestions=tuple(get_close_matches(given, every, 3) or every[-3:]))
