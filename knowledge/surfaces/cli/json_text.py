"""Answers as JSON: the dataclass's fields, tuples as arrays, always valid UTF-8. Standard library only."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

from knowledge.errors import KnowledgeError
from knowledge.surfaces.cli.safe_text import encodable


def to_plain(value: Any) -> Any:
    """A value of dicts, lists, texts, numbers, booleans and None. Raises TypeError for anything that JSON does not know."""
    if isinstance(value, str):
        return encodable(value)
    if value is None or isinstance(value, bool | int | float):
        return value
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {encodable(str(key)): to_plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(item) for item in value]
    if isinstance(value, Path):
        return encodable(str(value))
    raise TypeError(f"{type(value).__name__} has no place in JSON")


def json_text(value: Any, *, is_indented: bool = False, is_ascii: bool = False) -> str:
    """One line, or indented for a person; ends in a line feed. `is_ascii` for streams that cannot take all characters."""
    separators = None if is_indented else (",", ":")
    return json.dumps(to_plain(value), ensure_ascii=is_ascii, indent=2 if is_indented else None, separators=separators) + "\n"


def error_value(error: KnowledgeError) -> dict[str, Any]:
    """What `--json` writes instead of an answer."""
    return {"error": {"code": error.code, "message": error.message, "suggestions": list(error.suggestions)}}
