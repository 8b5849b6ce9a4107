"""A small MCP server that stands behind the gateway in tests. `python upstream_server.py [PORT]`: on standard input and output, or over HTTP."""

from __future__ import annotations

import sys

from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

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


if __name__ == "__main__":
    if len(sys.argv) > 1:
        server.run("streamable-http", host="127.0.0.1", port=int(sys.argv[1]))
    else:
        server.run("stdio")
