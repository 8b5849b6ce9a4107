"""What people write for a revision: what is refused before git sees it, and near misses for what git does not know."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable

from knowledge.errors import UnknownRevisionError

DIRTY = "HEAD+dirty"
_SUGGESTED = 5
_NAMES_COMPARED = 5000
_ABBREVIATION = re.compile(r"[0-9a-f]{4,64}\Z")
_OPERATORS = re.compile(r"[~^@:]")
_PREFIXES = ("refs/heads/", "refs/tags/", "refs/remotes/")


def check_expression(name: str) -> None:
    """Raises UnknownRevisionError for what cannot be a revision expression, or would be taken for an option."""
    if not name or name.startswith("-") or any(ord(letter) < 32 for letter in name):
        raise UnknownRevisionError(f"{name!r} is no revision; give a commit id, a branch, a tag or an expression such as HEAD~3")
    if "+" in name and (name == DIRTY or _ABBREVIATION.match(name.partition("+")[0])):
        raise UnknownRevisionError(f"{name!r} names uncommitted files, which are no commit")


def unknown_revision(name: str, refs: Iterable[str], recent: Callable[[], Iterable[str]]) -> UnknownRevisionError:
    """The error for an expression that names nothing, with the names or commit ids (`recent`) that come near."""
    base = _OPERATORS.split(name, maxsplit=1)[0]
    if _ABBREVIATION.match(base):
        near = [revision[: max(len(base), 10)] for revision in recent() if revision.startswith(base[:4])]
        if len(base) in (40, 64):
            message = f"there is no commit {name} here; it was never fetched, or git deleted it because no branch or tag reaches it"
            return UnknownRevisionError(message, suggestions=near[:_SUGGESTED])
    else:
        near = []
    names = [short_name(ref) for ref in refs][:_NAMES_COMPARED]
    near += difflib.get_close_matches(base, names, n=_SUGGESTED, cutoff=0.6)
    return UnknownRevisionError(f"there is no commit, branch or tag {name!r} here", suggestions=near[:_SUGGESTED])


def short_name(ref: str) -> str:
    """A ref as people write it: `main`, `v1.0`, `origin/main`."""
    for prefix in _PREFIXES:
        if ref.startswith(prefix):
            return ref.removeprefix(prefix)
    return ref
