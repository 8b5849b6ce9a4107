"""What was decoded of rows that never change, kept in memory for the next operation of the same process (a daemon, a server).

Rows are known by their ids. An id is given once: a sweep never removes the newest row, so none comes again (`TreeStore.collect`), and where a
transaction was undone, whose ids do come again, all is forgotten.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Generic, TypeVar

from knowledge.records.edges import Edge

Value = TypeVar("Value")


_FACTS, _OUTLINES, _EDGES = 200, 4_000, 150_000
"""Decoded files: whole, and as other files see them. Edges, of all files together."""


class Kept:
    """All that is kept of one index. facts, outlines, digests: by fact id, as their reader decodes them. edges: by resolution id."""

    def __init__(self) -> None:
        self.facts: Recent[Any] = Recent(_FACTS)
        self.outlines: Recent[Any] = Recent(_OUTLINES)
        self.digests: Recent[Any] = Recent(_FACTS)
        self.edges: Recent[tuple[Edge, ...]] = Recent(_EDGES)

    def clear(self) -> None:
        """Forget all of it."""
        for recent in (self.facts, self.outlines, self.digests, self.edges):
            recent.clear()


class Recent(Generic[Value]):
    """The values asked for last, by id, as many as fit. most: how many, where values are tuples how many things are in all of them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._size = 0
        self._values: OrderedDict[int, Value] = OrderedDict()

    def __contains__(self, number: int) -> bool:
        return number in self._values

    def __getitem__(self, number: int) -> Value:
        self._values.move_to_end(number)
        return self._values[number]

    def __setitem__(self, number: int, value: Value) -> None:
        if number in self._values:
            self._size -= _size(self._values.pop(number))
        self._values[number] = value
        self._size += _size(value)
        while self._size > self._most and len(self._values) > 1:
            self._size -= _size(self._values.popitem(last=False)[1])

    def clear(self) -> None:
        """Forget all."""
        self._values.clear()
        self._size = 0


def _size(value: Any) -> int:
    return len(value) + 1 if type(value) is tuple else 1
