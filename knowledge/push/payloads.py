"""What is kept of a call, so that a trigger row can be tried on it later: short, secrets masked, what an edit writes left out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from knowledge.claims.masking import mask
from knowledge.push.stuck import is_editor
from knowledge.records.agent_events import AgentEvent

_CHARACTERS = 4_000
"""Of one argument."""
_OF_AN_EDIT = 200
_MOST_VALUES = 20
_DEPTH = 3


def kept_payload(event: AgentEvent) -> dict[str, Any]:
    """The arguments, or the prompt, of a moment: reduced and masked. A net with holes (`masking.py`): it finds the usual shapes of secrets."""
    if event.moment == "prompt":
        return {"prompt": _text(event.prompt, _CHARACTERS)}
    most = _OF_AN_EDIT if is_editor(event.tool) else _CHARACTERS
    kept = _reduced(event.arguments, most, _DEPTH)
    return kept if isinstance(kept, dict) else {}


def _reduced(value: object, most: int, depth: int) -> Any:
    if isinstance(value, str):
        return _text(value, most)
    if value is None or isinstance(value, bool | int | float):
        return value
    if depth and isinstance(value, Mapping):
        # A key names what its value is: `token: …` is masked together with its name.
        pairs = ((str(key)[:80], inner) for key, inner in list(value.items())[:_MOST_VALUES])
        return {key: _named(key, inner, most, depth) for key, inner in pairs}
    if depth and isinstance(value, list | tuple):
        return [_reduced(inner, most, depth - 1) for inner in value[:_MOST_VALUES]]
    return "…"


def _named(key: str, value: object, most: int, depth: int) -> Any:
    if not isinstance(value, str):
        return _reduced(value, most, depth - 1)
    is_secret = mask(f'{key} = "{value[:200]}"').endswith('= "[masked]"') if '"' not in value[:200] and "\n" not in value[:200] else False
    return "[masked]" if is_secret else _text(value, most)


def _text(text: str, most: int) -> str:
    kept = mask(text[: most * 2])[:most]
    return kept + "…" if len(text) > most else kept
