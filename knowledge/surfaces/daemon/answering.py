"""A payload in, the host's own words out. Holds open what an answer needs, so that it is there at once."""

from __future__ import annotations

import contextlib
import hashlib
import json
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from knowledge.errors import KnowledgeError, NotARepositoryError
from knowledge.operations.attending import attend
from knowledge.operations.audit import PROBE
from knowledge.operations.banks import opened_personal
from knowledge.operations.project import Project, open_project
from knowledge.operations.unanswered import fold
from knowledge.records.agent_events import REPLY_CHARACTERS, AgentEvent, Reply
from knowledge.repository.locate import locate
from knowledge.repository.processes import program_of
from knowledge.storage.unanswered import is_noted
from knowledge.surfaces.hosts.host import Dialect
from knowledge.surfaces.hosts.table import DIALECTS

TWICE_SECONDS = 2.0
"""The same payload within this time is the same moment: hooks that are registered twice speak once."""
_MOST_PROJECTS = 4
_MOST_REMEMBERED = 1_000


Listener = tuple[str, str, str]
"""Host, session, sub-agent."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What to write, b"" for nothing, and why a call came to nothing ("" where it did not). key, context: what is said in it, and to whom."""

    answer: bytes = b""
    cause: str = ""
    key: Listener = ("", "", "")
    context: str = ""


class Desk:
    """Answers for the worktrees of one common directory. For one thread."""

    def __init__(self, common_dir: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._common_dir, self._clock = common_dir, clock
        self._open: OrderedDict[Path, tuple[contextlib.ExitStack, tuple[object, ...], Project, Project | None]] = OrderedDict()
        self._recent: OrderedDict[tuple[str, bytes], float] = OrderedDict()
        self._held: OrderedDict[Listener, str] = OrderedDict()

    def answer(self, host_name: str, payload: bytes, asker: int = 0) -> Outcome:
        """Answer one payload of a host. What is no event of ours is answered with nothing, and is no failure.

        asker: the hook's process, 0 where it is not told.
        """
        dialect = DIALECTS.get(host_name)
        if dialect is None:
            return Outcome(cause="unknown-host")
        try:
            told = json.loads(payload)
        except ValueError:
            return Outcome(cause="invalid-json")
        if not isinstance(told, Mapping):
            return Outcome(cause="invalid-json")
        event = dialect.read(told)
        if event is None or (host_name != PROBE and self._is_repeated(host_name, payload)):
            return Outcome()
        if asker and event.moment == "prompt" and not dialect.names_session:
            event = replace(event, program=program_of(asker))
        try:
            project, personal = self._project(Path(event.folder or "/"))
            reply = self._deliverable(dialect, event, attend(project, event, personal=personal, can_rewrite=dialect.can_rewrite))
        except KnowledgeError as failure:
            self.close()
            return Outcome(cause=failure.code)
        if reply == Reply() and event.host != PROBE:
            return Outcome()
        said = dialect.write(event, reply)
        text = json.dumps(said, ensure_ascii=False, separators=(",", ":")) if said else ""
        return Outcome(text.encode(errors="replace"), "", (event.host, event.session, event.agent), reply.context)

    def hold(self, outcome: Outcome) -> None:
        """The answer came too late for its moment: what was said is said at the next one."""
        if outcome.context:
            self._hold(outcome.key, outcome.context)

    def warm(self) -> None:
        """Open what the main worktree needs, before the first question comes."""
        with contextlib.suppress(KnowledgeError):
            self._project(self._home)

    def fold(self) -> None:
        """Put the calls that came to nothing into the audit."""
        if is_noted(self._common_dir):
            with contextlib.suppress(KnowledgeError, OSError):
                fold(self._project(self._home)[0])

    def close(self) -> None:
        """Let go of everything."""
        while self._open:
            self._open.popitem()[1][0].close()

    @property
    def _home(self) -> Path:
        """The main worktree, or the bare repository."""
        return self._common_dir.parent if self._common_dir.name == ".git" else self._common_dir

    def _root(self, folder: Path) -> Path:
        """The worktree that a folder lies in; the main one where the agent went elsewhere."""
        try:
            found = locate(folder)
        except (NotARepositoryError, OSError):
            return self._home
        is_here = found.common_dir.resolve() == self._common_dir.resolve()
        return found.workdir or self._home if is_here else self._home

    def _project(self, folder: Path) -> tuple[Project, Project | None]:
        """The project that a folder lies in, and the personal bank."""
        root, stamp = self._root(folder), self._stamp()
        kept = self._open.get(root)
        if kept is not None and kept[1] == stamp:
            self._open.move_to_end(root)
            return kept[2], kept[3]
        if kept is not None:
            self.close()
        with contextlib.ExitStack() as stack:
            project = stack.enter_context(open_project(root))
            personal = stack.enter_context(opened_personal())
            self._open[root] = stack.pop_all(), self._stamp(), project, personal
        while len(self._open) > _MOST_PROJECTS:
            self._open.popitem(last=False)[1][0].close()
        return project, personal

    def _stamp(self) -> tuple[object, ...]:
        """Changes when the databases were replaced by others of the same name."""
        found = []
        for name in ("ledger.sqlite3", "index.sqlite3"):
            with contextlib.suppress(OSError):
                there = (self._common_dir / "knowledge" / name).stat()
                found.append((name, there.st_dev, there.st_ino))
        return tuple(found)

    def _is_repeated(self, host: str, payload: bytes) -> bool:
        key, now = (host, hashlib.sha256(payload).digest()), self._clock()
        while self._recent and (len(self._recent) > _MOST_REMEMBERED or now - next(iter(self._recent.values())) > TWICE_SECONDS):
            self._recent.popitem(last=False)
        return self._recent.setdefault(key, now) != now

    def _deliverable(self, dialect: Dialect, event: AgentEvent, reply: Reply) -> Reply:
        """The reply as the host can give it: text is held back for the next moment at which it takes any."""
        key = (event.host, event.session, event.agent)
        context = "\n\n".join(text for text in (self._held.pop(key, ""), reply.context) if text)
        if context and event.moment not in dialect.text_at:
            self._hold(key, context)
            context = ""
        return replace(reply, context=context[:REPLY_CHARACTERS])

    def _hold(self, key: Listener, context: str) -> None:
        self._held[key] = context[:REPLY_CHARACTERS]
        while len(self._held) > _MOST_REMEMBERED:
            self._held.popitem(last=False)
