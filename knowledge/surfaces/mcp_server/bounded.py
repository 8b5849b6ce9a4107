"""Answers that stay within a budget of tokens, whatever was asked: lists are cut at their end, and what was cut is counted."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Generic, TypeVar

from pydantic import BaseModel
from pydantic_core import to_json

from knowledge.recall.tokens import estimate_tokens

Answer = TypeVar("Answer")

DEFAULT_TOKENS = 4_000
MOST_TOKENS = 20_000


class Bounded(BaseModel, Generic[Answer]):
    """An answer, and how many items of which of its lists were left out to keep it short."""

    answer: Answer
    left_out: dict[str, int] = {}


def bounded(answer: Any, tokens: int = DEFAULT_TOKENS) -> Bounded[Any]:
    """The answer (a dataclass), its longest lists cut until its JSON has at most so many tokens."""
    left_out: dict[str, int] = {}
    tokens = min(tokens, MOST_TOKENS)
    while (excess := _tokens(answer) - tokens) > 0:
        lists = {f.name: value for f in fields(answer) if isinstance(value := getattr(answer, f.name), tuple) and value}
        if not lists:
            break
        name = max(lists, key=lambda n: _tokens(lists[n]))
        kept = list(lists[name])
        while kept and excess > 0:
            excess -= _tokens(kept.pop()) + 1
        left_out[name] = left_out.get(name, 0) + len(lists[name]) - len(kept)
        answer = replace(answer, **{name: tuple(kept)})
    return Bounded(answer=answer, left_out=left_out)


def _tokens(value: Any) -> float:
    return estimate_tokens(to_json(value).decode())
