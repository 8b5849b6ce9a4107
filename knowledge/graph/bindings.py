"""Which of a name's bindings hold at a place. The same for all languages: straight-line order, and branches that may or may not have run."""

from __future__ import annotations

from collections.abc import Sequence

from analyzers.facts import Binding, Expression

END = 1 << 60
"""The use of a name from outside the running function: everything in its scope has happened."""
SILENT = frozenset({"delete", "global", "nonlocal"})
"""Kinds of binding that give a name no value."""


def live_bindings(bindings: Sequence[Binding], at: int, is_later: bool = False) -> list[int]:
    """Indexes of the bindings that may hold at byte `at`, or (is_later) at any time from then on.

    All of them where none comes before: the use is in a loop.
    """
    live: list[int] = []
    for index, binding in enumerate(bindings):
        if binding.kind in SILENT or (binding.kind == "augmented" and len(bindings) > 1):
            continue
        if at != END and (binding.start >= at or (binding.value is not None and at <= last_start(binding.value))):
            # Not yet, or inside the very value that is assigned.
            continue
        if binding.until == -1 or (at != END and at < binding.until):
            live = []
        live.append(index)
    if is_later and at != END:
        live += [index for index, binding in enumerate(bindings) if binding.start >= at and index not in live and binding.kind not in SILENT]
    return live or [index for index, binding in enumerate(bindings) if binding.kind not in SILENT]


def last_start(expression: Expression) -> int:
    """The last byte offset at which a part of an expression begins."""
    last = expression.start
    rest = list(expression.parts)
    while rest:
        part = rest.pop()
        last = max(last, part.start)
        rest += part.parts
    return last
