"""What the file that is being resolved knows by itself: where its functions are passed to, what its calls pass, what it assigns to members.

Others may pass other things. So what calls pass is evidence, never certain; what a callback's receiver declares is certain.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from analyzers.facts import Access, Call, Expression, FileFacts
from knowledge.graph.outline import MODULE_SCOPE, Outline

_CALLS = 24
"""More calls of one function than this are not looked through."""
Target = tuple[str, int]
"""("definition", index) or ("lambda", scope)."""


class Passing(NamedTuple):
    """Where a function stands that is not called by its own name: as an argument (`call`, `position`, then the keys of object literals), as what
    is assigned to a member (`target`), or as what the function of `scope` returns (neither)."""

    scope: int
    call: Expression | None = None
    position: int = 0
    keys: tuple[str, ...] = ()
    target: Expression | None = None


class Context:
    """See the module's docstring."""

    def __init__(self, facts: FileFacts, outline: Outline) -> None:
        self._outline = outline
        self.language = facts.language
        self.calls: dict[int, Expression] = {}
        """Where a callee's last name stands → the whole call: other expressions keep it shortened."""
        self.passings: dict[int, Passing] = {}
        """The scope of a function's body → where the function stands."""
        self.expected: dict[int, tuple[int, str]] = {}
        """Where the callee of a call stands → scope and declared type of what the call is assigned to."""
        self.known: dict[Target, list[tuple[int, Expression]]] = {}
        """Function → calls of it in this file, as far as they are known yet."""
        for call in facts.calls:
            self._add_call(call)
        for access in facts.accesses:
            if access.is_write and access.value is not None:
                self._add_written(access)
        for row in facts.returns:
            if row.kind == "return" and row.value is not None and row.value.kind in ("lambda", "definition"):
                self.passings.setdefault(row.value.scope, Passing(row.scope))
        for names in outline.names:
            for bindings in names.values():
                for binding in bindings:
                    value = binding.value
                    if binding.annotation and value is not None and value.kind == "call" and value.parts:
                        self.expected[value.parts[0].start] = (binding.scope, binding.annotation)
        self.has_open_parameters = facts.language == "javascript" or any(
            p.kind == "positional" and not p.annotation for d in facts.definitions if d.kind in ("function", "method") for p in d.parameters
        )
        self._writes: dict[str, list[Access]] | None = None
        self._accesses = facts.accesses

    def _add_call(self, call: Call) -> None:
        expression = call.expression
        if not expression.parts:
            return
        start = expression.parts[0].start
        if expression.kind == "call" and expression.parts[0].kind in ("name", "attribute"):
            self.calls[start] = expression
        for position, part in enumerate(expression.parts[1:]):
            self._add_passed(Passing(call.scope, expression, position), part, 0)

    def _add_passed(self, passing: Passing, part: Expression, depth: int) -> None:
        if part.kind in ("lambda", "definition"):
            self.passings.setdefault(part.scope, passing)
        elif part.kind == "collection" and part.name == "dict" and depth < 4:
            for key, value in zip(part.keywords, part.parts, strict=False):
                if key:
                    self._add_passed(passing._replace(keys=(*passing.keys, key)), value, depth + 1)

    def _add_written(self, access: Access) -> None:
        value = access.value
        if value is not None and value.kind in ("lambda", "definition") and access.target.kind == "attribute":
            self.passings.setdefault(value.scope, Passing(access.scope, target=access.target))

    # ── what calls pass ──

    def calls_of(self, target: Target) -> Sequence[tuple[int, Expression]]:
        """Calls of a function in this file: scope and expression. Empty where there are too many to be looked through."""
        found = self.known.get(target, ())
        return found if len(found) <= _CALLS else ()

    # ── what is assigned to members ──

    def writes_to(self, scope: int, target: Expression) -> Sequence[Access]:
        """What is assigned to exactly this member of exactly this variable."""
        chain = chain_of(target)
        if not chain:
            return ()
        if self._writes is None:
            self._writes = defaultdict(list)
            for access in self._accesses:
                if access.is_write and access.value is not None and (written := chain_of(access.target)):
                    self._writes[written].append(access)
        found = self._writes.get(chain, ())
        head = chain.partition("\0")[0]
        own = self.scope_of(scope, head)
        return [access for access in found if self.scope_of(access.scope, head) == own] if found else ()

    def scope_of(self, scope: int, name: str) -> int:
        """The scope that declares a name; -1: none."""
        while scope >= MODULE_SCOPE and name not in self._outline.names[scope]:
            scope = self._outline.scopes[scope].parent
        return scope

    def frame_of(self, scope: int) -> int:
        """The scope of the running function around a scope."""
        scopes = self._outline.scopes
        while scopes[scope].kind in ("block", "class") and scopes[scope].parent >= 0:
            scope = scopes[scope].parent
        return scope


def chain_of(expression: Expression) -> str:
    """A variable, and the constant keys that lead from it to a member; "" for anything else."""
    keys: list[str] = []
    while expression.parts and len(keys) < 12:
        if expression.kind == "attribute":
            keys.append(expression.name)
        elif expression.kind == "subscript" and len(expression.parts) > 1 and expression.parts[1].kind == "literal":
            keys.append(expression.parts[1].text.strip("\"'`"))
        else:
            return ""
        expression = expression.parts[0]
    if expression.kind != "name" or not keys or expression.name in ("this", "super"):
        return ""
    return "\0".join([expression.name, *reversed(keys)])
