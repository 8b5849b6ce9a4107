"""Definitions as they are stored beside facts. A module of its own: the process that parses files starts quicker without the other records."""

from __future__ import annotations

DefinitionRow = tuple[str, str, int, str, bool]
"""(name, qualified name, ordinal, kind, whether it is an overload's declaration) of a definition."""
