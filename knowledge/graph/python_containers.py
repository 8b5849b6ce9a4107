"""What stands at a constant key of a list or dictionary of the file, after everything that was written there before.

It is certain only for a container that nobody else can have changed: a literal in a local variable (or, while the module runs, in one of the
module) that is only read, and written at constant keys.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

from analyzers.facts import Binding, Call, Expression, FileFacts
from knowledge.graph.bindings import last_start
from knowledge.graph.narrowing import dotted, frame_of
from knowledge.graph.outline import Outline
from knowledge.graph.python_names import Names
from knowledge.graph.reads import View
from knowledge.graph.values import Flow, Following, Foreign, Module, Place, union

_ADDING = {"append": 1, "appendleft": 1, "add": 1, "insert": 2, "setdefault": 2, "push": 1, "put": 1, "__setitem__": 2}
"""Methods that put something into a container → which of their arguments."""
_MOST_ADDED = 24
_NESTED = 8
_READING = frozenset({"get", "keys", "values", "items", "copy", "index", "count", "update", "__getitem__", "__setitem__", "__iter__", "__contains__"})


class _Write(NamedTuple):
    scope: int
    key: str
    start: int
    value: Expression | None
    last: int
    """The last byte offset at which a part of the value begins: a use up to there is part of it"""


def _write(scope: int, key: str, start: int, value: Expression | None) -> _Write:
    return _Write(scope, key, start, value, last_start(value) if value is not None else start)


class Containers:
    """The containers of one file."""

    def __init__(self, view: View, facts: FileFacts, names: Names, follow: Following) -> None:
        self._view = view
        self._path = view.importer
        self._facts = facts
        self._outline: Outline | None = view.tree.outline(view.importer)
        self._names = names
        self._follow = follow

    def item(self, place: Place, subscript: Expression) -> Flow | None:
        """What `owner[key]` is; None where the literal that the owner was made of has to say it."""
        if self._outline is None or place.path != self._path or len(subscript.parts) < 2:
            return None
        name, key = self._name(subscript.parts[0]), self._key(place, subscript.parts[1])
        if not name:
            return None
        if key is None:
            return self._among_added(place, subscript, self._follow.expression(place, subscript.parts[0]))
        is_closed = self._is_closed(place, name)
        frame = frame_of(self._outline, place.scope)
        before = [write for write in self._writes.get(name, ()) if write.key == key and write.start < subscript.start]
        writes = [write for write in before if frame_of(self._outline, write.scope) == frame and write.last < subscript.start]
        if writes:
            last = max(writes, key=lambda write: write.start)
            if last.value is None:
                return None
            flow = self._follow.expression(Place(self._path, last.scope), last.value)
            return Flow(flow.values, flow.is_certain and is_closed, "container")
        owner = self._follow.expression(place, subscript.parts[0])
        if not is_closed:
            return self._among_added(place, subscript, owner, key)
        for value in owner.values:
            found = [flow for item, flow in value.items if item == key] if isinstance(value, Foreign) else []
            if found:
                return Flow(found[-1].values, found[-1].is_certain, "container")
        return None

    def _among_added(self, place: Place, subscript: Expression, owner: Flow, key: str = "") -> Flow | None:
        """What was put into an open container at a key that is not known; None where its type or its literal says
        what is at the key, or nothing was put."""
        if key and any(item == key.strip("\"'") for value in owner.values if isinstance(value, Foreign) for item, _ in value.items):
            return None
        held = [value.arguments[-1] for value in owner.values if isinstance(value, Foreign) and value.arguments]
        is_declared = any(flow.values and flow.is_certain for flow in held)
        added = self.added(place, subscript.parts[0]) if not is_declared else None
        if added is None:
            return None
        found = union([added, *(flow for flow in held if flow.values)])
        return Flow(found.values, False, "container")

    def added(self, place: Place, owner: Expression) -> Flow | None:
        """What the file puts into a list, set or dictionary without saying where: by `append` and its like, and at computed keys."""
        if self._outline is None or place.path != self._path:
            return None
        key = self._owner(place.scope, dotted(owner))
        if key is None or not self._added.get(key):
            return None
        given = [self._follow.expression(Place(self._path, scope), value) for scope, value in self._added[key]]
        flow = union(found for found in given if found.values) if any(found.values for found in given) else None
        return Flow(flow.values, False, "container") if flow is not None else None

    def _owner(self, scope: int, name: str) -> tuple[str, int, str] | None:
        """What a dotted name stands for in the file: the attribute of a class's objects, or a variable of a scope."""
        outline = self._outline
        if not name or outline is None:
            return None
        first, _, rest = name.partition(".")
        owner = outline.owner_of_self(scope, first)
        if owner > 0:
            return "class", owner, rest
        while scope > 0 and (first not in outline.names[scope] or outline.names[scope][first][0].kind in ("global", "nonlocal")):
            scope = outline.scopes[scope].parent
        return "scope", max(scope, 0), name

    @cached_property
    def _added(self) -> dict[tuple[str, int, str], list[tuple[int, Expression]]]:
        found: dict[tuple[str, int, str], list[tuple[int, Expression]]] = defaultdict(list)
        for call in self._facts.calls:
            callee = call.expression.parts[0] if call.expression.parts else None
            at = _ADDING.get(callee.name) if callee is not None and callee.kind == "attribute" else None
            if callee is None or at is None or len(call.expression.parts) - len(call.expression.keywords) <= at:
                continue
            key = self._owner(call.scope, dotted(callee.parts[0]))
            if key is not None and not (callee.name == "__setitem__" and call.expression.parts[1].kind == "literal"):
                found[key].append((call.scope, call.expression.parts[at]))
        for owner, values in found.items():
            if len(values) > _MOST_ADDED:
                found[owner] = []
        return found

    def _name(self, owner: Expression) -> str:
        """`name` or `name['a']['b']`: how a container is called here; "" where that is computed."""
        keys: list[str] = []
        while owner.kind == "subscript" and len(owner.parts) == 2 and owner.parts[1].kind == "literal" and len(keys) < _NESTED:
            keys.append(owner.parts[1].text)
            owner = owner.parts[0]
        name = dotted(owner)
        return name + "".join(f"[{key}]" for key in reversed(keys)) if name else ""

    def _key(self, place: Place, index: Expression) -> str | None:
        """The constant that an index is: a literal, or a name that is bound once, to a literal."""
        if index.kind == "name" and self._outline is not None:
            scope = place.scope
            while scope >= 0:
                bindings = self._outline.names[scope].get(index.name)
                if bindings:
                    return self._constant(bindings)
                scope = self._outline.scopes[scope].parent
            return None
        return index.text if index.kind == "literal" else None

    def _constant(self, bindings: Sequence[Binding]) -> str | None:
        """The literal that a name holds, here or in the module that it was imported from last."""
        last = bindings[-1]
        if last.kind == "import" and self._outline is not None and last.until == -1:
            found = self._outline.imports[last.target]
            modules = self._names.module(self._path, found.level, found.module).values if found.name else ()
            outline = self._view.named(modules[0].path, found.name) if len(modules) == 1 and isinstance(modules[0], Module) else None
            bindings = outline.names[0].get(found.name, ()) if outline is not None else ()
        if len(bindings) != 1 or bindings[0].kind != "assignment" or bindings[0].value is None:
            return None
        return bindings[0].value.text or None

    def _is_closed(self, place: Place, name: str) -> bool:
        name = name.partition("[")[0]
        if self._outline is None or "." in name:
            return False
        frame = frame_of(self._outline, place.scope)
        bindings: list[Binding] = self._outline.names[frame].get(name, [])
        value = bindings[0].value if len(bindings) == 1 and bindings[0].kind == "assignment" else None
        is_literal = value is not None and value.kind == "collection"
        return is_literal and name not in self._outline.globals and name not in self._passed_on and not self._changed.get(name)

    @cached_property
    def _writes(self) -> dict[str, list[_Write]]:
        found: dict[str, list[_Write]] = defaultdict(list)
        for access in self._facts.accesses:
            if access.is_write and access.target.kind == "subscript" and len(access.target.parts) > 1 and access.target.parts[1].kind == "literal":
                owner = self._name(access.target.parts[0])
                found[owner].append(_write(access.scope, access.target.parts[1].text, access.span.start, access.value))
        for call in self._facts.calls:
            found_in = self._updated(call)
            if found_in is not None:
                literal = call.expression.parts[1]
                rows = zip(literal.keywords, literal.parts, strict=False)
                found[found_in] += [_write(call.scope, key, call.name_span.start, value) for key, value in rows]
        return found

    def _updated(self, call: Call) -> str | None:
        """The dictionary that a call updates from a literal."""
        callee = call.expression.parts[0] if call.expression.parts else None
        if callee is None or callee.kind != "attribute" or callee.name != "update" or len(call.expression.parts) < 2:
            return None
        return dotted(callee.parts[0]) if call.expression.parts[1].kind == "collection" else None

    @cached_property
    def _changed(self) -> dict[str, bool]:
        """Names of which a method is called that may change them in a way that is not looked at, or a computed key is written."""
        found: dict[str, bool] = {}
        for call in self._facts.calls:
            callee = call.expression.parts[0] if call.expression.parts else None
            if callee is None or callee.kind != "attribute" or callee.parts[0].kind != "name":
                continue
            is_computed = callee.name == "__setitem__" and call.expression.parts[1].kind != "literal"
            is_unknown = callee.name not in _READING or (callee.name == "update" and self._updated(call) is None)
            if is_computed or is_unknown:
                found[callee.parts[0].name] = True
        return found

    @cached_property
    def _passed_on(self) -> frozenset[str]:
        """Names that are given to a call, returned, or assigned to something else: others may change what they hold."""
        given = [part for call in self._facts.calls if "implicit" not in call.flags for part in call.expression.parts[1:]]
        given += [row.value for row in self._facts.returns if row.value is not None]
        given += [binding.value for binding in self._facts.bindings if binding.value is not None]
        given += [access.value for access in self._facts.accesses if access.value is not None]
        names: set[str] = set()
        while given:
            expression = given.pop()
            if expression.kind == "name":
                names.add(expression.name)
            elif expression.kind in ("collection", "conditional", "spread"):
                given += expression.parts
        return frozenset(names)
