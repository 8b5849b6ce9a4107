"""The gateway: another MCP server with memory in front of it. fastmcp is imported only here."""
