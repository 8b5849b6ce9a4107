"""Deciding a predicate in any tree, whether or not it was ever recorded."""

from __future__ import annotations

from knowledge.claims.predicates import RELATIONS, decide, twin_kind
from knowledge.claims.proposals import CANNOT_NOTICE, from_said
from knowledge.claims.statements import understand
from knowledge.errors import InvalidRecordError
from knowledge.operations.graph_tree import candidates, find_one
from knowledge.operations.lines import predicate_text
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.specs import read_predicate, valued
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.answers import CheckAnswer
from knowledge.records.claims import Predicate

_OF_TWO = ("calls", "tests", "imports", "defined_in")
"""Relations whose object is a symbol or a file of the tree as well."""


def check(project: Project, text: str, *, at: str | None = None) -> CheckAnswer:
    """Decide a claim's predicate (its id), a statement in English or Korean, or a predicate as JSON, in a tree.

    A claim's predicate names things as they were called where it was recorded; moves since are followed.
    Raises InvalidRecordError for a statement that says no predicate; UnknownSymbolError, UnknownPathError and AmbiguousSymbolError, with
    suggestions, for a name that is not in the tree or means more than one thing there.
    """
    reading = Reading(project)
    view = reading.trees.at(at)
    then = None
    if text.startswith("c_"):
        claim_id = project.ledger.resolve_claim(text)
        held = reading.held([claim_id])[claim_id]
        if held.claim.predicate is None:
            raise InvalidRecordError(f"{claim_id} carries no predicate: it is free text, and stands on its anchors alone")
        predicate, then = held.claim.predicate, reading.trees.then(held.verdicts[0])
    else:
        predicate, then = _read(text, view), view
    decision = decide(predicate, then, view)
    return CheckAnswer(
        tree=project.tree_name(view.tree.snapshot),
        predicate=predicate_text(predicate),
        holds=decision.holds,
        detail=decision.detail,
        place=decision.place,
        cannot_notice=CANNOT_NOTICE[twin_kind(predicate)],
    )


def _read(text: str, view: IndexedTree) -> Predicate:
    if text.lstrip().startswith("{"):
        return read_predicate(text, view)
    said = understand(text)
    if said is None:
        raise InvalidRecordError(
            f"{text!r} does not say exactly what a predicate says; expected one of {', '.join(RELATIONS)}", suggestions=tuple(RELATIONS)
        )
    proposal = from_said(said, view, lambda name: candidates(name, view))
    if proposal is None or proposal.predicate is None:
        if said.relation == "value" and "::" in said.subject:
            valued(said.subject, view)
        for name in (said.subject, *((said.object,) if said.relation in _OF_TWO else ()), *said.members):
            find_one(name, view)
        raise InvalidRecordError(f"a name in {text!r} is not in {view.tree.snapshot.label}, or means more than one thing there")
    return proposal.predicate
