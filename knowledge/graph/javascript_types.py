"""TypeScript's types as evidence: what something may be that is declared with a type. See `javascript_annotations` for the trees."""

from __future__ import annotations

from typing import Protocol

from knowledge.graph.annotations import Annotation
from knowledge.graph.bindings import END
from knowledge.graph.javascript_annotations import read_type
from knowledge.graph.javascript_declarations import Declarations
from knowledge.graph.javascript_memory import Memory
from knowledge.graph.javascript_names import Names
from knowledge.graph.javascript_values import RUNTIME, Described, Environment, NamedType, Parameter, This, Typed, primitive
from knowledge.graph.outline import MODULE_SCOPE
from knowledge.graph.values import NOTHING, UNKNOWN, Class, External, Flow, Module, Place, Value, one, through, union

_PRIMITIVES = frozenset({"string", "number", "boolean", "bigint", "symbol", "object", "String", "Number", "Boolean", "BigInt", "Symbol"})
_UNTYPED = frozenset({"any", "unknown", "Object", "ThisType", "this"})
_SAME = frozenset({"Partial", "Required", "Readonly", "NonNullable", "NoInfer", "Pick", "Omit"})
_PARTS = frozenset({"Exclude", "Extract"})
_ARRAYS = frozenset({"Array", "ReadonlyArray"})
_EMPTY = Annotation("object")
_BRANCHES = 6
"""A conditional type with more results than this leads to no one of them."""
_EXPANSIONS = 2
"""An alias that leads back to itself (`type Rest<T> = T extends [infer A, ...infer B] ? Rest<B> : …`) is written out this often."""


class TypeFollowing(Protocol):
    """What types ask of the rest."""

    def attributes(self, owner: Flow, name: str) -> Flow:
        """What `name` of any of these values is."""
        ...

    def called(self, value: Value) -> Flow:
        """What calling a value gives, the arguments aside."""
        ...

    def elements(self, flow: Flow) -> Flow:
        """What iterating gives."""
        ...

    def awaited(self, flow: Flow) -> Flow:
        """What waiting for it gives."""
        ...

    def constructed(self, value: Value) -> Flow:
        """What `new` gives, the arguments aside."""
        ...


class Arguments(Environment):
    """The type parameters of the declaration `index` as the arguments of a type that names it."""

    __slots__ = ("environment", "given", "index", "path", "place", "types")

    def __init__(self, types: Types, path: bytes, index: int, annotation: Annotation, place: Place, environment: Environment | None) -> None:
        super().__init__()
        self.types = types
        self.path = path
        self.index = index
        self.given = annotation.arguments
        self.place = place
        self.environment = environment

    def own(self, path: bytes, owner: int, name: str) -> Flow | None:
        declared = self.types.declarations
        if path != self.path or (owner != self.index and owner not in declared.siblings(path, self.index)):
            return None
        position = declared.parameters(path, owner).index(name)
        if position < len(self.given):
            return self.types.flow(self.place, self.given[position], self.environment)
        outline = declared.outline(path)
        default = next((p.default for p in outline.definitions[owner].parameters if p.name == name), "") if outline is not None else ""
        return self.types.within(path, owner, default, self) if default else None


class Keyed(Environment):
    """Inside of one member of a mapped type: which key it is."""

    __slots__ = ("key", "text")

    def __init__(self, key: str, text: str, outer: Environment | None) -> None:
        super().__init__(None, outer)
        self.key = key
        self.text = text


class Bounded(Environment):
    """Inside of a function type that has type parameters of its own: what they are at least."""

    __slots__ = ("place", "rows")

    def __init__(self, rows: tuple[Annotation, ...], place: Place, outer: Environment | None) -> None:
        super().__init__(None, outer)
        self.rows = rows
        self.place = place


class Types:
    """Reads types of one tree."""

    def __init__(self, memory: Memory, names: Names, declarations: Declarations, follow: TypeFollowing) -> None:
        self.declarations = declarations
        self._memory = memory
        self._names = names
        self._follow = follow
        self._open: dict[tuple[bytes, int, str], bool] = {}

    def annotation(self, place: Place, text: str, environment: Environment | None = None) -> Flow:
        """What something declared as `text` may be."""
        tree = read_type(text)
        if environment is None or not self._is_open(place, text, tree):
            key = ("type", place.path, place.scope, text)
            return self._memory.remember(place.path, key, UNKNOWN, self.flow, place, tree, None)
        return self.flow(place, tree, environment)

    def within(self, path: bytes, owner: int, text: str, environment: Environment | None) -> Flow:
        """What a type says that stands in the header of a declaration, where its own type parameters are known."""
        outline = self.declarations.outline(path)
        if outline is None:
            return UNKNOWN
        scope = outline.bodies.get(owner, outline.definitions[owner].scope)
        return self.flow(Place(path, scope), read_type(text), environment)

    def _is_open(self, place: Place, text: str, tree: Annotation) -> bool:
        """Whether a type speaks of type parameters or of `this`."""
        key = (place.path, place.scope, text)
        found = self._open.get(key)
        if found is None:
            found = self._open[key] = any(
                name == "this" or self.declarations.owner_of_parameter(place.path, place.scope, name) >= 0 for name in _heads(tree)
            )
        return found

    def flow(self, place: Place, annotation: Annotation, environment: Environment | None = None) -> Flow:
        """What something of this type may be."""
        follow = _KINDS.get(annotation.kind)
        if follow is None or not self._memory.enter():
            return UNKNOWN
        found = follow(self, place, annotation, environment)
        self._memory.depth -= 1
        return found

    # ── kinds of type ──

    def _nothing(self, place: Place, annotation: Annotation, environment: Environment | None) -> Flow:
        return NOTHING

    def _literal(self, place: Place, annotation: Annotation, environment: Environment | None) -> Flow:
        return one(primitive(annotation.name), "annotation")

    def _predicate(self, place: Place, annotation: Annotation, environment: Environment | None) -> Flow:
        return one(primitive("boolean"), "annotation")

    def _keyof(self, place: Place, annotation: Annotation, environment: Environment | None) -> Flow:
        return one(primitive("string"), "annotation")

    def _union(self, place: Place, annotation: Annotation, environment: Environment | None) -> Flow:
        return union([self.flow(place, member, environment) for member in annotation.arguments])

    def _intersection(self, place: Place, annotation: Annotation, environment: Environment | None) -> Flow:
        members = tuple(member for member in annotation.arguments if member != _EMPTY)
        if len(members) == 1:
            return self.flow(place, members[0], environment)
        return one(Described(RUNTIME, "intersection", (), (), place, Annotation("intersection", "", members), environment), "annotation")

    def _described(self, place: Place, annotation: Annotation, environment: Environment | None) -> Flow:
        return one(Described(RUNTIME, _NAMES[annotation.kind], (), (), place, annotation, environment), "annotation")

    def _conditional(self, place: Place, annotation: Annotation, environment: Environment | None) -> Flow:
        """Either branch: where both lead to one declaration, it does not matter which."""
        return self._union(place, annotation, environment) if _branches(annotation) <= _BRANCHES else UNKNOWN

    def _typeof(self, place: Place, annotation: Annotation, environment: Environment | None) -> Flow:
        head, *rest = annotation.name.split(".")
        flow = self._names.lookup(place, head, END)
        for part in rest:
            flow = self._follow.attributes(flow, part) if flow is not None else None
        return through(flow, "annotation") if flow is not None else UNKNOWN

    def _import(self, place: Place, annotation: Annotation, environment: Environment | None) -> Flow:
        specifier, *arguments = annotation.arguments
        found = self._names.module(place.path, specifier.name)
        for part in annotation.name.split(".") if annotation.name else ():
            found = union([self._member(value, part) for value in found.values] or [UNKNOWN])
        named = Annotation("name", annotation.name, tuple(arguments))
        return union([self._object(value, place, named, environment) for value in found.values] or [UNKNOWN])

    def _indexed(self, place: Place, annotation: Annotation, environment: Environment | None) -> Flow:
        owner, index = annotation.arguments
        text = _key_text(index, environment)
        flow = self.flow(place, owner, environment)
        if text is not None:
            return through(self._follow.attributes(flow, text), "annotation")
        if index.kind == "name" and index.name == "number":
            return self._follow.elements(flow)
        return UNKNOWN

    def _named(self, place: Place, annotation: Annotation, environment: Environment | None) -> Flow:
        name = annotation.name
        if "." not in name:
            found = self._parameter(place, name, environment)
            if found is not None:
                return found
            if name == "this":
                return self._this(place, environment)
        named = self.type_named(place, name)
        if not named.values:
            return self._built_in(place, annotation, environment) if named.is_certain else UNKNOWN
        if len(named.values) == 1:
            return through(self._object(named.values[0], place, annotation, environment), "annotation", named.is_certain)
        flows = [self._object(value, place, annotation, environment) for value in named.values]
        return through(union(flows), "annotation", named.is_certain)

    def _this(self, place: Place, environment: Environment | None) -> Flow:
        at = environment
        while at is not None:
            if at.receiver is not None:
                return one(at.receiver, "annotation")
            at = at.outer
        index = self.declarations.class_around(place.path, place.scope)
        return one(This(place.path, index), "annotation") if index > 0 else UNKNOWN

    def _parameter(self, place: Place, name: str, environment: Environment | None) -> Flow | None:
        """What a type parameter stands for; None where the name is none."""
        at = environment
        while at is not None:
            if isinstance(at, Bounded) and (row := next((row for row in at.rows if row.name == name), None)) is not None:
                return self.flow(at.place, row.arguments[0], at) if row.arguments else UNKNOWN
            if isinstance(at, Keyed) and at.key == name:
                return one(primitive("string"), "annotation")
            at = at.outer
        owner = self.declarations.owner_of_parameter(place.path, place.scope, name)
        if owner >= 0:
            found = environment.find(place.path, owner, name) if environment is not None else None
            return found if found is not None else self._open_parameter(place.path, owner, name)
        at = environment
        while at is not None:
            if isinstance(at, Arguments) and at.path == place.path and name in self.declarations.parameters(at.path, at.index):
                found = at.own(place.path, at.index, name)
                return found if found is not None else self._open_parameter(place.path, at.index, name)
            at = at.outer
        return None

    def _open_parameter(self, path: bytes, owner: int, name: str) -> Flow:
        outline = self.declarations.outline(path)
        rows = outline.definitions[owner].parameters if outline is not None else ()
        bound = next((p.annotation for p in rows if p.kind == "type" and p.name == name), "")
        return one(Parameter(path, name, None, owner, bound), "annotation")

    def bound(self, value: Parameter, environment: Environment | None = None) -> Flow:
        """What a type parameter is at least."""
        return self.within(value.path, value.owner, value.text, environment) if value.text else UNKNOWN

    # ── names of types ──

    def type_named(self, place: Place, name: str) -> Flow:
        """The declaration that a (dotted) name of a type means: Class, NamedType, External. NOTHING: none in sight."""
        return self._memory.remember(place.path, ("named", place.path, place.scope, name), UNKNOWN, self._type_named, place, name)

    def _type_named(self, place: Place, name: str) -> Flow:
        head, *rest = name.split(".")
        found = self._names.lookup(place, head, END, True)
        if found is None:
            return NOTHING
        for part in rest:
            found = union([self._member(value, part) for value in found.values] or [UNKNOWN])
        return found if found.values else UNKNOWN

    def _member(self, value: Value, name: str) -> Flow:
        """`Namespace.Type` and `module.Type`."""
        if isinstance(value, Module):
            home = self._names.exported(value.path, name, True)
            return through(self._names.value(home, True), "import") if home is not None else UNKNOWN
        if isinstance(value, External):
            return one(External(value.package, f"{value.name}.{name}" if value.name else name), "import")
        if isinstance(value, Class):
            outline = self.declarations.outline(value.path)
            body = outline.bodies.get(value.index, MODULE_SCOPE) if outline is not None else MODULE_SCOPE
            if outline is not None and outline.definitions[value.index].kind == "enum":
                return one(value, "annotation")
            found = self._names.lookup(Place(value.path, body), name, END, True) if body != MODULE_SCOPE else None
            return found if found is not None else UNKNOWN
        return UNKNOWN

    def _object(self, value: Value, place: Place, annotation: Annotation, environment: Environment | None) -> Flow:
        """Something of the type that `value` declares, with the arguments that stand there."""
        if isinstance(value, Class):
            return one(self.typed(value.path, value.index, annotation, place, environment), "annotation")
        if isinstance(value, NamedType):
            return self._alias(value, place, annotation, environment)
        if isinstance(value, External):
            return one(Described(value.package, value.name, (), (), place, annotation, environment), "annotation")
        return UNKNOWN

    def typed(self, path: bytes, index: int, annotation: Annotation, place: Place, environment: Environment | None) -> Typed:
        """An object of a class or interface whose type parameters are what `annotation` says."""
        if not self.declarations.parameters(path, index):
            return Typed(path, index)
        return Typed(path, index, (), Arguments(self, path, index, annotation, place, environment))

    def _alias(self, value: NamedType, place: Place, annotation: Annotation, environment: Environment | None) -> Flow:
        path, index = value.place.path, value.index
        outline = self.declarations.outline(path)
        definition = self.declarations.get(path, index)
        if outline is None or definition is None:
            return UNKNOWN
        if index in outline.bodies:
            return one(self.typed(path, index, annotation, place, environment), "annotation")
        key = ("alias", path, index)
        if not self.declarations.parameters(path, index):
            return self._memory.remember(path, key, UNKNOWN, self.flow, value.place, read_type(definition.returns), None)
        if _times_inside(path, index, environment) >= _EXPANSIONS:
            return UNKNOWN
        return self.flow(value.place, read_type(definition.returns), Arguments(self, path, index, annotation, place, environment))

    def _built_in(self, place: Place, annotation: Annotation, environment: Environment | None) -> Flow:
        """Types of the language and its hosts."""
        name, arguments = annotation.name, annotation.arguments
        if name in _UNTYPED:
            return UNKNOWN
        if name in _PRIMITIVES:
            return one(primitive(name.lower()), "annotation")
        if name in _ARRAYS:
            return self._described(place, Annotation("array", "", arguments[:1]), environment)
        if arguments and name in _SAME:
            return self.flow(place, arguments[0], environment)
        if arguments and name in _PARTS:
            found = self.flow(place, arguments[0], environment)
            return Flow(found.values, found.is_certain and len(found.values) == 1, found.reason)
        if arguments and name == "Awaited":
            return self._follow.awaited(self.flow(place, arguments[0], environment))
        if arguments and name in ("ReturnType", "InstanceType"):
            follow = self._follow.called if name == "ReturnType" else self._follow.constructed
            found = self.flow(place, arguments[0], environment)
            return through(union([follow(value) for value in found.values] or [UNKNOWN]), "annotation", found.is_certain)
        if len(arguments) == 2 and name == "Record":
            return self._described(place, Annotation("object", "", (Annotation("index", "", arguments[1:]),)), environment)
        return one(Described(RUNTIME, name, (), (), place, annotation, environment), "annotation")

    # ── parts of described types ──

    def argument(self, value: Described, position: int) -> Flow:
        """The type argument of a described type at a position, from the end where negative."""
        arguments = value.annotation.arguments
        if not -len(arguments) <= position < len(arguments):
            return UNKNOWN
        return self.flow(value.place, arguments[position], value.environment)

    def member(self, value: Described, name: str) -> Flow | None:
        """A member of an object type; None where it has none of that name."""
        annotation = value.annotation
        if annotation.kind == "object":
            rows = [row for row in annotation.arguments if row.kind == "member" and row.name == name]
            rows = rows or [row for row in annotation.arguments if row.kind == "index"]
            return union([self.flow(value.place, row.arguments[0], value.environment) for row in rows]) if rows else None
        if annotation.kind == "mapped":
            members = annotation.arguments[1:]
            inner = Keyed(annotation.name, name, value.environment)
            return self.flow(value.place, members[0], inner) if members else UNKNOWN
        if annotation.kind == "intersection":
            return self._of_any(value, name)
        if annotation.kind == "tuple" and name.isdigit():
            position = int(name)
            return self.flow(value.place, annotation.arguments[position], value.environment) if position < len(annotation.arguments) else UNKNOWN
        return UNKNOWN

    def _of_any(self, value: Described, name: str) -> Flow | None:
        """A member of an intersection: of the first part that has it."""
        if not self._memory.enter():
            return UNKNOWN
        is_known, found = True, UNKNOWN
        for part in value.annotation.arguments:
            flow = self.flow(value.place, part, value.environment)
            found = self._follow.attributes(flow, name)
            if found.values:
                break
            is_known = is_known and bool(flow.values)
        self._memory.depth -= 1
        return found if found.values else None if is_known else UNKNOWN

    def result(self, value: Described) -> Flow:
        """What a function type gives (a constructor type: what it makes)."""
        annotation = value.annotation
        if annotation.kind not in ("function", "constructor"):
            return UNKNOWN
        return self.flow(value.place, annotation.arguments[0], _inside(annotation, value))

    def parameter(self, value: Described, position: int) -> Flow:
        """What a function type declares for a parameter."""
        annotation = value.annotation
        if annotation.kind not in ("function", "constructor"):
            return UNKNOWN
        rows = [row for row in annotation.arguments[1:] if row.kind in ("parameter", "rest")]
        row = rows[position] if position < len(rows) else rows[-1] if rows and rows[-1].kind == "rest" else None
        if row is None:
            return UNKNOWN
        environment = _inside(annotation, value)
        if row.kind == "rest" and row.arguments[0].kind == "tuple":
            return self._of_tuple(row.arguments[0].arguments, position - rows.index(row), value.place, environment)
        flow = self.flow(value.place, row.arguments[0], environment)
        return self._follow.elements(flow) if row.kind == "rest" else flow

    def _of_tuple(self, members: tuple[Annotation, ...], position: int, place: Place, environment: Environment | None) -> Flow:
        """The member of a tuple at a position."""
        for at, member in enumerate(members):
            if member.kind == "rest":
                return self._follow.elements(self.flow(place, member.arguments[0], environment))
            if at == position:
                return self.flow(place, member, environment)
        return UNKNOWN

    def receiver(self, value: Described) -> Flow:
        """What a function type declares for `this`."""
        row = next((row for row in value.annotation.arguments if row.kind == "this"), None)
        return self.flow(value.place, row.arguments[0], value.environment) if row is not None else UNKNOWN


def _branches(annotation: Annotation) -> int:
    return sum(_branches(part) for part in annotation.arguments) if annotation.kind == "conditional" else 1


def _times_inside(path: bytes, index: int, environment: Environment | None) -> int:
    """How often an alias is being written out where another use of it stands."""
    found, at = 0, environment
    while at is not None:
        if isinstance(at, Arguments):
            found += at.path == path and at.index == index
            at = at.environment
        else:
            at = at.outer
    return found


def _inside(function: Annotation, value: Described) -> Environment | None:
    rows = tuple(row for row in function.arguments[1:] if row.kind == "type")
    return Bounded(rows, value.place, value.environment) if rows else value.environment


def _heads(annotation: Annotation) -> list[str]:
    """The first words of all names in a type."""
    found: list[str] = []
    waiting = [annotation]
    while waiting:
        tree = waiting.pop()
        if tree.kind == "name":
            found.append(tree.name.partition(".")[0])
        waiting += tree.arguments
    return found


def _key_text(index: Annotation, environment: Environment | None) -> str | None:
    """The key that an index says; None where it is not one."""
    if index.kind == "literal" and index.name == "string":
        return index.arguments[0].name
    if index.kind == "name":
        at = environment
        while at is not None:
            if isinstance(at, Keyed) and at.key == index.name:
                return at.text
            at = at.outer
    return None


_NAMES = {"array": "Array", "tuple": "Array", "function": "Function", "constructor": "Function", "object": "Object", "mapped": "Object"}
_KINDS = {
    "name": Types._named, "none": Types._nothing, "literal": Types._literal, "predicate": Types._predicate, "keyof": Types._keyof,
    "union": Types._union, "intersection": Types._intersection, "array": Types._described, "tuple": Types._described, "function": Types._described,
    "constructor": Types._described, "object": Types._described, "mapped": Types._described, "conditional": Types._conditional,
    "typeof": Types._typeof, "import": Types._import, "indexed": Types._indexed,
}  # fmt: skip
