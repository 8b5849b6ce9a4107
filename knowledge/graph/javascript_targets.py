"""Which symbols a call means in JavaScript: the declaration that its callee names, and what runs where the two differ.

A call through a constant or a member that is not a function by itself (`const parse = makeParser(…)`, a field that holds a function) is a call of
that symbol: it is what a reader finds under the name. What is known to run behind it is said once, of the symbol (`behind`), and is inferred.
"""

from __future__ import annotations

from typing import NamedTuple

from analyzers.facts import Call, Definition, Expression
from knowledge.graph.guesses import Guesses
from knowledge.graph.javascript_annotations import read_type
from knowledge.graph.javascript_declarations import OBJECT_TYPES
from knowledge.graph.javascript_flow import JavaScriptFlow
from knowledge.graph.javascript_names import Home
from knowledge.graph.javascript_outside import has_member
from knowledge.graph.javascript_values import RUNTIME, Described, Parameter, Written
from knowledge.graph.outline import FUNCTION_KINDS, MODULE_SCOPE, Outline
from knowledge.graph.reads import View
from knowledge.graph.resolution import RIVALS, EdgeWriter, Target, targets_of
from knowledge.graph.source import Candidate
from knowledge.graph.values import Class, External, Flow, Foreign, ForeignMethod, Function, Instance, Lambda, Module, Place, Super, Value
from knowledge.records.identifiers import SymbolId

_LEADING = frozenset({"call", "name", "attribute", "conditional", "subscript", "await"})
"""Kinds of expression that may lead to a function that stands elsewhere."""
_VARIABLES = frozenset({"constant", "variable", "property"})


class Declared(NamedTuple):
    """A declaration that an expression names. is_near: of the same file, by its bare name."""

    path: bytes
    definition: int
    is_certain: bool
    reason: str
    is_near: bool = False


def _without_lambdas(flow: Flow) -> Flow:
    if not any(isinstance(value, Lambda) for value in flow.values):
        return flow
    return Flow(tuple(value for value in flow.values if not isinstance(value, Lambda)), False, flow.reason)


class Targets:
    """Targets of the calls of one file."""

    def __init__(self, flow: JavaScriptFlow, view: View, writer: EdgeWriter, outline: Outline) -> None:
        self._flow = flow
        self._guesses = Guesses(view, flow.classes.is_subclass, self.is_method)
        self._writer = writer
        self._outline = outline
        self._path = writer.path
        self._exported = {export.local for export in outline.exports}
        self._by_name: dict[tuple[int, str], list[Target]] = {}
        self._by_module: dict[tuple[bytes, str], list[Target]] = {}

    def of_call(self, call: Call, place: Place, callee: Expression) -> list[Target]:
        """The targets of a call, best first."""
        if callee.kind == "name":
            key = (place.scope, callee.name)
            known = self._by_name.get(key)
            if known is None:
                known = self._find(call, place, callee)
                if known and self._flow.names.is_settled(place.scope, callee.name):
                    self._by_name[key] = known
            return known
        if callee.kind == "attribute":
            owner = self._flow.expression(place, callee.parts[0])
            if len(owner.values) == 1 and owner.is_certain and isinstance(owner.values[0], Module):
                module = (owner.values[0].path, callee.name)
                known = self._by_module.get(module)
                if known is None:
                    known = self._find(call, place, callee)
                    if known:
                        self._by_module[module] = known
                return known
        return self._find(call, place, callee)

    def _find(self, call: Call, place: Place, callee: Expression) -> list[Target]:
        flow = self._flow.expression(place, callee)
        # A function without a name that is a member is not all of what it belongs to.
        runs = self._runs(flow if callee.kind == "name" else _without_lambdas(flow))
        if callee.kind in ("name", "attribute"):
            named = self._variables(place, callee)
            if named and not self._is_meant(named, runs):
                return self._named(named)
        if runs or flow.is_certain or any(isinstance(v, External | Foreign | ForeignMethod | Lambda) for v in flow.values):
            return runs
        return self._guess(place, callee, call)

    def behind(self, definition: Definition) -> list[Target]:
        """What runs where a constant or a field is called: the functions that its value may be."""
        value = definition.value
        if definition.kind not in _VARIABLES or value is None or value.kind not in _LEADING:
            return []
        if self._outline.language == "javascript" and definition.parent == 0 and definition.name not in self._exported:
            # Its calls are all in this file, and say themselves what runs.
            return []
        flow = self._flow.expression(Place(self._path, definition.scope), value)
        if not any(isinstance(found, Function | Lambda) for found in flow.values):
            return []
        return [Target(t.symbol, "inferred", "alias", t.rivals) for t in self._runs(flow) if t.symbol.path]

    def _is_meant(self, named: list[Declared], runs: list[Target]) -> bool:
        """Whether what runs is meant rather than the constant that is named: in plain JavaScript, where it is known beside it."""
        return bool(runs) and named[0].is_near and self._outline.language == "javascript"

    def _named(self, rows: list[Declared]) -> list[Target]:
        symbols = {(row.path, row.definition): self._writer.symbol(row.path, row.definition) for row in rows}
        is_resolved = len(symbols) == 1 and all(row.is_certain for row in rows)
        reason = rows[0].reason if len(symbols) == 1 else "branch"
        return [Target(s, "resolved" if is_resolved else "inferred", reason, len(symbols) - 1) for s in list(symbols.values())[:RIVALS]]

    def _runs(self, flow: Flow) -> list[Target]:
        """The functions and classes that a callee may be."""
        if len(flow.values) == 1 and flow.is_certain and isinstance(flow.values[0], Function | Class):
            only = flow.values[0]
            return [Target(self._writer.symbol(only.path, only.index), "resolved", flow.reason or "local")]
        values: list[Value] = []
        is_certain = flow.is_certain
        for value in flow.values:
            if isinstance(value, Super):
                values += [Class(above.path, above.definition) for above in self._flow.classes.order(value.path, value.index)[1:2] if above.path]
            elif isinstance(value, Function | Class) or (isinstance(value, External) and value.package != RUNTIME):
                values.append(value)
            elif isinstance(value, ForeignMethod) and value.owner.name == "Function" and value.name in ("call", "apply"):
                values += [v for _, bound in value.owner.items for v in bound.values if isinstance(v, Function | Class)]
                is_certain = False
            elif isinstance(value, Lambda):
                owner = self._owner_of(value)
                values += [Function(value.path, owner)] if owner > 0 else []
                is_certain = False
            elif isinstance(value, ForeignMethod | External):
                # Another type of the same union has such a member outside of the tree: that one may be what runs.
                is_certain = False
        return targets_of(Flow(tuple(values), is_certain, flow.reason), self._flow.tree) if values else []

    def _owner_of(self, value: Lambda) -> int:
        """The constant or variable in whose value an anonymous function stands; 0: none."""
        outline = self._flow.tree.outline(value.path)
        index = outline.scopes[value.scope].definition if outline is not None else 0
        return index if outline is not None and index > 0 and outline.definitions[index].kind in _VARIABLES else 0

    # ── what a name declares ──

    def _variables(self, place: Place, callee: Expression) -> list[Declared]:
        """The constants, variables and fields that an expression names; nothing where it names anything else too."""
        found = self.declared(place, callee)
        tree = self._flow.tree
        for row in found:
            outline = tree.outline(row.path)
            if outline is None or outline.definitions[row.definition].kind not in _VARIABLES:
                return []
        return found

    def declared(self, place: Place, expression: Expression) -> list[Declared]:
        """The declarations that a name or member access names."""
        if expression.kind == "name":
            found = self._of_name(place, expression.name)
            return [found] if found is not None else []
        if expression.kind != "attribute":
            return []
        owner = self._flow.expression(place, expression.parts[0])
        rows = []
        for value in owner.values:
            found = self.member_of(value, expression.name, owner)
            if found is not None:
                rows.append(found)
            elif has_member(value, expression.name):
                rows = [row._replace(is_certain=False) for row in rows]
        return rows

    def _of_name(self, place: Place, name: str) -> Declared | None:
        found = self._flow.names.find(place, name, False)
        if found is None:
            return None
        last = found.bindings[-1]
        is_near = place.path == self._path
        outline = self._flow.names.named(place.path, name) if not is_near else self._outline
        if outline is None:
            return None
        if last.kind == "import":
            home = self._flow.names.imported(place.path, outline.imports[last.target])
            return self.of_home(home, "import") if home is not None else None
        if last.kind == "definition":
            return Declared(place.path, self._flow.declarations.body_of(place.path, last.target), True, "local", is_near)
        if found.scope != MODULE_SCOPE:
            return None
        same = self._flow.declarations.named(place.path, 0, name)
        return Declared(place.path, same[-1], True, "local", is_near) if same else None

    def of_home(self, home: Home, reason: str) -> Declared | None:
        """The declaration at a home, as a value."""
        if home.value is not None:
            return None
        outline = self._flow.names.named(home.path, home.name)
        if outline is None:
            return None
        same = [i for i in self._flow.declarations.named(home.path, 0, home.name) if outline.definitions[i].scope == MODULE_SCOPE]
        values = [i for i in same if outline.definitions[i].kind not in ("interface", "type")] or same
        if not values:
            return None
        index = values[-1]
        if outline.definitions[index].kind in FUNCTION_KINDS:
            index = self._flow.declarations.body_of(home.path, index)
        return Declared(home.path, index, True, reason)

    def member_of(self, value: Value, name: str, owner: Flow) -> Declared | None:
        """The declaration of a member of a value."""
        reason = owner.reason or "attribute"
        if isinstance(value, Module):
            home = self._flow.names.exported(value.path, name)
            found = self.of_home(home, "import") if home is not None else None
            return found._replace(is_certain=owner.is_certain) if found is not None else None
        if isinstance(value, Instance | Class):
            return self._of_class(value, name, owner, reason)
        if isinstance(value, Super):
            row = self._flow.classes.find(value.path, value.index, name, isinstance(value.receiver, Class), 1)
            member = row.member if row is not None else None
            return Declared(member.path, member.definition, True, "super") if member is not None and member.definition >= 0 else None
        if isinstance(value, Parameter):
            return self._of_parameter(value, name)
        if isinstance(value, Written):
            return self._of_written(value, name, owner)
        if isinstance(value, Described) and value.annotation.kind == "intersection":
            return self._of_intersection(value, name, owner)
        return None

    def _of_parameter(self, value: Parameter, name: str) -> Declared | None:
        memory, bound = self._flow.memory, self._flow.types.bound(value)
        if len(bound.values) != 1 or not memory.enter():
            return None
        found = self.member_of(bound.values[0], name, bound)
        memory.depth -= 1
        return found

    def _of_written(self, value: Written, name: str, owner: Flow) -> Declared | None:
        """What the value of an object literal's key names: `{ open }`, `{ open: disk.open }`, `{ ...disk }`."""
        memory = self._flow.memory
        if value.name == "Array" or not memory.enter():
            return None
        found, is_certain = None, owner.is_certain
        for key, part in reversed(tuple(zip(value.expression.keywords, value.expression.parts, strict=False))):
            if key == name:
                rows = self.declared(value.place, part)
                found = rows[0]._replace(is_certain=is_certain and rows[0].is_certain, reason="container") if len(rows) == 1 else None
                break
            if not key:
                # What is spread or computed behind it may be of the same name.
                is_certain = False
            if part.kind == "spread" and part.parts:
                flow = self._flow.expression(value.place, part.parts[0])
                found = self.member_of(flow.values[0], name, flow) if len(flow.values) == 1 else None
                if found is not None or not flow.values:
                    break
        memory.depth -= 1
        return found

    def _of_intersection(self, value: Described, name: str, owner: Flow) -> Declared | None:
        memory = self._flow.memory
        if not memory.enter():
            return None
        found = None
        for part in value.annotation.arguments:
            for inner in self._flow.types.flow(value.place, part, value.environment).values:
                found = found or self.member_of(inner, name, owner)
        memory.depth -= 1
        return found

    def _of_class(self, value: Instance | Class, name: str, owner: Flow, reason: str) -> Declared | None:
        outline = self._flow.tree.outline(value.path)
        if outline is None:
            return None
        if isinstance(value, Class) and outline.definitions[value.index].kind in ("namespace", "enum"):
            for sibling in self._flow.declarations.siblings(value.path, value.index):
                same = self._flow.declarations.named(value.path, sibling, name)
                if same:
                    self._flow.declarations.get(value.path, sibling)
                    return Declared(value.path, same[-1], owner.is_certain, reason)
            return None
        row = self._flow.classes.find(value.path, value.index, name, isinstance(value, Class))
        member = row.member if row is not None else None
        if row is None or member is None or member.definition < 0:
            return None
        return Declared(member.path, member.definition, owner.is_certain and row.is_certain, reason)

    # ── elements and guesses ──

    def is_method(self, candidate: Candidate) -> bool:
        """Whether a definition somewhere may be called on an object: a method, or a property of a type that holds a function."""
        if candidate.kind not in ("method", "variable"):
            return False
        definition = self._flow.declarations.get(candidate.path, candidate.index)
        outline = self._flow.tree.outline(candidate.path)
        if definition is None or outline is None or outline.definitions[definition.parent].kind not in OBJECT_TYPES:
            return False
        if candidate.kind == "variable":
            return read_type(definition.returns).kind == "function" if definition.returns else False
        return self._flow.declarations.body_of(candidate.path, candidate.index) == candidate.index

    def of_element(self, call: Call, place: Place) -> list[Target]:
        """The component that a JSX element calls."""
        expression: Expression | None = None
        for name in call.expression.name.split("."):
            start = call.name_span.start
            expression = Expression("name", name, (), (), "", -1, start) if expression is None else Expression("attribute", name, (expression,))
        if expression is None:
            return []
        runs = self._runs(self._flow.expression(place, expression))
        named = self._variables(place, expression)
        return self._named(named) if named and not self._is_meant(named, runs) else runs

    def _guess(self, place: Place, callee: Expression, call: Call) -> list[Target]:
        row = call.name_span.row
        if callee.kind == "attribute":
            owner = self._flow.expression(place, callee.parts[0])
            if owner.values and all(isinstance(v, External | Foreign | ForeignMethod | Module) and not isinstance(v, Written) for v in owner.values):
                self._writer.limit("unknown-member", row)
                return []
            targets, code = self._guesses.method(callee.name, callee.parts[0].name)
            self._writer.limit(code or ("too-many-candidates" if len(targets) > 1 else "unknown-receiver"), row)
            # Objects without a class are many here, and so are the types that describe them: of several most would be wrong.
            return targets if len(targets) == 1 else []
        if callee.kind == "name":
            is_declared = self._flow.names.find(place, callee.name, False) is not None
            self._writer.limit("unknown-callee" if is_declared else "undeclared-name", row)
            # A script without imports shares its names with the other scripts of its page.
            return [] if is_declared or self._outline.imports or self._outline.exports else self._guesses.function(callee.name)
        self._writer.limit("computed-callee", row)
        return []

    # ── callbacks ──

    def _may_be_function(self, place: Place, argument: Expression) -> bool:
        """Whether an argument is a name, or a member of `this`, of a module or of a class: what else is passed is seldom a function."""
        if argument.kind == "name":
            return True
        owner = argument.parts[0]
        if owner.kind != "name" or owner.name == "this":
            return owner.kind == "name"
        found = self._flow.names.find(place, owner.name, False)
        return found is not None and found.bindings[-1].kind in ("import", "definition")

    def callbacks(self, call: Call, place: Place, callee: Expression) -> list[tuple[Expression, SymbolId]]:
        """The functions that a call passes to something outside, which is likely to run them."""
        arguments = [part for part in call.expression.parts[1:] if part.kind in ("name", "attribute") and self._may_be_function(place, part)]
        if not arguments:
            return []
        flow = self._flow.expression(place, callee)
        if not flow.values or not all(isinstance(value, External | ForeignMethod) for value in flow.values):
            return []
        found = []
        for argument in arguments:
            given = self._flow.expression(place, argument)
            if len(given.values) == 1 and isinstance(given.values[0], Function):
                function = given.values[0]
                found.append((argument, self._writer.symbol(function.path, function.index)))
        return found
