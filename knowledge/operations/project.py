"""One project opened for an operation: its repository, its two databases, who asks and when."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar

from analyzers.registry import LANGUAGES, analyzer_version, parser_version
from knowledge.config import AUDIT_FILE, INDEX_FILE, LEDGER_FILE
from knowledge.errors import NotInitializedError
from knowledge.records.answers import TreeName
from knowledge.records.claims import Author
from knowledge.records.trees import Snapshot
from knowledge.repository.interface import Repository
from knowledge.repository.opening import open_repository
from knowledge.storage.audit import AuditStore, connect_audit
from knowledge.storage.index import IndexStore, open_index
from knowledge.storage.ledger import Ledger, open_ledger

_MOST_RECENT = 128
_Found = TypeVar("_Found")
WORKING_TREE = "HEAD+dirty"
_VERSIONS = {name: (parser_version(name), analyzer_version(name)) for name in LANGUAGES}


class Progress(Protocol):
    """Told how long work goes on; a surface shows it."""

    def start(self, title: str, total: int) -> None: ...

    def advance(self, count: int) -> None: ...

    def finish(self) -> None: ...


class SilentProgress:
    """Shows nothing."""

    def start(self, title: str, total: int) -> None:
        """Nothing is shown."""

    def advance(self, count: int) -> None:
        """Nothing is shown."""

    def finish(self) -> None:
        """Nothing is shown."""


@dataclass(slots=True)
class Project:
    """What every operation works on. The clock is a field, so that an answer can be had for another day."""

    repository: Repository
    ledger: Ledger
    index: IndexStore
    given_author: Author | None = None
    clock: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    progress: Progress = field(default_factory=SilentProgress)
    opened_audit: AuditStore | None = None
    recent: dict[tuple[object, ...], Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def author(self) -> Author:
        """Who asks. git is only asked where something is said, not where something is read."""
        if self.given_author is None:
            self.given_author = default_author(self.repository)
        return self.given_author

    @property
    def home(self) -> Path:
        """Where the databases and the lock lie: the git common directory, unless they were told to lie elsewhere."""
        return self.index.path.parent.parent

    @property
    def audit(self) -> AuditStore:
        """Where decisions are kept, opened when first asked for. Raises the store's errors."""
        path = self.home / AUDIT_FILE
        if self.opened_audit is not None and not path.exists():
            # Somebody moved it aside while we had it open.
            self.opened_audit.close()
            self.opened_audit = None
        if self.opened_audit is None:
            self.opened_audit = connect_audit(path)
        return self.opened_audit

    def remember(self, key: tuple[object, ...], compute: Callable[[], _Found]) -> _Found:
        """What is computed for a state of things that `key` names whole, once for the last of them: a daemon is asked the same again and again."""
        if key not in self.recent:
            if len(self.recent) >= _MOST_RECENT:
                self.recent.pop(next(iter(self.recent)))
            self.recent[key] = compute()
        found: _Found = self.recent[key]
        return found

    def now(self) -> str:
        """The present time, ISO 8601 in UTC, whole seconds."""
        return self.clock().strftime("%Y-%m-%dT%H:%M:%SZ")

    def author_text(self) -> str:
        """`kind:name[:session]`, as events name who did it."""
        return ":".join(p for p in (self.author.kind, self.author.name, self.author.session) if p)

    def tree_name(self, snapshot: Snapshot) -> TreeName:
        """The snapshot as answers name it."""
        return TreeName(snapshot.label, snapshot.revision, snapshot.key, snapshot.is_dirty, self.repository.backend)


def new_id(prefix: str) -> str:
    """A fresh id: a letter that says what it names, and twelve hexadecimal digits."""
    return f"{prefix}_{uuid.uuid4().hex[:12]}"


def default_author(repository: Repository) -> Author:
    """Who asks: an agent where the environment says so (KNOWLEDGE_AGENT, KNOWLEDGE_SESSION), else the person at the keyboard."""
    agent = os.environ.get("KNOWLEDGE_AGENT", "")
    if agent:
        return Author("agent", agent, os.environ.get("KNOWLEDGE_SESSION", ""))
    name = os.environ.get("KNOWLEDGE_AUTHOR") or os.environ.get("GIT_AUTHOR_NAME") or repository.user_name() or os.environ.get("USER")
    return Author("person", name or "unknown")


@contextmanager
def open_project(start: Path, author: Author | None = None, *, create: bool = False, folder: Path | None = None) -> Iterator[Project]:
    """Open the project that holds `start`; `folder`: keep the databases there instead of in the git common directory.

    Raises NotARepositoryError, NotInitializedError and the store's errors.
    """
    repository = open_repository(start)
    home = folder or repository.common_dir
    ledger_path = home / LEDGER_FILE
    if not create and not ledger_path.exists():
        raise NotInitializedError(f"no claims are kept for {repository.common_dir} yet. Run `knowledge init` first.")
    ledger = open_ledger(ledger_path)
    try:
        index = open_index(home / INDEX_FILE, _VERSIONS)
        try:
            project = Project(repository, ledger, index, author)
            try:
                yield project
            finally:
                if project.opened_audit is not None:
                    project.opened_audit.close()
        finally:
            index.close()
    finally:
        ledger.close()
