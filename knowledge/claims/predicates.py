"""Predicates: statements that the analyzers can decide in any tree.

One decider a relation, in the table RELATIONS. A decision is True, False (with the place that shows it) or None: cannot be told, and then the
claim's anchors obey their own rule. "Not found" is False only where the analysis could have seen it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from analyzers.facts import Definition, Expression
from knowledge.claims import sets
from knowledge.claims.locating import Place, definition_of, locate, locate_file
from knowledge.claims.view import FactsView, TreeView
from knowledge.errors import InvalidRecordError
from knowledge.records.claims import AnchorKind, Predicate
from knowledge.records.identifiers import SymbolId, read_symbol, show_path


@dataclass(frozen=True, slots=True)
class Decision:
    """holds None: cannot be decided; `detail` says what was seen or why not, `place` where."""

    holds: bool | None
    detail: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class Relation:
    """How a relation is decided, and the kind of anchor that says the very same."""

    decide: Callable[[Predicate, SymbolId, FactsView | None, TreeView], Decision]
    anchor: AnchorKind


def decide(predicate: Predicate, then: FactsView | None, now: TreeView) -> Decision:
    """Whether the predicate holds in `now`; its symbols are named as in `then`. Raises InvalidRecordError for an unknown relation."""
    relation = RELATIONS.get(predicate.relation)
    if relation is None:
        raise InvalidRecordError(f"there is no relation {predicate.relation!r}", suggestions=tuple(RELATIONS))
    place = _place(predicate.subject, then, now)
    if place.state == "gone" and predicate.relation not in ("imported_only_by",):
        return Decision(None, f"{predicate.subject} is gone. {place.hint}".strip())
    if place.state in ("two_homes", "unreadable"):
        return Decision(None, place.hint)
    definition = definition_of(now, place.symbol)
    if definition is not None and "error" in definition.flags:
        return Decision(None, f"{place.symbol} overlaps a syntax error")
    found = relation.decide(predicate, place.symbol, then, now)
    if predicate.is_negated and found.holds is not None:
        return Decision(not found.holds, found.detail, found.place)
    return found


def _place(text: str, then: FactsView | None, now: TreeView) -> Place:
    symbol = read_symbol(text)
    return locate(symbol, then, now) if symbol.qualified_name or symbol.is_external else locate_file(symbol.path, then, now)


def _line(definition: Definition, symbol: SymbolId) -> str:
    return f"{show_path(symbol.path)}:{definition.span.row + 1}"


def _edge(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView, name: str) -> Decision:
    target = _place(predicate.object, then, now)
    if target.state in ("two_homes", "unreadable"):
        return Decision(None, target.hint)
    wanted = target.symbol
    edges = [e for e in now.edges_from(subject, name) if _same(e.object, wanted)]
    resolved = next((e for e in edges if e.confidence_kind == "resolved"), None)
    if resolved is not None:
        return Decision(True, f"{subject} {name} {wanted}", f"{show_path(subject.path)}:{resolved.row + 1}")
    if edges:
        return Decision(None, f"{name} {wanted} is only inferred ({edges[0].reason})")
    facts = now.facts(subject.path)
    if facts is None:
        return Decision(None, now.skipped(subject.path) or "no facts")
    if target.state == "gone" or not _speaks_of(subject, wanted.name, now):
        return Decision(False, f"no {name} edge to {wanted}: {subject} does not mention {wanted.name}", _definition_place(subject, now))
    return Decision(None, f"no {name} edge to {wanted} was found, but {subject} mentions {wanted.name}, or what it is called there")


def _definition_place(subject: SymbolId, now: TreeView) -> str:
    definition = definition_of(now, subject)
    return _line(definition, subject) if definition is not None else show_path(subject.path)


def _speaks_of(subject: SymbolId, name: str, now: TreeView) -> bool:
    """Whether the subject's own text has the name, or another that its file gives it."""
    facts, definition, content = now.facts(subject.path), definition_of(now, subject), now.text(subject.path)
    if facts is None or content is None:
        return True
    text = content[definition.span.start : definition.span.end] if definition is not None else content
    names = {name} | {i.alias for i in facts.imports if i.name == name and i.alias}
    names |= {b.name for b in facts.bindings if b.value is not None and b.value.kind in ("name", "attribute") and b.value.name == name}
    return any(re.search(rb"(?<![\w$])%s(?![\w$])" % re.escape(n.encode()), text) for n in names)


def _same(one: SymbolId, other: SymbolId) -> bool:
    return (one.path, one.qualified_name, one.package) == (other.path, other.qualified_name, other.package)


def _calls(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    return _edge(predicate, subject, then, now, "calls")


def _imports(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    target = _place(predicate.object, then, now)
    facts = now.facts(subject.path)
    if facts is None or target.state == "two_homes":
        return Decision(None, now.skipped(subject.path) or target.hint)
    found = [e for e in now.edges_from(subject, "imports") if e.object.path == target.symbol.path and e.object.package == target.symbol.package]
    if found:
        is_sure = any(e.confidence_kind == "resolved" for e in found)
        return Decision(True if is_sure else None, f"imports {target.symbol}", f"{show_path(subject.path)}:{found[0].row + 1}")
    if facts.has_error:
        return Decision(None, "does not parse")
    return Decision(False, f"{show_path(subject.path)} has no import of {target.symbol}", show_path(subject.path))


def _inherits(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    definition = definition_of(now, subject)
    if definition is None:
        return Decision(None, "no definition")
    wanted = read_symbol(predicate.object) if "::" in predicate.object else None
    place = locate(wanted, then, now) if wanted is not None else None
    objects = [e.object for e in now.edges_from(subject, "implements") if e.confidence_kind == "resolved"]
    named = [spell(b) for b in definition.bases]
    holds = (place is not None and any(_same(o, place.symbol) for o in objects)) or predicate.object in named
    return Decision(holds, f"bases are ({', '.join(named)})", _line(definition, subject))


def spell(expression: Expression) -> str:
    """A dotted name as written (`a.b`), `a[b]`; "…" where the expression is neither."""
    if expression.kind == "name":
        return expression.name
    if expression.kind == "attribute" and expression.parts:
        return f"{spell(expression.parts[0])}.{expression.name}"
    if expression.kind == "subscript" and expression.parts:
        return f"{spell(expression.parts[0])}[{', '.join(spell(p) for p in expression.parts[1:])}]"
    if expression.kind == "call" and expression.parts:
        return f"{spell(expression.parts[0])}(…)"
    return expression.text or "…"


def _set(question: str) -> Callable[[Predicate, SymbolId, FactsView | None, TreeView], Decision]:
    def decide_set(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
        scope = {"package": predicate.value} if predicate.value else {"package": now.package_of(subject.path)} if subject.path else {}
        answer = sets.ask(question, subject, scope, now)
        members = sets.canonical(answer.resolved, predicate.members, then, now)
        extra = sorted(set(members) - set(predicate.members))
        missing = sorted(set(predicate.members) - set(members))
        if extra:
            edge = next((e for e in answer.edges if str(e.subject) == extra[0] or show_path(e.subject.path) == extra[0]), None)
            place = f"{show_path(edge.subject.path)}:{edge.row + 1}" if edge else ""
            return Decision(False, f"also {', '.join(extra[:4])}", place)
        if missing:
            inferred = {str(m) for m in answer.inferred}
            if set(missing) <= inferred:
                return Decision(None, f"{', '.join(missing[:4])} only inferred")
            return Decision(False, f"no longer {', '.join(missing[:4])}")
        if answer.inferred or answer.unseen:
            return Decision(None, "inferred members or unreadable files in scope")
        return Decision(True, f"{len(members)} members")

    return decide_set


def parameters_text(definition: Definition) -> str:
    """The parameters without annotations, as in `(self, obj, type=None)`."""
    parts: list[str] = []
    is_keyword_only = has_variadic = False
    for index, parameter in enumerate(definition.parameters):
        if parameter.kind == "type":
            continue
        if parameter.kind == "keyword_only" and not is_keyword_only and not has_variadic:
            parts.append("*")
        is_keyword_only = is_keyword_only or parameter.kind == "keyword_only"
        has_variadic = has_variadic or parameter.kind == "variadic"
        star = {"variadic": "*", "keyword_variadic": "**"}.get(parameter.kind, "")
        parts.append(star + parameter.name + (f"={parameter.default}" if parameter.default else ""))
        following = definition.parameters[index + 1 :]
        if parameter.kind == "positional_only" and not any(p.kind == "positional_only" for p in following):
            parts.append("/")
    return f"({', '.join(parts)})"


def squeeze(text: str) -> str:
    """Without blanks outside of strings and with one kind of quote, so that two spellings of one text compare equal."""
    pieces = re.split(r"(\"[^\"\\]*\"|'[^'\\]*')", text)
    return "".join(f"'{p[1:-1]}'" if i % 2 else re.sub(r"\s+", "", p) for i, p in enumerate(pieces))


def _signature(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    definition = definition_of(now, subject)
    if definition is None:
        return Decision(None, "no definition")
    found = parameters_text(definition)
    return Decision(squeeze(found) == squeeze(predicate.value), f"the signature is {found}", _line(definition, subject))


def _returns_type(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    definition = definition_of(now, subject)
    if definition is None:
        return Decision(None, "no definition")
    found = definition.returns
    holds = squeeze(found.strip("'\"")) == squeeze(predicate.value.strip("'\""))
    return Decision(holds, f"declared to return {found or 'nothing'}", _line(definition, subject))


def _value(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    key = f"{subject.qualified_name}({predicate.object})" if predicate.relation == "default" else predicate.object or subject.qualified_name
    facts = now.facts(subject.path)
    if facts is None:
        return Decision(None, now.skipped(subject.path) or "no facts")
    found = [v for v in facts.values if v.key == key]
    if not found:
        return Decision(None if facts.has_error else False, f"{key} has no value", show_path(subject.path))
    if len(found) > 1:
        return Decision(None, f"{key} is assigned {len(found)} times")
    holds = squeeze(found[0].text) == squeeze(predicate.value)
    return Decision(holds, f"{key} is {found[0].text[:80]}", f"{show_path(subject.path)}:{found[0].span.row + 1}")


def _own_returns(now: TreeView, subject: SymbolId, kind: str) -> Sequence[tuple[Expression | None, int]] | None:
    """The returned (or raised) expressions of the function itself, nested functions aside, with their rows."""
    facts, definition = now.facts(subject.path), definition_of(now, subject)
    if facts is None or definition is None:
        return None
    owner = facts.definitions.index(definition)
    return [(r.value, r.span.row) for r in facts.returns if r.kind == kind and facts.scopes[r.scope].definition == owner]


def _raises(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    found = _own_returns(now, subject, "raise")
    if found is None:
        return Decision(None, "no definition")
    for value, row in found:
        raised = value.parts[0] if value is not None and value.kind in ("call", "new") and value.parts else value
        if raised is not None and spell(raised) == predicate.object:
            return Decision(True, f"raises {predicate.object}", f"{show_path(subject.path)}:{row + 1}")
    return Decision(False, f"{subject} raises no {predicate.object} itself", show_path(subject.path))


def _never_returns_value(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    found, yields = _own_returns(now, subject, "return"), _own_returns(now, subject, "yield")
    if found is None:
        return Decision(None, "no definition")
    for value, row in [*found, *(yields or ())]:
        if value is not None and not (value.kind == "literal" and value.name == "none"):
            return Decision(False, "returns a value", f"{show_path(subject.path)}:{row + 1}")
    return Decision(True, "no return of a value")


def _defined_in(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    is_here = show_path(subject.path) == predicate.object
    return Decision(is_here, f"{subject.qualified_name} is defined in {show_path(subject.path)}", show_path(subject.path))


RELATIONS: dict[str, Relation] = {
    "calls": Relation(_calls, "edge"),
    "tests": Relation(_calls, "edge"),
    "imports": Relation(_imports, "edge"),
    "inherits": Relation(_inherits, "signature"),
    "called_only_by": Relation(_set("callers"), "set"),
    "subclasses_exactly": Relation(_set("subclasses"), "set"),
    "imported_only_by": Relation(_set("importers"), "set"),
    "signature": Relation(_signature, "signature"),
    "returns_type": Relation(_returns_type, "signature"),
    "value": Relation(_value, "value"),
    "default": Relation(_value, "value"),
    "raises": Relation(_raises, "body"),
    "never_returns_value": Relation(_never_returns_value, "body"),
    "defined_in": Relation(_defined_in, "location"),
}
"""Every relation a predicate may have."""
