"""Python's annotations as evidence: what something may be that is declared with a type."""

from __future__ import annotations

from analyzers.facts import Expression
from knowledge.graph.annotations import NO_TYPE, UNKNOWN_TYPE, Annotation, read_annotation
from knowledge.graph.bindings import END
from knowledge.graph.narrowing import dotted
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
    Instance,
    Module,
    Place,
    TypeVariable,
    Value,
    one,
    through,
    union,
)

TYPING = frozenset({"typing", "typing_extensions", "_typeshed", "types"})
SELF = TypeVariable(b"", "Self")
_FIRST = frozenset({"Annotated", "ClassVar", "Final", "Required", "NotRequired", "ReadOnly", "Unpack"})
_LAST = frozenset({"Awaitable", "Coroutine"})
_UNTYPED = frozenset({"Any", "object", "TypeVar", "NoReturn", "Never", "TypeAlias", "LiteralString", "Generic", "Protocol"})
_BUILTIN_NAMES = {
    "List": "list", "Dict": "dict", "Set": "set", "FrozenSet": "frozenset", "Tuple": "tuple", "Type": "type", "DefaultDict": "dict",
    "OrderedDict": "dict", "Text": "str", "AnyStr": "str",
}  # fmt: skip
_DEPTH = 12


class Types:
    """Reads annotations of one resolution; remembered by place and text."""

    def __init__(self, follow: Following) -> None:
        self._follow = follow
        self._known: dict[tuple[Place, str], Flow] = {}

    def annotation(self, place: Place, text: str) -> Flow:
        """What something declared as `text` may be."""
        key = (place, text)
        if key not in self._known:
            # A type that is declared by way of itself is unknown inside itself.
            self._known[key] = UNKNOWN
            self._known[key] = self.flow(place, read_annotation(text))
        return self._known[key]

    def flow(self, place: Place, annotation: Annotation, depth: int = 0) -> Flow:
        """What something of this type may be."""
        if depth > _DEPTH:
            return UNKNOWN
        if annotation.kind == "none":
            return NOTHING
        if annotation.kind == "union":
            return union(self.flow(place, member, depth + 1) for member in annotation.arguments)
        if annotation.kind != "name":
            return UNKNOWN
        head, *rest = annotation.name.split(".")
        found = self._follow.lookup(place, head, END)
        for name in rest:
            if found is None:
                return UNKNOWN
            found = union([self._follow.attribute(value, name) or UNKNOWN for value in found.values] or [UNKNOWN])
        if found is None:
            return UNKNOWN
        flow = union([self._of(value, place, annotation, depth) for value in found.values] or [UNKNOWN])
        return through(flow, "annotation", found.is_certain)

    def _of(self, value: Value, place: Place, annotation: Annotation, depth: int) -> Flow:
        """Objects of the type that `value` is, with the annotation's arguments."""
        if isinstance(value, Class):
            return one(Instance(value.path, value.index, self._arguments(place, annotation, depth) or value.arguments), "annotation")
        if isinstance(value, TypeVariable):
            return one(value, "annotation")
        if isinstance(value, Alias):
            return self.flow(value.place, value.annotation, depth + 1)
        if isinstance(value, External):
            return self._external(value, place, annotation, depth)
        return UNKNOWN

    def _external(self, value: External, place: Place, annotation: Annotation, depth: int) -> Flow:
        name = value.name.rpartition(".")[2]
        arguments = annotation.arguments
        if value.package in TYPING or value.package in ("builtins", "collections", "contextlib"):
            if name in _UNTYPED:
                return UNKNOWN
            if name == "Self":
                return one(SELF, "annotation")
            if name in ("Optional", "Union"):
                members = [self.flow(place, member, depth + 1) for member in arguments]
                return union([*members, NOTHING] if name == "Optional" else members)
            if name in _FIRST:
                return self.flow(place, arguments[0], depth + 1) if arguments else UNKNOWN
            if name in _LAST:
                return self.flow(place, arguments[-1], depth + 1) if arguments else UNKNOWN
            if name == "Callable":
                return one(self._callable(place, arguments, depth), "annotation")
            if name in ("Type", "type"):
                return self._class_of(place, arguments[0], depth) if arguments else UNKNOWN
            if name == "Literal":
                return one(Foreign("builtins", "str"), "annotation")
        if value.package in TYPING and name in _BUILTIN_NAMES:
            return one(Foreign("builtins", _BUILTIN_NAMES[name], self._arguments(place, annotation, depth)), "annotation")
        return one(Foreign(value.package, value.name, self._arguments(place, annotation, depth)), "annotation")

    def _callable(self, place: Place, arguments: tuple[Annotation, ...], depth: int) -> Callable:
        if len(arguments) < 2:
            return Callable(UNKNOWN)
        listed = arguments[0].arguments if arguments[0].kind == "tuple" else ()
        parameters = tuple(self.flow(place, parameter, depth + 1) for parameter in listed)
        return Callable(self.flow(place, arguments[-1], depth + 1), None, parameters)

    def _arguments(self, place: Place, annotation: Annotation, depth: int) -> tuple[Flow, ...]:
        return tuple(self.flow(place, argument, depth + 1) for argument in annotation.arguments if argument.name != "...")

    def _class_of(self, place: Place, annotation: Annotation, depth: int) -> Flow:
        """The classes whose objects `annotation` describes."""
        return self.classes(self.flow(place, annotation, depth + 1))

    def classes(self, flow: Flow) -> Flow:
        """`type[T]` for a flow of T."""
        found: list[Value] = []
        for value in flow.values:
            if isinstance(value, Instance):
                found.append(Class(value.path, value.index, value.arguments))
            elif isinstance(value, Foreign):
                found.append(External(value.package, value.name))
            elif isinstance(value, TypeVariable):
                found.append(Callable(one(value, "annotation")))
        return Flow(tuple(found), flow.is_certain and len(found) == len(flow.values), flow.reason)

    def is_type(self, value: Value) -> bool:
        """Whether a value may be subscripted or joined by `|` to say a type."""
        return isinstance(value, Class | Alias | TypeVariable) or (isinstance(value, External) and not isinstance(value, Module))


def annotation_of(expression: Expression, depth: int = 0) -> Annotation:
    """An expression that stands for a type, as the annotation it would be."""
    if depth > _DEPTH:
        return UNKNOWN_TYPE
    if expression.kind in ("name", "attribute"):
        name = dotted(expression)
        return Annotation("name", name) if name else UNKNOWN_TYPE
    if expression.kind == "subscript" and len(expression.parts) == 2:
        head, index = annotation_of(expression.parts[0], depth + 1), expression.parts[1]
        items = index.parts if index.kind == "collection" and index.name == "tuple" else (index,)
        return Annotation("name", head.name, tuple(annotation_of(item, depth + 1) for item in items)) if head.kind == "name" else UNKNOWN_TYPE
    if expression.kind == "operator":
        return Annotation("union", "", tuple(annotation_of(part, depth + 1) for part in expression.parts))
    if expression.kind == "literal":
        if expression.name == "none":
            return NO_TYPE
        return read_annotation(expression.text.strip("\"'")) if expression.name == "str" else UNKNOWN_TYPE
    if expression.kind == "collection":
        return Annotation("tuple", "", tuple(annotation_of(part, depth + 1) for part in expression.parts))
    return UNKNOWN_TYPE
