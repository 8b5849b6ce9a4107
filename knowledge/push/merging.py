"""Two trigger rows of one thing as one row: what either looks for, and the examples of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_LISTS = ("none", "positive", "negative")


def widened(row: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """The row with the other's tool, subject, actions and examples besides its own. What is recalled, and where it is put, stay as they are.

    The other's actions are further ways to say the row's first one; a row that asks for no action still asks for none.
    """
    groups, others = _groups(row), _groups(other)
    merged = {key: value for key, value in row.items() if key not in ("all", "subject", "actions")}
    if row.get("all"):
        merged["all"] = []  # a row's earlier words stay in the ledger: these are read instead
    merged["subject"] = _both(groups[0], others[0])
    actions = groups[1:]
    if actions:
        actions[0] = _both(actions[0], [word for group in others[1:] for word in group])
    merged["actions"] = actions
    tools = [str(one.get("tool", "")) for one in (row, other)]
    merged["tool"] = "" if not all(tools) else tools[0] if tools[0] == tools[1] else "|".join(f"(?:{tool})" for tool in tools)
    for name in _LISTS:
        found = _both(list(row.get(name) or ()), list(other.get(name) or ()))
        if found:
            merged[name] = found
    return merged


def _groups(row: Mapping[str, Any]) -> list[list[str]]:
    return [list(map(str, group)) for group in (row.get("all") or [row.get("subject") or [], *(row.get("actions") or [])])]


def _both(one: list[str], other: list[str]) -> list[str]:
    return list(dict.fromkeys([*one, *other]))
