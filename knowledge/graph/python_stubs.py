"""What stub files say about sources that have no types of their own: `lib.pyi` beside `lib.py`, `name-stubs/` beside `name/` (PEP 484, PEP 561).

Names lead to the source, for that is what runs; a stub is asked only for what the source does not declare.
"""

from __future__ import annotations

from functools import cached_property

import msgspec

from analyzers.facts import Definition
from knowledge.graph.layout import decode
from knowledge.graph.outline import Outline
from knowledge.graph.reads import View
from knowledge.graph.values import Callable, Class, Flow, Function, Instance, Place, Value

_SOURCE = b".py"
_STUB = b".pyi"
_PACKAGE = b"-stubs"
_DEPTH = 6


class Stubs:
    """The stubs of one resolution."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._sources: dict[bytes, bytes | None] = {}

    @cached_property
    def _paths(self) -> frozenset[bytes]:
        return frozenset(self._view.module("stubs:"))

    def function(self, function: Function) -> Function | None:
        """The stub's declaration of a function; of several the last, so that its overloads stand before it."""
        found = self._same(function.path, function.index)
        if found is None:
            return None
        outline, index = found
        return Function(outline.path, outline.defined(outline.definitions[index].qualified_name)[-1], function.receiver)

    def parameter(self, path: bytes, index: int, name: str) -> tuple[Place, str] | None:
        """Where the stub declares a parameter, and as what."""
        found = self._same(path, index)
        if found is None:
            return None
        outline, declared = found
        definition = outline.definitions[declared]
        annotation = next((parameter.annotation for parameter in definition.parameters if parameter.name == name), "")
        return (Place(outline.path, definition.scope), annotation) if annotation else None

    def variable(self, path: bytes, owner: int, name: str) -> tuple[Place, str] | None:
        """Where the stub declares a variable of a module (owner 0) or class, and as what."""
        outline = self._outline(path, name) if not owner else None
        scope = 0
        if owner:
            found = self._same(path, owner)
            if found is None:
                return None
            outline, scope = found[0], found[0].bodies.get(found[1], -1)
        rows = outline.names[scope].get(name, ()) if outline is not None and scope >= 0 else ()
        annotation = next((row.annotation for row in rows if row.annotation), "")
        return (Place(outline.path, scope), annotation) if outline is not None and annotation else None

    def to_source(self, flow: Flow, depth: int = 0) -> Flow:
        """The flow with what a stub declares replaced by what the source defines."""
        if depth > _DEPTH:
            return flow
        return Flow(tuple(self._to_source(value, depth) for value in flow.values), flow.is_certain, flow.reason)

    def _to_source(self, value: Value, depth: int) -> Value:
        if isinstance(value, Callable):
            return msgspec.structs.replace(value, result=self.to_source(value.result, depth + 1))
        if not isinstance(value, Class | Instance | Function) or not value.path.endswith(_STUB):
            return value
        source = self._source_of(value.path)
        stub = self._view.tree.outline(value.path)
        if source is None or stub is None:
            return value
        definition: Definition = stub.definitions[value.index]
        outline = self._view.named(source, stub.top_of(value.index))
        defined = outline.defined(definition.qualified_name) if outline is not None else ()
        return msgspec.structs.replace(value, path=source, index=defined[0]) if defined else value

    def _same(self, path: bytes, index: int) -> tuple[Outline, int] | None:
        """The definition of that qualified name in the stub."""
        source = self._view.tree.outline(path) if path.endswith(_SOURCE) and self._paths else None
        if source is None:
            return None
        outline = self._outline(path, source.top_of(index))
        defined = outline.defined(source.definitions[index].qualified_name) if outline is not None else ()
        return (outline, defined[0]) if outline is not None and defined else None

    def _outline(self, path: bytes, name: str) -> Outline | None:
        """The outline of the stub of a source file, to look at `name`."""
        if not path.endswith(_SOURCE) or not self._paths:
            return None
        stub = self._stub_of(path)
        return self._view.named(stub, name) if stub is not None else None

    def _source_of(self, stub: bytes) -> bytes | None:
        """The source file that a stub describes."""
        if stub not in self._sources:
            stem = b"/".join(part.removesuffix(_PACKAGE) for part in stub.removesuffix(_STUB).removesuffix(b"/__init__").split(b"/"))
            found = self._view.module("python:" + decode(stem))
            self._sources[stub] = found[0] if found and found[0].endswith(_SOURCE) else None
        return self._sources[stub]

    def _stub_of(self, path: bytes) -> bytes | None:
        beside = path.removesuffix(_SOURCE) + _STUB
        if beside in self._paths:
            return beside
        parts = beside.split(b"/")
        apart = (b"/".join([*parts[:at], parts[at] + _PACKAGE, *parts[at + 1 :]]) for at in range(len(parts) - 1))
        return next((candidate for candidate in apart if candidate in self._paths), None)
