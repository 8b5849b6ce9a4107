"""Answers that do not depend on who asks, computed once for a tree; and how deep questions may be nested."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

DEEPEST = 60
"""Expressions, bindings and classes inside one another are followed this deep, then told as a limitation."""

Key = tuple[bytes, int]
Noted = frozenset[tuple[str, str]]


class Nesting:
    """How deep the question is that is being answered, over all that take part, and how deep it has been."""

    __slots__ = ("cuts", "deepest", "depth")

    def __init__(self) -> None:
        self.depth = 0
        self.deepest = 0
        self.cuts = 0
        """How often something was too deep"""


class SharedAnswer(msgspec.Struct, frozen=True):
    """An answer with the questions that it rests on. height: how deep the questions below it were nested."""

    value: object
    noted: Noted
    height: int


class Shared:
    """Answers shared by the resolutions of all files of a tree.

    An answer that was cut short, because it needs itself or is nested too deep, holds only for the one that started the chain: it is
    not kept, so that what is kept does not depend on the order in which files are resolved. For the same reason a kept answer counts as deep as
    it was when it was computed.
    """

    def __init__(self, nesting: Nesting) -> None:
        self._nesting = nesting
        self._known: dict[Key, SharedAnswer] = {}
        self._cut_short: dict[Key, SharedAnswer] = {}
        """Answers of the running chain that lack what is too deep: asked again in it they are not computed again, or a lattice would never end"""
        self._running: list[Key] = []
        self._cut = DEEPEST
        """The lowest place in the running chain to which an answer was cut"""

    def ask(self, key: Key, compute: Callable[[], tuple[object, Noted]]) -> SharedAnswer | None:
        """The answer; None where it would have to be asked inside itself, or too deep."""
        nesting = self._nesting
        found = self._known.get(key)
        if found is not None and nesting.depth + found.height < DEEPEST:
            nesting.deepest = max(nesting.deepest, nesting.depth + found.height)
            return found
        if key in self._running:
            self._cut = min(self._cut, self._running.index(key))
            return None
        if found is not None or nesting.depth >= DEEPEST:
            nesting.cuts += 1
            return None
        if key in self._cut_short:
            nesting.cuts += 1
            return self._cut_short[key]
        return self._compute(key, compute)

    def _compute(self, key: Key, compute: Callable[[], tuple[object, Noted]]) -> SharedAnswer:
        nesting, place = self._nesting, len(self._running)
        deepest, cuts = nesting.deepest, nesting.cuts
        nesting.depth += 1
        nesting.deepest = nesting.depth
        self._running.append(key)
        value, noted = compute()
        self._running.pop()
        nesting.depth -= 1
        answer = SharedAnswer(value, noted, nesting.deepest - nesting.depth)
        nesting.deepest = max(deepest, nesting.deepest)
        if nesting.cuts != cuts:
            self._cut_short[key] = answer
        if self._cut >= place:
            self._cut = DEEPEST
            if nesting.cuts == cuts:
                self._known[key] = answer
        if not self._running:
            self._cut_short.clear()
        return answer
