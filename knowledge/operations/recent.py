"""What a process that lives on does not compute twice: values that follow from their key alone, the latest asked for."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

Value = TypeVar("Value")


class Recent(Generic[Value]):
    """At most `most` values by key. A key names a content (a blob, a revision), so nothing is ever out of date. For several threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, Value] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """The value of a key, made where it is not kept. None is not kept: it may be there later."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        value = make()
        if value is not None:
            with self._lock:
                self._kept[key] = value
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
        return value
