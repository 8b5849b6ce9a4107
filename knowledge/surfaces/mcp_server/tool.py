"""A tool: a function, and what a host may be told about it before it is called."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from mcp_types import ToolAnnotations

READS = ToolAnnotations(read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
ADDS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False)


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: its name is the function's, its description the docstring, its schemas the annotations. meta: for the host."""

    function: Callable[..., Any]
    annotations: ToolAnnotations
    meta: dict[str, Any] | None = None
