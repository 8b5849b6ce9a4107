"""What counts for the hashes of JavaScript."""

from __future__ import annotations

from functools import cache

from analyzers.normalise import Rules
from analyzers.parsing import grammar_of


@cache
def rules_of(language: str) -> Rules:
    """The rules of a language's grammar."""
    return Rules(grammar_of(language))
