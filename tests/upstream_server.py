"""A small MCP server that stands behind the gateway in tests. `python upstream_server.py [PORT]`: on standard input and output, or over HTTP."""

from __future__ import annotations

import sys
from typing import Any

from mcp.server import MCPServer
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import BaseModel

server = MCPServer("upstream", instructions="What stands behind.")


@server.tool()
def run(task: str, url: str = "") -> str:
    """Do a task that is said in words."""
    return f"did: {task} {url}".strip()


@server.tool()
def recall(query: str) -> dict[str, list[dict[str, str]]]:
    """Answer with a structure, as another memory would."""
    return {"results": [{"id": "m1", "text": f'about "{query}"'}]}


@server.tool()
def fail() -> str:
    """Fail with a message that must arrive as it is."""
    raise ToolError('{"error": "invalid token", "code": 9109}')


class Answer(BaseModel):
    """What is asked of the person."""

    sure: bool


@server.tool()
async def confirm(context: Context[Any, Any], task: str) -> str:
    """Ask the person before a task is done."""
    asked = await context.elicit(f"Do it? {task}", Answer)
    return f"{asked.action}: {getattr(getattr(asked, 'data', None), 'sure', None)}"


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run("stdio")
