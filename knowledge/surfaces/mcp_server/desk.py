"""Running one call: the project is opened in a thread of its own, so that the protocol goes on; progress and cancellation reach into it.

Operations are named (`record:record`) and imported by the first call that needs them: a client waits for the first answer of the server, and
git, the databases and the analyzers together take longer to import than the protocol.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

import anyio
import anyio.from_thread
import anyio.to_thread
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError

from knowledge.errors import KnowledgeError
from knowledge.records.claims import Author


class CallCancelledError(KnowledgeError):
    """The client took the call back while it was running."""

    code = "call-cancelled"


_MOST_OF_A_NAME = 200
"""Characters of a session's name."""


@dataclass(frozen=True, slots=True)
class Late:
    """A value of a class of the operations, made where these are imported: `module:Class`, and its fields."""

    name: str
    fields: Mapping[str, Any]


class Desk:
    """Where calls are run: the repository, and the session that speaks where the client names none. by_meaning: how recall compares."""

    def __init__(self, start: Path, by_meaning: bool = False) -> None:
        self.start, self.by_meaning = start, by_meaning
        self._session = os.environ.get("KNOWLEDGE_SESSION") or os.environ.get("CLAUDE_CODE_SESSION_ID") or f"mcp-{uuid.uuid4().hex[:12]}"

    async def run(self, context: Context[Any, Any], operation: str, *values: Any, **options: Any) -> Any:
        """The answer of an operation, named `module:function` below `knowledge.operations`.

        Raises ToolError with what the model should read where the call cannot be answered.
        """
        watch = _Watch(context)
        try:
            return await anyio.to_thread.run_sync(self._work, operation, values, options, self._author(context), watch, abandon_on_cancel=True)
        except KnowledgeError as error:
            near = f" Did you mean: {', '.join(error.suggestions)}?" if error.suggestions else ""
            raise ToolError(f"{error.code}: {error.message}{near}") from error
        finally:
            watch.stop()

    def _work(self, operation: str, values: tuple[Any, ...], options: dict[str, Any], author: Author, watch: _Watch) -> Any:
        act = _named(operation)
        values = tuple(_made(value) for value in values)
        with import_module("knowledge.operations.project").open_project(self.start, author) as project:
            return act(replace(project, progress=watch), *values, **options)

    def _author(self, context: Context[Any, Any]) -> Author:
        """The agent that calls: as its host or the environment name it."""
        said = context.session.client_params
        name = os.environ.get("KNOWLEDGE_AGENT") or (said.client_info.name if said is not None else "") or "mcp"
        return Author("agent", name, _session_of(context) or self._session)


def _session_of(context: Context[Any, Any]) -> str:
    """The session that a call belongs to, where its client says so (Codex does); "" where it does not."""
    meta = context.request_context.meta
    value = meta.get("sessionId") if isinstance(meta, Mapping) else None
    return value[:_MOST_OF_A_NAME] if isinstance(value, str) else ""


def desk_of(context: Context[Any, Any]) -> Desk:
    """The desk of the server that a call came to."""
    desk: Desk = context.request_context.lifespan_context
    return desk


def _named(name: str) -> Any:
    module, _, attribute = name.partition(":")
    return getattr(import_module(f"knowledge.operations.{module}"), attribute)


def _made(value: Any) -> Any:
    if not isinstance(value, Late):
        return value
    return _named(value.name)(**{name: _made(field) for name, field in value.fields.items()})


class _Watch:
    """The operations' Progress: tells the client how far it is, and ends work that the client no longer waits for."""

    def __init__(self, context: Context[Any, Any]) -> None:
        self._context = context
        self._stopped = threading.Event()
        self._title, self._total, self._done = "", 0, 0

    def stop(self) -> None:
        """Nobody waits any more."""
        self._stopped.set()

    def start(self, title: str, total: int) -> None:
        """A piece of work of `total` steps begins."""
        self._title, self._total, self._done = title, total, 0
        self._tell()

    def advance(self, count: int) -> None:
        """So many steps more are done. Raises CallCancelledError where the call was taken back."""
        self._done += count
        self._tell()

    def finish(self) -> None:
        """The work is done."""

    def _tell(self) -> None:
        if self._stopped.is_set():
            raise CallCancelledError("the call was cancelled")
        anyio.from_thread.run(self._context.report_progress, float(self._done), float(self._total) or None, self._title)
