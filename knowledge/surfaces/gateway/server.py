"""`knowledge gateway`: a proxy of other MCP servers that puts memories before the free text of matching calls.

What the servers answer, errors among it, goes back as it came: no result is opened, so none is encoded twice. Tools keep their names; only where
several servers stand behind it each name begins with its server's. The protocol's era is that of whoever connects.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio.to_thread
from fastmcp.server import create_proxy
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.server.providers.proxy import FastMCPProxy
from mcp_types import CallToolRequestParams

from knowledge.surfaces.gateway.memory import DEADLINE_SECONDS, CallMemory
from knowledge.surfaces.gateway.upstream import read_upstream


class MemoryBeforeCalls(Middleware):
    """Asks the memory before each call of a tool."""

    def __init__(self, memory: CallMemory) -> None:
        self._memory = memory

    async def on_call_tool(self, context: MiddlewareContext[CallToolRequestParams], call_next: CallNext[CallToolRequestParams, Any]) -> Any:
        """The call, with other arguments where a memory stands before one of them."""
        given = context.message.arguments or {}
        wanted = await anyio.to_thread.run_sync(self._memory.arguments, context.message.name, given)
        if wanted is not given:
            context = context.copy(message=context.message.model_copy(update={"arguments": dict(wanted)}))
        return await call_next(context)


def gateway(upstream: str, start: Path, deadline: float = DEADLINE_SECONDS) -> tuple[FastMCPProxy, CallMemory]:
    """The proxy and its memory. Raises UsageError for an upstream that cannot be meant."""
    memory = CallMemory(start, deadline)
    proxy = create_proxy(read_upstream(upstream), name="knowledge-gateway")
    proxy.add_middleware(MemoryBeforeCalls(memory))
    return proxy, memory


def serve(upstream: str, start: Path, port: int | None) -> None:
    """Serve on standard input and output, or on http://127.0.0.1:PORT/mcp, until the client goes."""
    proxy, memory = gateway(upstream, start)
    try:
        if port is None:
            proxy.run("stdio", show_banner=False)
        else:
            proxy.run("http", host="127.0.0.1", port=port, show_banner=False)
    finally:
        memory.close()
