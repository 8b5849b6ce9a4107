"""The MCP server: what agents may ask and say. `server.py` puts it together, `tools_*.py` have the tools, `desk.py` runs a call."""
