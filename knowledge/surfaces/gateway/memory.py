"""The memory in front of each call: asked in a thread of its own, for no longer than a deadline. Whatever goes wrong, the call goes on unchanged.

The thread keeps the project open. While it is still busy with a call that it was too late for, the next calls do not wait for it at all.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import uuid
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor, TimeoutError
from contextlib import ExitStack
from pathlib import Path

from knowledge.config import AUDIT_FILE
from knowledge.errors import KnowledgeError
from knowledge.operations.attending import attend
from knowledge.operations.project import Project, open_project
from knowledge.records.agent_events import AgentEvent, Reply
from knowledge.records.claims import Author
from knowledge.storage.audit import Decision, open_audit

DEADLINE_SECONDS = 0.2
"""The most that a call is held up."""
_CLOSING_SECONDS = 5.0
_SESSION = os.environ.get("KNOWLEDGE_SESSION") or os.environ.get("CLAUDE_CODE_SESSION_ID") or f"gateway-{uuid.uuid4().hex[:12]}"


class CallMemory:
    """Asked before each call. unanswered: how often nothing could be asked, by cause."""

    def __init__(self, start: Path, deadline: float = DEADLINE_SECONDS) -> None:
        self._start, self._deadline = start, deadline
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="memory")
        self._stack = ExitStack()
        self._project: Project | None = None
        self._late: Future[Reply] | None = None
        self._lock = threading.Lock()
        self.unanswered: dict[str, int] = {}

    def close(self) -> None:
        """Close the project in its thread. One that is still asked is not waited for: the process ends with it."""
        closing = self._thread.submit(self._stack.close)
        with contextlib.suppress(TimeoutError):
            closing.result(_CLOSING_SECONDS)
        self._thread.shutdown(wait=False, cancel_futures=True)

    def arguments(self, tool: str, arguments: Mapping[str, object]) -> Mapping[str, object]:
        """The arguments that the call should have: those given, unless a memory stands before one of them."""
        began = time.perf_counter()
        with self._lock:
            if self._late is not None and not self._late.done():
                self._missed("busy", tool, began)
                return arguments
            event = AgentEvent("gateway", "before_call", _SESSION, tool=tool, arguments=arguments, folder=str(self._start))
            asked = self._thread.submit(self._ask, event)
        try:
            reply = asked.result(self._deadline)
        except TimeoutError:
            self._late = asked
            self._missed("deadline", tool, began)
            return arguments
        # The gateway's outermost frame: no fault of ours may fail another program's call.
        except Exception as failure:
            self._missed(failure.code if isinstance(failure, KnowledgeError) else type(failure).__name__, tool, began)
            return arguments
        return reply.arguments if reply.arguments is not None and reply.arguments.keys() == arguments.keys() else arguments

    def _ask(self, event: AgentEvent) -> Reply:
        """In the thread: a connection belongs to the one that opened it."""
        if self._project is None:
            self._project = self._stack.enter_context(open_project(self._start, Author("agent", "gateway", _SESSION)))
        return attend(self._project, event)

    def _missed(self, cause: str, tool: str, began: float) -> None:
        """Count it, and keep a row of it where that is possible; in a thread of its own, for the call goes on."""
        self.unanswered[cause] = self.unanswered.get(cause, 0) + 1
        took = round(1_000 * (time.perf_counter() - began), 1)
        threading.Thread(target=self._keep, args=(cause, tool, took), daemon=True).start()

    def _keep(self, cause: str, tool: str, took: float) -> None:
        project = self._project
        if project is None:
            return
        row = Decision(project.now(), "gateway", "", _SESSION, "before_call", tool, "gateway", "failed", cause, milliseconds=took)
        try:
            with open_audit(project.home / AUDIT_FILE) as audit:
                audit.add([row])
        except (KnowledgeError, OSError):
            # It is counted in this process; there is nowhere else to tell it.
            return
