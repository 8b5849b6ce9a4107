"""Predicates: statements that the analyzers can decide in any tree.

One decider a relation, in the table RELATIONS. A decision is True, False (with the place that shows it) or None: cannot be told, and then the
claim's anchors obey their own rule. "Not found" is False only where the analysis could have seen it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from analyzers.facts import Definition, Expression, FileFacts
from analyzers.registry import language_of
from knowledge.claims import sets
from knowledge.claims.locating import Place, definition_of, digests_of, indexes_of, locate, locate_file
from knowledge.claims.masking import mask_value
from knowledge.claims.membership import covers, edges_of, is_module_of, is_written_for, now_called, spells, within
from knowledge.claims.spelling import (
    STRICTNESS,
    compare_signature,
    is_plain,
    is_same_type,
    is_same_value,
    names_the_same,
    read_signature,
    signature_of,
    signature_text,
    spell,
)
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
    place = _place_of_subject(predicate, then, now)
    was_there = then is not None and then.has_path(place.symbol.path)
    if place.state == "gone" and (place.symbol.qualified_name or predicate.relation != "imported_only_by" or was_there):
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


def twin_kind(predicate: Predicate) -> AnchorKind:
    """The kind of the anchor that says the very same: of a base class that was found it is the edge, of one that is only named the header."""
    is_found = predicate.relation == "inherits" and "::" in predicate.object
    return "edge" if is_found else RELATIONS[predicate.relation].anchor


def _place(text: str, then: FactsView | None, now: TreeView) -> Place:
    symbol = read_symbol(text)
    return locate(symbol, then, now) if symbol.qualified_name or symbol.is_external else locate_file(symbol.path, then, now)


def _place_of_subject(predicate: Predicate, then: FactsView | None, now: TreeView) -> Place:
    """Where the subject stands; the key of a data file goes where its file goes, for no definition bears its name."""
    symbol = read_symbol(predicate.subject)
    if predicate.relation != "value" or not symbol.path or indexes_of(then or now, symbol):
        return _place(predicate.subject, then, now)
    file = locate_file(symbol.path, then, now)
    return replace(file, symbol=SymbolId(file.symbol.path, symbol.qualified_name))


def _line(definition: Definition, symbol: SymbolId) -> str:
    return f"{show_path(symbol.path)}:{definition.span.row + 1}"


def _same(one: SymbolId, other: SymbolId) -> bool:
    return (one.path, one.qualified_name, one.package) == (other.path, other.qualified_name, other.package)


def _calls(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    """A call in the body of the subject, or of what is defined inside of it."""
    target = _place(predicate.object, then, now)
    if target.state in ("two_homes", "unreadable"):
        return Decision(None, target.hint)
    wanted = target.symbol
    edges = [e for s in within(subject, now) for e in now.edges_from(s, "calls") if _same(e.object, wanted)]
    proof = sets.Proof(now)
    proved = next((e for e in edges if proof.is_proved(e)), None)
    if proved is not None:
        return Decision(True, f"{subject} calls {wanted}", f"{show_path(subject.path)}:{proved.row + 1}")
    if edges:
        return Decision(None, f"calls {wanted} is only inferred, or under another name ({edges[0].reason})")
    if now.facts(subject.path) is None:
        return Decision(None, now.skipped(subject.path) or "no facts")
    if target.state == "gone":
        return Decision(False, f"{wanted} is gone", show_path(subject.path))
    if spells(wanted, subject, now):
        return Decision(None, f"no call of {wanted} was found, but {subject} names something {wanted.name}")
    return Decision(False, f"{subject} has no call of {wanted.name}", show_path(subject.path))


def _tests(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    """A call in the test, or in what decorates it: the inputs that it is run with are made there."""
    found = _calls(predicate, subject, then, now)
    facts = now.facts(subject.path)
    if found.holds or facts is None:
        return found
    wanted, proof = _place(predicate.object, then, now).symbol, sets.Proof(now)
    for test in _definitions(subject, now):
        around = SymbolId(subject.path, facts.definitions[test.parent].qualified_name, facts.definitions[test.parent].ordinal)
        for edge in now.edges_from(around, "calls"):
            if test.span.start <= edge.start < test.name_span.start and _same(edge.object, wanted) and proof.is_proved(edge):
                return Decision(True, f"what {subject} is run with calls {wanted}", f"{show_path(subject.path)}:{edge.row + 1}")
    return found


def _imports(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    target = _place(predicate.object, then, now)
    facts = now.facts(subject.path)
    if facts is None or target.state == "two_homes":
        return Decision(None, now.skipped(subject.path) or target.hint)
    # An import of a name that another module passes on is one of that module, wherever the name is at home.
    edges = [e for e in now.edges_from(subject, "imports") if e.object.is_external or not e.object.qualified_name]
    found = [e for e in edges if is_module_of(target.symbol, e.object)]
    if found:
        is_sure = any(e.confidence_kind == "resolved" for e in found)
        return Decision(True if is_sure else None, f"imports {target.symbol}", f"{show_path(subject.path)}:{found[0].row + 1}")
    row = next((i.span.row for i in facts.imports if not i.level and is_written_for(target.symbol, i.module)), None)
    if row is not None:
        return Decision(True, f"imports {target.symbol}", f"{show_path(subject.path)}:{row + 1}")
    if facts.has_error:
        return Decision(None, "does not parse")
    return Decision(False, f"{show_path(subject.path)} has no import of {target.symbol}", show_path(subject.path))


def _inherits(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    definitions = _definitions(subject, now)
    if not definitions:
        return Decision(None, "no definition")
    bases = f"bases are ({', '.join(spell(b) for b in definitions[0].bases)})"
    if "::" not in predicate.object:
        found = [any(names_the_same(predicate.object, base) for base in d.bases) for d in definitions]
        return Decision(_agreed(found), bases, _line(definitions[0], subject))
    wanted = _place(predicate.object, then, now)
    if wanted.state in ("two_homes", "unreadable"):
        return Decision(None, wanted.hint)
    kinds = {e.confidence_kind for e in now.edges_from(subject, "implements") if _same(e.object, wanted.symbol)}
    is_open = bool(kinds) or spells(wanted.symbol, subject, now)
    return Decision(True if "resolved" in kinds else None if is_open else False, bases, _line(definitions[0], subject))


def _set(question: str) -> Callable[[Predicate, SymbolId, FactsView | None, TreeView], Decision]:
    def decide_set(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
        members = [now_called(m, then, now) for m in predicate.members]
        if any(m is None for m in members):
            return Decision(None, "a member has two homes, or cannot be read")
        claimed = [m for m in members if m is not None]
        scope = {"package": predicate.value} if predicate.value else sets.default_scope(subject, claimed, now)
        answer = sets.ask(question, subject, scope, now)
        extra = [m for m in answer.resolved if not any(covers(c, m, now) for c in claimed)]
        if extra:
            edge = edges_of(answer, extra[0])[0]
            return Decision(False, f"also {', '.join(str(m) for m in extra[:4])}", f"{show_path(edge.subject.path)}:{edge.row + 1}")
        missing = [c for c in claimed if not any(covers(c, m, now) for m in answer.resolved)]
        # A file that cannot be read may hold the member still.
        readable = [c for c in missing if c.path not in answer.unseen]
        lost = [c for c in readable if not any(covers(c, m, now) for m in answer.inferred) and not spells(subject, c, now)]
        if lost:
            return Decision(False, f"no longer {', '.join(str(c) for c in lost[:4])}")
        if missing or answer.inferred or answer.unseen:
            unsure = [*(str(m) for m in (*missing, *answer.inferred)), *(show_path(p) for p in answer.unseen)]
            return Decision(None, f"not certain: {', '.join(unsure[:4])}")
        return Decision(True, f"{len(answer.resolved)} members")

    return decide_set


def _definitions(symbol: SymbolId, view: FactsView) -> list[Definition]:
    """The definitions that the symbol's name stands for: a given ordinal alone; overloads and setters only where there is nothing else."""
    facts = view.facts(symbol.path)
    found = [facts.definitions[i] for i in indexes_of(view, symbol)] if facts is not None else []
    if symbol.ordinal:
        return [d for d in found if d.ordinal == symbol.ordinal]
    return [d for d in found if not {"overload", "setter"} & set(d.flags)] or found


def _agreed(found: Sequence[bool | None]) -> bool | None:
    """What all say; None where they part."""
    return found[0] if found and len(set(found)) == 1 else None


def _signature(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    """A parameter list is held against the code as strictly as it fitted when it was recorded."""
    definitions = _definitions(subject, now)
    said = read_signature(predicate.value)
    if not definitions or said is None:
        return Decision(None, "no definition" if not definitions else f"cannot read the parameter list {predicate.value}")
    present = [signature_of(d) for d in definitions]
    past = [signature_of(d) for d in _past(predicate, then)] or present
    holds: bool | None = False
    for strictness in STRICTNESS:
        fitted = _agreed([compare_signature(said, s, strictness) for s in past])
        if fitted is not False:
            # Types that were told otherwise than they stand there, or defaults, cannot be held against the code.
            is_comparable = fitted and not (strictness == "names" and said.has_types)
            holds = _agreed([compare_signature(said, s, strictness) for s in present]) if is_comparable else None
            break
    if holds and then is not None and language_of(subject.path) != "python":
        # Optional parameters, patterns and modifiers are not told apart by these texts, but by the header's hash.
        holds = True if _headers(read_symbol(predicate.subject), then) == _headers(subject, now) else None
    return Decision(holds, f"the signature is {signature_text(definitions[0])}", _line(definitions[0], subject))


def _headers(symbol: SymbolId, view: FactsView) -> list[str]:
    return [digest.signature for digest in digests_of(view, symbol)]


def _returns_type(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    definitions = _definitions(subject, now)
    if not definitions:
        return Decision(None, "no definition")
    past = _past(predicate, then) or definitions
    as_written = all(is_same_type(predicate.value, d.returns, as_written=True) for d in past)
    holds = _agreed([is_same_type(predicate.value, d.returns, as_written=as_written) for d in definitions])
    return Decision(holds, f"declared to return {definitions[0].returns or 'nothing'}", _line(definitions[0], subject))


def _past(predicate: Predicate, then: FactsView | None) -> list[Definition]:
    """The definitions of the subject where the claim was recorded, as far as that tree can be read."""
    return _definitions(read_symbol(predicate.subject), then) if then is not None else []


def _value(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    facts = now.facts(subject.path)
    if facts is None:
        return Decision(None, now.skipped(subject.path) or "no facts")
    key = _key(predicate, subject)
    found = [v for v in facts.values if v.key == key]
    if not found:
        return Decision(None if facts.has_error else False, f"{key} has no value", show_path(subject.path))
    holds = _agreed([is_same_value(predicate.value, v.text) for v in found])
    if holds is False and not (is_plain(predicate.value) and all(is_plain(v.text) for v in found)):
        origin = read_symbol(predicate.subject)
        before = then.facts(origin.path) if then is not None else None
        fitted = [is_same_value(predicate.value, v.text) for v in before.values if v.key == _key(predicate, origin)] if before is not None else []
        holds = False if _agreed(fitted) else None
    return Decision(holds, f"{key} is {mask_value(key, found[0].text)[:80]}", f"{show_path(subject.path)}:{found[0].span.row + 1}")


def _key(predicate: Predicate, subject: SymbolId) -> str:
    return f"{subject.qualified_name}({predicate.object})" if predicate.relation == "default" else predicate.object or subject.qualified_name


def _own_returns(now: TreeView, subject: SymbolId, kinds: tuple[str, ...]) -> Sequence[tuple[Expression | None, int]] | None:
    """The returned (or raised) expressions of the function itself, nested functions and lambdas aside, with their rows."""
    facts, definitions = now.facts(subject.path), _definitions(subject, now)
    if facts is None or not definitions:
        return None
    owners = {facts.definitions.index(d) for d in definitions}
    return [(r.value, r.span.row) for r in facts.returns if r.kind in kinds and _owner(facts, r.scope) in owners]


def _owner(facts: FileFacts, scope: int) -> int:
    """The definition whose own code a scope is; -1 inside of a lambda."""
    owner = facts.scopes[scope].definition
    while scope >= 0 and facts.scopes[scope].definition == owner:
        if facts.scopes[scope].kind == "lambda":
            return -1
        scope = facts.scopes[scope].parent
    return owner


def _raises(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    found = _own_returns(now, subject, ("raise",))
    if found is None:
        return Decision(None, "no definition")
    for value, row in found:
        if value is not None and names_the_same(predicate.object, value):
            return Decision(True, f"raises {predicate.object}", f"{show_path(subject.path)}:{row + 1}")
    return Decision(False, f"{subject} raises no {predicate.object} itself", show_path(subject.path))


def _never_returns_value(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    found = _own_returns(now, subject, ("return", "yield"))
    if found is None:
        return Decision(None, "no definition")
    for value, row in found:
        if value is not None and not (value.kind == "literal" and value.name == "none"):
            return Decision(False, "returns a value", f"{show_path(subject.path)}:{row + 1}")
    return Decision(True, "no return of a value")


def _defined_in(predicate: Predicate, subject: SymbolId, then: FactsView | None, now: TreeView) -> Decision:
    is_here = show_path(subject.path) == predicate.object
    return Decision(is_here, f"{subject.qualified_name} is defined in {show_path(subject.path)}", show_path(subject.path))


RELATIONS: dict[str, Relation] = {
    "calls": Relation(_calls, "edge"),
    "tests": Relation(_tests, "edge"),
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
