"""What other files can see of a file, as one hash: while it stays the same, nothing that was resolved elsewhere can come out otherwise.

It covers declarations (with parameters, annotations, bases, decorators), bindings of the module and of classes with their values,
attributes that methods assign, imports, exports, which parameters are called, and what functions return, together with the local
names that a returned or assigned expression goes through. It leaves out other calls, other local names, and where things stand: only the
order of things counts.
"""

from __future__ import annotations

from hashlib import blake2b

import msgspec

from analyzers.facts import Access, Binding, Definition, Expression, FileFacts, Import

_OPEN_SCOPES = frozenset({"module", "class"})
_ENCODER = msgspec.msgpack.Encoder()


def interface_hash(facts: FileFacts) -> str:
    """32 hexadecimal digits."""
    interface = _Interface(facts)
    interface.read()
    return interface.digest()


class _Interface:
    """What is seen, as texts, and apart from them the places whose order counts."""

    def __init__(self, facts: FileFacts) -> None:
        self.facts = facts
        self.texts: list[str] = []
        self.places: list[int] = []
        self.is_open = [scope.kind in _OPEN_SCOPES for scope in facts.scopes]
        self.owners = [f"{scope.kind} {facts.definitions[scope.definition].qualified_name}" for scope in facts.scopes]
        self.local: dict[tuple[int, str], list[Binding]] = {}
        self.met: list[list[Binding]] = []
        """Bindings of local names that what was read goes through, not read yet."""

    def digest(self) -> str:
        rank = {place: index for index, place in enumerate(sorted(set(self.places)))}
        order = [rank[place] for place in self.places]
        return blake2b(_ENCODER.encode((self.texts, order)), digest_size=16).hexdigest()

    def read(self) -> None:
        facts = self.facts
        for definition in facts.definitions:
            self.definition(definition)
        outer_names = {(b.scope, b.name) for b in facts.bindings if b.kind == "global" or b.kind == "nonlocal"}
        for binding in facts.bindings:
            place = (binding.scope, binding.name)
            if self.is_open[binding.scope] or place in outer_names:
                self.binding(binding)
            else:
                self.local.setdefault(place, []).append(binding)
        for access in facts.accesses:
            if access.is_write:
                self.write(access)
        for found in facts.returns:
            if found.kind != "raise" and found.value is not None:
                self.texts += (found.kind, self.owners[found.scope])
                self.places.append(found.span.start)
                self.expression(found.value, found.scope)
        for imported in facts.imports:
            if self.is_open[imported.scope]:
                self.imported(imported)
        for exported in facts.exports:
            self.texts += ("export", exported.name, exported.local, exported.module, "type" if exported.is_type_only else "")
        for row in facts.parameter_calls:
            names = (facts.definitions[index].qualified_name for index in (row.definition, row.caller))
            self.texts += ("calls parameter", *names, str(row.parameter))
        self.texts += ("all", *(("*",) if facts.all_names is None else facts.all_names))
        while self.met:
            for binding in self.met.pop():
                self.binding(binding)

    def definition(self, found: Definition) -> None:
        self.texts += ("definition", found.kind, found.qualified_name, str(found.ordinal), found.returns, *found.flags)
        for parameter in found.parameters:
            self.texts += (parameter.kind, parameter.name, parameter.default, parameter.annotation)
        for expression in (*found.bases, *found.decorators):
            self.expression(expression, found.scope)
        if found.value is not None and self.is_open[found.scope]:
            self.expression(found.value, found.scope)

    def binding(self, found: Binding) -> None:
        self.texts += (found.kind, self.owners[found.scope], found.name, found.annotation, *found.path)
        self.places += (found.start, found.until)
        if found.kind == "import":
            self.imported(self.facts.imports[found.target])
        elif found.value is not None:
            self.expression(found.value, found.scope)

    def imported(self, found: Import) -> None:
        self.texts += ("import", found.module, found.name, found.alias, str(found.level), *found.flags)

    def write(self, found: Access) -> None:
        """An assigned attribute: of `self`, or of anything while the module or a class body runs."""
        target = found.target
        if self.is_open[found.scope] or (target.kind == "attribute" and target.parts and target.parts[0].kind == "name"):
            self.texts += ("write", self.owners[found.scope], found.annotation)
            self.places.append(found.span.start)
            self.expression(target, found.scope)
            if found.value is not None:
                self.expression(found.value, found.scope)

    def expression(self, whole: Expression, scope: int) -> None:
        """The expression; what the names in it are bound to inside of functions is read later."""
        texts, is_local = self.texts, not self.is_open[scope]
        pending = [whole]
        while pending:
            found = pending.pop()
            texts += (found.kind, found.name, found.text)
            if found.keywords:
                texts += found.keywords
            if found.parts:
                texts.append(str(len(found.parts)))
                pending += found.parts
            elif found.kind == "name":
                self.places.append(found.start)
                if is_local:
                    self.local_name(found.name, scope)
            if found.scope >= 0:
                texts.append(self.owners[found.scope])

    def local_name(self, name: str, scope: int) -> None:
        """Note the bindings of a name inside of a function, the first time that it is met."""
        scopes = self.facts.scopes
        while scope >= 0 and not self.is_open[scope]:
            place = (scope, name)
            if place in self.local:
                if bindings := self.local[place]:
                    self.met.append(bindings)
                    self.local[place] = []
                return
            scope = scopes[scope].parent
