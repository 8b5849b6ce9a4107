"""TypeScript's annotations as evidence: what something may be that is declared with a type."""

from __future__ import annotations

from knowledge.graph.annotations import Annotation, read_annotation
from knowledge.graph.bindings import END
from knowledge.graph.javascript_names import RUNTIME, JavaScriptNames
from knowledge.graph.outline import Outline
from knowledge.graph.reads import View
from knowledge.graph.values import (
    NOTHING,
    UNKNOWN,
    Alias,
    Callable,
    Class,
    External,
    Flow,
    Following,
    Foreign,
    Function,
    Instance,
    Module,
    Place,
    TypeVariable,
    Value,
    one,
    through,
    union,
)

SELF = TypeVariable(b"", "this")
_DEPTH = 12
_PRIMITIVES = frozenset({"string", "number", "boolean", "bigint", "symbol", "object", "Function", "String", "Number", "Boolean"})
_UNTYPED = frozenset({"any", "unknown", "never", "Object"})
_SAME = frozenset({
    "Partial", "Required", "Readonly", "NonNullable", "Awaited", "Mutable", "DeepPartial", "Pick", "Omit", "Exclude", "Extract",
})  # fmt: skip
_LISTS = frozenset({
    "Array", "ReadonlyArray", "Set", "ReadonlySet", "WeakSet", "Iterable", "Iterator", "IterableIterator", "Generator", "AsyncGenerator",
    "AsyncIterable",
})  # fmt: skip


class JavaScriptTypes:
    """Reads annotations of one resolution; remembered by place and text."""

    def __init__(self, view: View, names: JavaScriptNames, follow: Following) -> None:
        self._view = view
        self._names = names
        self._follow = follow
        self._known: dict[tuple[Place, str], Flow] = {}

    def annotation(self, place: Place, text: str) -> Flow:
        """What something declared as `text` may be."""
        key = (place, text)
        if key not in self._known:
            self._known[key] = UNKNOWN
            self._known[key] = self.flow(place, read_annotation(text, "typescript"))
        return self._known[key]

    def flow(self, place: Place, annotation: Annotation, depth: int = 0) -> Flow:
        """What something of this type may be."""
        if depth > _DEPTH:
            return UNKNOWN
        kind, arguments = annotation.kind, annotation.arguments
        if kind == "none":
            return NOTHING
        if kind == "string":
            return one(Foreign(RUNTIME, "string"), "annotation")
        if kind == "union":
            return union(self.flow(place, member, depth + 1) for member in arguments)
        if kind == "intersection":
            known = [flow for member in arguments if (flow := self.flow(place, member, depth + 1)).values]
            return union(known) if known else UNKNOWN
        if kind == "array":
            return one(Foreign(RUNTIME, "Array", (self.flow(place, arguments[0], depth + 1),)), "annotation")
        if kind == "tuple":
            return one(Foreign(RUNTIME, "tuple", tuple(self.flow(place, item, depth + 1) for item in arguments)), "annotation")
        if kind == "function":
            parameters = tuple(self.flow(place, parameter, depth + 1) for parameter in arguments[1:])
            return one(Callable(self.flow(place, arguments[0], depth + 1), None, parameters), "annotation")
        if kind == "typeof":
            return self._value(place, annotation.name)
        return self._named(place, annotation, depth) if kind == "name" else UNKNOWN

    def _value(self, place: Place, name: str) -> Flow:
        head, *rest = name.split(".")
        flow = self._names.lookup(place, head, END)
        for part in rest:
            flow = union([self._follow.attribute(value, part) or UNKNOWN for value in flow.values] or [UNKNOWN]) if flow is not None else None
        return flow if flow is not None else UNKNOWN

    def _named(self, place: Place, annotation: Annotation, depth: int) -> Flow:
        name, arguments = annotation.name, annotation.arguments
        variable = self._type_parameter(place, name)
        if variable is not None:
            return one(variable, "annotation")
        if name == "this":
            return one(SELF, "annotation")
        head, *rest = name.split(".")
        found = self._names.lookup(place, head, END, True)
        for part in rest:
            found = union([self._member(value, part) for value in found.values] or [UNKNOWN]) if found is not None else None
        if found is None or (found.values and all(isinstance(v, External) and v.package == RUNTIME for v in found.values)):
            return self._built_in(place, name, arguments, depth)
        flows = [self._of(value, place, arguments, depth) for value in found.values]
        return through(union(flows or [UNKNOWN]), "annotation", found.is_certain)

    def _member(self, value: Value, name: str) -> Flow:
        """`Namespace.Type` and `module.Type`."""
        if isinstance(value, Module):
            return self._names.exported(value.path, name, True) or UNKNOWN
        return self._follow.attribute(value, name) or UNKNOWN

    def _of(self, value: Value, place: Place, arguments: tuple[Annotation, ...], depth: int) -> Flow:
        given = tuple(self.flow(place, argument, depth + 1) for argument in arguments)
        if isinstance(value, Class):
            return one(Instance(value.path, value.index, given), "annotation")
        if isinstance(value, Alias):
            return self.flow(value.place, value.annotation, depth + 1)
        if isinstance(value, External):
            return one(Foreign(value.package, value.name, given), "annotation")
        return UNKNOWN

    def _built_in(self, place: Place, name: str, arguments: tuple[Annotation, ...], depth: int) -> Flow:
        if name in _UNTYPED:
            return UNKNOWN
        if name in _SAME and arguments:
            return self.flow(place, arguments[0], depth + 1)
        if name in ("ReturnType", "InstanceType") and arguments:
            called = [self._follow.result(value) for value in self.flow(place, arguments[0], depth + 1).values]
            return union(called or [UNKNOWN])
        given = tuple(self.flow(place, argument, depth + 1) for argument in arguments)
        if name in _LISTS:
            return one(Foreign(RUNTIME, "Array" if "Array" in name else name, given), "annotation")
        if name == "Record":
            return one(Foreign(RUNTIME, "Map", given), "annotation")
        return one(Foreign(RUNTIME, name, given), "annotation")

    def _type_parameter(self, place: Place, name: str) -> TypeVariable | None:
        """A type parameter of a function or class around the place."""
        outline = self._view.tree.outline(place.path)
        index = outline.scopes[place.scope].definition if outline is not None else 0
        while outline is not None and index > 0:
            definition = outline.definitions[index]
            for parameter in definition.parameters:
                if parameter.kind == "type" and parameter.name == name and name != "this":
                    return self.parameter(outline, index, name, parameter.annotation)
            index = definition.parent
        return None

    def parameter(self, outline: Outline, index: int, name: str, bound: str) -> TypeVariable:
        """The type parameter of one definition."""
        definition = outline.definitions[index]
        flow = self.annotation(Place(outline.path, definition.scope), bound) if bound else None
        return TypeVariable(outline.path, f"{definition.qualified_name}.{name}", flow)

    def parameters(self, path: bytes, index: int) -> list[tuple[bytes, str]]:
        """The keys of a definition's type parameters, in order."""
        outline = self._view.tree.outline(path)
        definition = outline.definitions[index] if outline is not None else None
        if definition is None:
            return []
        return [(path, f"{definition.qualified_name}.{p.name}") for p in definition.parameters if p.kind == "type" and p.name != "this"]

    def is_function(self, value: Value) -> bool:
        """Whether a value can be called as it is."""
        return isinstance(value, Function | Callable)
