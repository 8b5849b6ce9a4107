"""The statuses of claims had in different ways that must agree: as stored, from an empty index, in one jump from an older index.

A `Kept` is a repository with claims, opened anew for every question as the command line does.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from git_fixtures import GitRepo

from knowledge.config import INDEX_FILE
from knowledge.operations.project import Project, open_project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.records.claims import Author, ClaimStatus

PERSON = Author("person", "ann")
BESIDE = ("", "-wal", "-shm")


@dataclass
class Kept:
    """A repository whose claims are kept in its common directory."""

    repo: GitRepo

    @property
    def folder(self) -> Path:
        """Where the two databases lie."""
        common = self.repo.git("rev-parse", "--path-format=absolute", "--git-common-dir")
        return (Path(common) / INDEX_FILE).parent

    @contextmanager
    def project(self, *, create: bool = False) -> Iterator[Project]:
        with open_project(self.repo.path, PERSON, create=create) as project:
            yield project

    def step(self) -> dict[str, ClaimStatus]:
        """What a command answers: the stored statuses are brought to HEAD, then the working tree is read."""
        with self.project() as project:
            reading = Reading(project)
            reconcile(project, reading)
            return reading.statuses(reading.trees.at())

    def read(self, at: str | None = None) -> dict[str, ClaimStatus]:
        """The statuses in a tree, from wherever the stored ones stand; writes nothing to the ledger."""
        with self.project() as project:
            reading = Reading(project)
            return reading.statuses(reading.trees.at(at))

    def stored(self) -> dict[str, ClaimStatus]:
        """The rows of the cache."""
        with self.project() as project:
            return project.index.statuses(project.repository.worktree_name)

    def cold(self, at: str | None = None) -> dict[str, ClaimStatus]:
        """From the ledger and git alone: with no index at all. The index that was there comes back."""
        with self.aside():
            return self.read(at)

    @contextmanager
    def aside(self) -> Iterator[None]:
        """Without the index; what is made meanwhile is thrown away."""
        names = [Path(INDEX_FILE).name + end for end in BESIDE]
        folder = self.folder
        away = folder / "away"
        away.mkdir()
        for name in names:
            if (folder / name).exists():
                (folder / name).rename(away / name)
        try:
            yield
        finally:
            for name in names:
                (folder / name).unlink(missing_ok=True)
                if (away / name).exists():
                    (away / name).rename(folder / name)
            away.rmdir()

    def last_event(self) -> int:
        with self.project() as project:
            return project.ledger.last_sequence()


class OldState:
    """Both databases as they were at one moment, to be asked about later trees: one jump from then."""

    def __init__(self, kept: Kept, place: Path) -> None:
        self._kept, self._place = kept, place
        shutil.copytree(kept.folder, place)

    def read(self, at: str | None = None) -> dict[str, ClaimStatus]:
        """The statuses now, computed from the databases of then. They stay as they were, but for what indexing adds."""
        folder = self._kept.folder
        now = folder.with_name("knowledge.now")
        folder.rename(now)
        self._place.rename(folder)
        try:
            return self._kept.read(at)
        finally:
            folder.rename(self._place)
            now.rename(folder)


def plain(statuses: dict[str, ClaimStatus]) -> dict[str, tuple[object, ...]]:
    """Everything of each status that must be equal, whatever way it was had."""
    return {claim: (s.status, s.causes, s.verdict_id, s.readings, s.is_relocated) for claim, s in sorted(statuses.items())}


def differences(one: dict[str, ClaimStatus], other: dict[str, ClaimStatus]) -> list[str]:
    """Every claim that is not the same in both, with what it is in each."""
    before, after = plain(one), plain(other)
    unlike = [claim for claim in sorted(before.keys() | after.keys()) if before.get(claim) != after.get(claim)]
    return [f"{claim}: {before.get(claim)} != {after.get(claim)}" for claim in unlike]
