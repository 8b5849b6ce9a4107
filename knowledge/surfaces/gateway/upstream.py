"""What stands behind the gateway, as it is written on the command line."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

from knowledge.errors import UsageError

_SERVERS = "mcpServers"


def read_upstream(text: str) -> dict[str, Any] | str:
    """An address (http, https), the servers of an `mcpServers` JSON (a file, or the text itself), or else a command that is run.

    Servers that are run get the whole environment, as they would without a gateway. Raises UsageError.
    """
    text = text.strip()
    if text.startswith(("http://", "https://")):
        return text
    file = Path(text).expanduser()
    if text.startswith("{") or (text.endswith(".json") and file.is_file()):
        return _with_environment(_read_servers(text if text.startswith("{") else file.read_text(encoding="utf-8")))
    try:
        command, *rest = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"--upstream {text!r} is no command, no address and no file ({error})") from error
    return _with_environment({"upstream": {"command": command, "args": rest}})


def _read_servers(text: str) -> dict[str, Any]:
    try:
        whole = json.loads(text)
    except ValueError as error:
        raise UsageError(f"--upstream is no JSON ({error}); expected an object with {_SERVERS}") from error
    servers = whole.get(_SERVERS) if isinstance(whole, dict) else None
    if (
        not isinstance(servers, dict)
        or not servers
        or not all(isinstance(one, dict) and ("command" in one or "url" in one) for one in servers.values())
    ):
        raise UsageError(f"--upstream names no server; expected {_SERVERS} with a command or a url for each name")
    return servers


def _with_environment(servers: dict[str, Any]) -> dict[str, Any]:
    return {_SERVERS: {name: one | ({"env": dict(os.environ) | one.get("env", {})} if "command" in one else {}) for name, one in servers.items()}}
