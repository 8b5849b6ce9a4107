"""`knowledge gateway`: a proxy of other MCP servers that puts memories before the free text of matching calls.

What the servers answer, errors among it, goes back as it came: no result is opened, so none is encoded twice. Tools keep their names; only where
several servers stand behind it each name begins with its server's. The protocol's era is that of whoever connects.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import anyio.to_thread
from fastmcp import FastMCP
from fastmcp.client.elicitation import ElicitResult
from fastmcp.exceptions import ToolError
from fastmcp.server import create_proxy
from fastmcp.server.dependencies import get_context
from fastmcp.server.middleware import CallNext, Middleware, MiddlewareContext
from fastmcp.server.providers.proxy import ClientFactoryT, FastMCPProxy
from mcp.server.session import ServerSession
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolRequestParams, ElicitRequestFormParams, ElicitRequestParams

from knowledge.surfaces.gateway.memory import DEADLINE_SECONDS, CallMemory
from knowledge.surfaces.gateway.upstream import read_upstream

_NAME = "knowledge-gateway"


class MemoryBeforeCalls(Middleware):
    """Asks the memory before each call of a tool."""

    def __init__(self, memory: CallMemory) -> None:
        self._memory = memory

    async def on_call_tool(self, context: MiddlewareContext[CallToolRequestParams], call_next: CallNext[CallToolRequestParams, Any]) -> Any:
        """The call, with other arguments where a memory stands before one of them.

        An error of the protocol, which the proxy would word anew as a result, goes back as the server sent it.
        """
        given = context.message.arguments or {}
        wanted = await anyio.to_thread.run_sync(self._memory.arguments, context.message.name, given)
        if wanted is not given:
            context = context.copy(message=context.message.model_copy(update={"arguments": dict(wanted)}))
        try:
            return await call_next(context)
        except ToolError as failure:
            raise (failure.__cause__ if isinstance(failure.__cause__, MCPError) else failure) from None


def gateway(upstream: str, start: Path, deadline: float = DEADLINE_SECONDS) -> tuple[FastMCP[Any], CallMemory]:
    """The proxy and its memory. Raises UsageError for an upstream that cannot be meant."""
    memory = CallMemory(start, deadline)
    found = read_upstream(upstream)
    several = found["mcpServers"] if isinstance(found, dict) and len(found["mcpServers"]) > 1 else {}
    front: FastMCP[Any] = FastMCP(_NAME) if several else _proxy(found)
    for name, one in several.items():
        front.mount(_proxy({"mcpServers": {name: one}}), namespace=name)
    front.add_middleware(MemoryBeforeCalls(memory))
    return front, memory


def _proxy(target: Any) -> FastMCPProxy:
    return FastMCPProxy(client_factory=_asking(create_proxy(target).client_factory), name=_NAME)


def _asking(factory: ClientFactoryT) -> Callable[[], Any]:
    """Clients whose server's questions to the person go to whoever made the request that the client was made for.

    The proxy's own way binds them to the request itself; some clients' requests take no question back, their connection does.
    """

    def made() -> Any:
        client: Any = factory()
        with contextlib.suppress(RuntimeError):  # no request: the proxy looks what its server has
            context = get_context()
            client.set_elicitation_callback(partial(_ask_person, context.session, context.request_id))
        return client

    return made


async def _ask_person(session: ServerSession, request: str, message: str, _: Any, asked: ElicitRequestParams, __: Any) -> ElicitResult[Any]:
    """Ask on, and give back what is answered."""
    related = request if session.can_send_request else None
    if isinstance(asked, ElicitRequestFormParams):
        told = await session.elicit(message, asked.requested_schema, related)
    else:
        told = await session.elicit_url(message, asked.url, asked.elicitation_id or "", related)
    return ElicitResult(action=told.action, content=told.content)


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
