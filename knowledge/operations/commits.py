"""Commits between two revisions, as git counts them: reached from the one and not from the other."""

from __future__ import annotations

import heapq

from knowledge.errors import UsageError
from knowledge.records.trees import Commit
from knowledge.repository.interface import Repository

_NEW, _OLD = 1, 2


def commits_between(repository: Repository, old: str | None, new: str) -> list[Commit]:
    """The commits that `new` reaches and `old` (None: nothing) does not, newest first. Looks no further back than where the two meet.

    Raises UnknownRevisionError.
    """
    if old is None:
        return list(repository.walk(new))
    ends = {repository.resolve(new): _NEW}
    base = repository.resolve(old)
    ends[base] = ends.get(base, 0) | _OLD
    reached, known = dict(ends), {revision: repository.commit(revision) for revision in ends}
    front = [(-known[revision].committed_at, revision) for revision in ends]
    heapq.heapify(front)
    while any(not reached[revision] & _OLD for _, revision in front):
        _, revision = heapq.heappop(front)
        for parent in known[revision].parents:
            if reached.get(parent, 0) | reached[revision] != reached.get(parent, 0):
                reached[parent] = reached.get(parent, 0) | reached[revision]
                known[parent] = known.get(parent) or repository.commit(parent)
                heapq.heappush(front, (-known[parent].committed_at, parent))
    found = [known[revision] for revision, ends_at in reached.items() if ends_at == _NEW]
    return sorted(found, key=lambda commit: (-commit.committed_at, commit.revision))


def read_range(text: str) -> tuple[str | None, str]:
    """`A..B` as (A, B), an end that is left out being HEAD. Raises UsageError for `A...B`."""
    old, dots, new = text.partition("..")
    if not dots or new.startswith("."):
        raise UsageError(f"cannot read the range {text!r}; expected OLD..NEW")
    return old or "HEAD", new or "HEAD"
