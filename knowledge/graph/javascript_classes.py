"""JavaScript's classes, interfaces and objects: what they inherit, and which declaration a member of a value is.

Declarations of one name in one scope (an interface and a class, an interface said twice) are one thing; so are a class and what is assigned to
its prototype or by its methods to `this`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from analyzers.facts import Access, Binding, Expression
from knowledge.graph.annotations import Annotation
from knowledge.graph.bindings import SILENT
from knowledge.graph.javascript_annotations import read_type
from knowledge.graph.javascript_declarations import Declarations
from knowledge.graph.javascript_memory import Memory
from knowledge.graph.javascript_types import Arguments, Types
from knowledge.graph.javascript_values import Environment, Parameter, This, Typed
from knowledge.graph.outline import FUNCTION_KINDS, MODULE_SCOPE, Outline
from knowledge.graph.values import UNKNOWN, Class, External, Flow, Function, Place, Value, one, through, union

_LONGEST = 60
_OBJECTS = frozenset({"constant", "variable", "property"})
_CLASSLIKE = frozenset({"class", "interface", "enum", "type"})


class Ancestor(NamedTuple):
    """A class of an order: where it is declared; from which row of the order it was named, at what place, with what type arguments.

    external: a base outside the repository; both it and the path empty: a base that is not known.
    """

    path: bytes
    definition: int
    above: int = -1
    place: Place | None = None
    arguments: tuple[Annotation, ...] = ()
    external: External | None = None


class Member(NamedTuple):
    """What one class or object says of a member. definition: the one that declares it (-1: it is only assigned).

    bindings: of its body; added: functions that were assigned from outside; writes: what its methods assign to it.
    """

    path: bytes
    owner: int
    definition: int
    scope: int
    bindings: tuple[Binding, ...] = ()
    added: tuple[int, ...] = ()
    writes: tuple[Access, ...] = ()


class Found(NamedTuple):
    """A member in an order of inheritance: in which row; certain: no class before it could hide it. member None: it is outside."""

    row: int
    member: Member | None
    is_certain: bool


class ClassFollowing(Protocol):
    """What classes ask of the rest."""

    def expression(self, place: Place, expression: Expression) -> Flow:
        """What an expression may be."""
        ...

    def binding(self, place: Place, binding: Binding) -> Flow:
        """What one binding gives."""
        ...

    def returned(self, function: Function, environment: Environment | None) -> Flow:
        """What a function gives, the arguments aside."""
        ...

    def constructed(self, value: Value) -> Flow:
        """What `new` gives, the arguments aside."""
        ...


class Classes:
    """Classes of one tree."""

    def __init__(self, memory: Memory, declarations: Declarations, types: Types, follow: ClassFollowing) -> None:
        self._memory = memory
        self._declarations = declarations
        self._types = types
        self._follow = follow

    # ── inheritance ──

    def order(self, path: bytes, index: int) -> tuple[Ancestor, ...]:
        """The class, then what it inherits from, in the order in which members are looked for."""
        return self._memory.remember(path, ("order", path, index), (Ancestor(path, index),), self._order, path, index)

    def _order(self, path: bytes, index: int) -> tuple[Ancestor, ...]:
        rows = [Ancestor(path, index)]
        for base in self._bases(path, index):
            if base.path:
                self._inherit(rows, base)
            else:
                rows.append(base)
        return tuple(rows)

    def _inherit(self, rows: list[Ancestor], base: Ancestor) -> None:
        """Adds a base and what it inherits; what is there already stays where it is."""
        known = {(row.path, row.definition): at for at, row in enumerate(rows) if row.path}
        placed: list[int] = []
        for inherited in self.order(base.path, base.definition):
            at = known.get((inherited.path, inherited.definition), -1) if inherited.path else -1
            if at < 0:
                if len(rows) >= _LONGEST:
                    return
                at = len(rows)
                rows.append(inherited._replace(above=placed[inherited.above]) if placed else base)
            placed.append(at)

    def _bases(self, path: bytes, index: int) -> list[Ancestor]:
        """What the declarations of the class extend (interfaces that a class implements have no members for it)."""
        found = []
        for sibling in self._declarations.siblings(path, index):
            definition = self._declarations.get(path, sibling)
            if definition is None or definition.kind not in _CLASSLIKE:
                continue
            place = Place(path, definition.scope)
            for base in definition.bases:
                if base.kind != "operator":
                    found.append(self._base(place, base, definition.kind == "interface", sibling))
        return found

    def _base(self, place: Place, base: Expression, is_type: bool, owner: int) -> Ancestor:
        flow = self.type_named(place, base) if is_type else self._follow.expression(place, base)
        value = flow.values[0] if len(flow.values) == 1 else None
        arguments = read_type("X" + base.text).arguments if base.text else ()
        outline = self._declarations.outline(place.path)
        inside = Place(place.path, outline.bodies.get(owner, place.scope)) if outline is not None else place
        if isinstance(value, Parameter):
            # A mixin: of what may be passed, only what it is at least is known.
            made = [self._follow.constructed(bound) for bound in self._types.bound(value).values]
            value = made[0].values[0] if len(made) == 1 and len(made[0].values) == 1 else None
        if isinstance(value, Class | Typed):
            return Ancestor(value.path, value.index, 0, inside, arguments)
        return Ancestor(b"", -1, 0, None, (), value if isinstance(value, External) else None)

    def declaration_named(self, place: Place, expression: Expression) -> Flow:
        """The declaration that an expression names as a type."""
        name = _dotted(expression)
        return self._types.type_named(place, name) if name else UNKNOWN

    def type_named(self, place: Place, expression: Expression) -> Flow:
        """What an expression names as a type: a class, or an object type that an alias leads to."""
        name = _dotted(expression)
        if not name:
            return UNKNOWN
        named = self._types.type_named(place, name)
        if not named.values and named.is_certain:
            return UNKNOWN
        plain = all(isinstance(value, Class | External) for value in named.values)
        return named if plain else self._types.flow(place, Annotation("name", name))

    def is_subclass(self, path: bytes, index: int, of: tuple[bytes, int]) -> bool:
        """Whether a class is another or inherits from it."""
        return any((above.path, above.definition) == of for above in self.order(path, index))

    def environment(self, order: Sequence[Ancestor], row: int, receiver: Value | None, outermost: Environment | None) -> Environment:
        """What type parameters stand for in the class of a row, seen from an object of the first, whose own are in `outermost`."""
        above = order[row]
        if row == 0 or not above.arguments or above.place is None:
            found = outermost if row == 0 else None
            return Environment(receiver, found)
        outer = self.environment(order, above.above, receiver, outermost) if above.above < row else None
        inner = Arguments(self._types, above.path, above.definition, Annotation("name", "", above.arguments), above.place, outer)
        return Environment(receiver, inner)

    # ── members ──

    def find(self, path: bytes, index: int, name: str, is_static: bool, first: int = 0) -> Found | None:
        """The member `name` of a class (from row `first` of its order on); None where it is known to have none."""
        key = ("member", path, index, name, is_static, first)
        return self._memory.remember(path, key, None, self._find, path, index, name, is_static, first)

    def _find(self, path: bytes, index: int, name: str, is_static: bool, first: int) -> Found | None:
        is_certain, assigned = True, None
        for row, above in enumerate(self.order(path, index)):
            if row < first:
                continue
            if above.external is not None and is_certain:
                return assigned or Found(row, None, True)
            if not above.path:
                is_certain = False
                continue
            member = self._own(above.path, above.definition, name, is_static)
            if member is not None and (member.bindings or member.added):
                return Found(row, member, is_certain)
            if member is not None and assigned is None:
                # `this.name = …` alone sets what a class above declares, if one does.
                assigned = Found(row, member, is_certain)
        return assigned or (None if is_certain else Found(-1, None, False))

    def _own(self, path: bytes, index: int, name: str, is_static: bool) -> Member | None:
        found = None
        for sibling in self._declarations.siblings(path, index):
            member = self.declared(path, sibling, name, is_static)
            if member is not None and (found is None or found.definition < 0):
                found = member
        return found

    def declared(self, path: bytes, index: int, name: str, is_static: bool) -> Member | None:
        """What one declaration says of a member."""
        outline = self._declarations.outline(path)
        definition = self._declarations.get(path, index)
        if outline is None or definition is None:
            return None
        scope = outline.bodies.get(index, -1)
        bindings: list[Binding] = []
        if scope > MODULE_SCOPE and definition.kind not in ("function", "method"):
            bindings = [b for b in outline.names[scope].get(name, ()) if b.kind not in SILENT]
            if definition.kind == "class":
                bindings = [b for b in bindings if _is_static(outline, b) == is_static]
        added = list(outline.added.get(index, {}).get(name, ()))
        if definition.kind not in _OBJECTS:
            added = [i for i in added if ("static" in outline.definitions[i].flags) == is_static]
        writes = () if is_static else tuple(outline.attributes.get(index, {}).get(name, ()))
        if not bindings and not added and not writes:
            return None
        declared = [b.target for b in bindings if b.target >= 0 and b.kind in ("definition", "assignment")]
        readable = [i for i in declared if "setter" not in outline.definitions[i].flags] or declared or added
        return Member(path, index, readable[0] if readable else -1, scope, tuple(bindings), tuple(added), writes)

    # ── what members are ──

    def value(self, member: Member, receiver: Value | None, environment: Environment | None) -> Flow:
        """What a member is, got from `receiver`."""
        outline = self._declarations.outline(member.path)
        if outline is None:
            return UNKNOWN
        for index in (member.definition, *member.added[-1:]):
            kind = outline.definitions[index].kind if index >= 0 else ""
            if kind in FUNCTION_KINDS:
                return self._method(outline, member, index, receiver, environment)
            if kind == "class":
                return one(Class(member.path, index), "local")
        place = Place(member.path, member.scope)
        text = next((b.annotation for b in member.bindings if b.annotation), "")
        if text:
            return through(self._types.annotation(place, text, environment), "attribute")
        if not member.bindings and (written := next((w for w in member.writes if w.annotation), None)) is not None:
            return through(self._types.annotation(Place(member.path, written.scope), written.annotation, environment), "attribute")
        key = ("assigned", member.path, member.owner, member.definition, member.bindings[0].name if member.bindings else member.writes[0].target.name)
        found = self._memory.remember(member.path, key, UNKNOWN, self._assigned, member)
        return self.filled(found, receiver)

    def _method(self, outline: Outline, member: Member, index: int, receiver: Value | None, environment: Environment | None) -> Flow:
        if index == member.definition and not member.added:
            index = self._declarations.body_of(member.path, index)
        flags = outline.definitions[index].flags
        function = Function(member.path, index, receiver)
        if "property" in flags:
            return through(self._follow.returned(function, environment), "attribute")
        return one(function, "local") if "setter" not in flags else UNKNOWN

    def _assigned(self, member: Member) -> Flow:
        place = Place(member.path, member.scope)
        flows = [self._follow.binding(place, b) for b in member.bindings if b.value is not None or b.kind == "definition"]
        for write in member.writes:
            flows.append(self._follow.expression(Place(member.path, write.scope), write.value) if write.value is not None else UNKNOWN)
        return through(union(flows or [UNKNOWN]), "attribute")

    def filled(self, flow: Flow, receiver: Value | None) -> Flow:
        """A value that a class says of itself, seen from an object of it: `this` is that object."""
        if receiver is None or not any(isinstance(value, This | Function) for value in flow.values):
            return flow
        values: list[Value] = []
        for value in flow.values:
            if isinstance(value, Function) and isinstance(value.receiver, This):
                value = Function(value.path, value.index, receiver)
            values.append(receiver if isinstance(value, This) else value)
        return Flow(tuple(values), flow.is_certain, flow.reason)


def _is_static(outline: Outline, binding: Binding) -> bool:
    return binding.target >= 0 and binding.kind in ("definition", "assignment") and "static" in outline.definitions[binding.target].flags


def _dotted(expression: Expression) -> str:
    names: list[str] = []
    while expression.kind == "attribute":
        names.append(expression.name)
        expression = expression.parts[0]
    return ".".join([expression.name, *reversed(names)]) if expression.kind == "name" else ""
