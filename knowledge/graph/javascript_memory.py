"""Answers that were computed once for a tree, each with the questions that it rests on.

Resolving one file asks much that was asked for other files too: what a barrel exports, what a method returns. An answer is kept with the
**reads** that were noted while it was computed, so that whoever gets it from memory notes them as well.

A resolution may depend on nothing but its file's facts and its reads, so what is kept for all files must not depend on who asked first:

    shared    answers about other files. They are computed without anything that only the file being resolved knows.
    private   such answers that came out of a circle of questions (A needs B needs A): they depend on where the circle was entered, and
              are kept for the file being resolved only.
    own       answers about the file being resolved, which may use its calls and what they pass.
    partial   answers inside a circle that is still being computed: kept until it is done, so that nothing is computed twice meanwhile.

Questions nested deeper than `DEPTH` are not followed; an answer remembers how deep it went, so that this does not depend on memory either.
Nor is anything that takes more than `STEPS` by itself, what is remembered apart: types can be written that take for ever.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import NamedTuple, TypeVar

T = TypeVar("T")
Key = tuple[Hashable, ...]
Read = tuple[str, str]
Reads = list[object]
"""Reads, and the lists of other answers."""

DEPTH = 48
"""Questions inside one another."""
STEPS = 900
"""Steps of one question."""
_NEVER = 1 << 30


class _Answer(NamedTuple):
    """height: how deep its questions went. low: the outermost question of an unfinished circle that it met."""

    value: object
    reads: Reads
    height: int
    low: int = _NEVER


class Memory:
    """See the module's docstring. One for a tree; `begin` turns it to another file."""

    def __init__(self) -> None:
        self.path = b""
        self.is_own = True
        """Whether what is being computed is about the file being resolved and for it alone."""
        self.depth = 0
        self.is_cut = False
        """Whether something was too deep to be followed."""
        self._shared: dict[Key, _Answer] = {}
        self._private: dict[Key, _Answer] = {}
        self._own: dict[Key, _Answer] = {}
        self._partial: dict[tuple[bool, Key], _Answer] = {}
        self._running: dict[tuple[bool, Key], int] = {}
        self._log: Reads = []
        """What the answer about another file rests on that is being computed."""
        self._noted: set[Read] = set()
        self._used: dict[int, Reads] = {}
        """What the file being resolved rests on: its own reads, and those of answers by identity."""
        self._low = _NEVER
        self._is_private = False
        self._deepest = 0
        self._steps = 0

    def begin(self, path: bytes) -> None:
        """Turn to the file `path`."""
        self.path, self.is_own, self.is_cut = path, True, False
        self._private, self._own, self._partial = {}, {}, {}
        self._noted, self._used = set(), {}
        self._steps = 0

    def next_question(self) -> None:
        """What follows has nothing to do with what was before: its steps are counted anew."""
        self._steps = 0

    def forget_own(self) -> None:
        """Compute anew what is only for this file; its reads stay noted."""
        self._own = {}

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being computed that others may need: what is found out now is complete."""
        return not self._running

    def note(self, kind: str, key: str) -> None:
        """Notes a question that was put to the tree."""
        if self.is_own:
            self._noted.add((kind, key))
        else:
            self._log.append((kind, key))

    def reads(self) -> set[Read]:
        """Everything that was noted since `begin`."""
        found = set(self._noted)
        seen = set(self._used)
        waiting = list(self._used.values())
        while waiting:
            for row in waiting.pop():
                if isinstance(row, tuple):
                    found.add(row)
                elif isinstance(row, list) and id(row) not in seen:
                    seen.add(id(row))
                    waiting.append(row)
        return found

    def enter(self) -> bool:
        """One step deeper; False where that is too deep or too much. Every `enter` that was True is followed by `depth -= 1`."""
        self._steps += 1
        if self.depth >= DEPTH or self._steps > STEPS:
            self._cut()
            return False
        self.depth += 1
        if self.depth > self._deepest:
            self._deepest = self.depth
        return True

    def remember(self, path: bytes, key: Key, otherwise: T, compute: Callable[..., T], *arguments: object) -> T:
        """The answer to `key`, which is about the file `path`; `otherwise` where it needs itself or is too deep."""
        is_own = self.is_own and path == self.path
        known = (self._own if is_own else self._shared).get(key)
        if known is not None:
            return self._recalled(known, otherwise)
        if not is_own and (known := self._private.get(key)) is not None:
            self._is_private = True
            return self._recalled(known, otherwise)
        question = (is_own, key)
        if self._partial and (known := self._partial.get(question)) is not None:
            self._low = min(self._low, known.low)
            self._is_private = True
            return self._recalled(known, otherwise)
        if (level := self._running.get(question)) is not None:
            self._low = min(self._low, level)
            self._is_private = True
            return otherwise
        if self.depth >= DEPTH:
            self._cut()
            return otherwise
        return self._compute(question, compute, arguments)

    def _recalled(self, known: _Answer, otherwise: T) -> T:
        deepest = self.depth + known.height
        if deepest > DEPTH:
            self._cut()
            return otherwise
        if deepest > self._deepest:
            self._deepest = deepest
        if known.reads:
            self._use(known.reads)
        return known.value  # type: ignore[return-value]

    def _use(self, reads: Reads) -> None:
        if self.is_own:
            self._used[id(reads)] = reads
        else:
            self._log.append(reads)

    def _cut(self) -> None:
        self.is_cut, self._is_private, self._low = True, True, 0

    def _compute(self, question: tuple[bool, Key], compute: Callable[..., T], arguments: tuple[object, ...]) -> T:
        outer = (self._low, self._is_private, self._deepest, self._log, self.is_own)
        steps, self._steps = self._steps, 0
        level = len(self._running)
        self.depth += 1
        self._low, self._is_private, self._deepest, self._log, self.is_own = _NEVER, False, self.depth, [], question[0]
        self._running[question] = level
        value = compute(*arguments)
        self.depth -= 1
        del self._running[question]
        low, is_private, deepest, reads = self._low, self._is_private, self._deepest, self._log
        self._low, self._is_private, self._deepest, self._log, self.is_own = outer
        self._steps = steps
        if deepest > self._deepest:
            self._deepest = deepest
        if reads:
            self._use(reads)
        self._keep(question, _Answer(value, reads, deepest - self.depth, low), level, is_private)
        return value

    def _keep(self, question: tuple[bool, Key], answer: _Answer, level: int, is_private: bool) -> None:
        is_own, key = question
        if answer.low < level:
            self._partial[question] = answer
            self._low = min(self._low, answer.low)
        elif is_own:
            self._own[key] = answer
        elif is_private:
            self._private[key] = answer
        else:
            self._shared[key] = answer
        self._is_private = self._is_private or is_private
        if self._partial and (answer.low == level or level == 0):
            self._partial = {q: other for q, other in self._partial.items() if other.low < level}
