"""How far an edge can be relied on, by its label: confidence kind and reason. docs/confidence.md states what each label measured.

Labels are put into grades, strongest first. docs/confidence.md states on which benchmarks their order holds, and on which it does not. Answers list
what they found in this order.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from knowledge.records.edges import ConfidenceKind


@dataclass(frozen=True, slots=True)
class Grade:
    """Labels that hold alike. meaning: one sentence; reasons: the sub-kinds of the confidence kind, each with what it says."""

    name: str
    confidence_kind: ConfidenceKind
    meaning: str
    reasons: Mapping[str, str]


_BY_NAME = {
    "syntax": "it is written there: a declaration, a route",
    "local": "a name of the same file",
    "import": "an imported name, followed to where it is defined",
    "module": "an attribute of an imported module",
    "class": "a member got through the class",
    "self": "a member of the class around, through `self`, `cls` or `this`",
    "super": "a member of a class above, through `super`",
    "decorator": "a decorator or a route's handler",
    "environment": "an environment variable by its constant name",
    "route": "a route by its constant path",
    "url-rule": "a route that a call registers by its constant path",
    "class-view": "the method of a view class that answers a route",
    "type-only": "an import that only types need",
    "json-import": "a key of a data file that is imported",
    "loaded-file": "a key of a data file that is loaded by its constant path",
    "settings-class": "a field of a class whose fields are settings",
}
_BY_TYPE = {
    "constructor": "the receiver was made by calling its class",
    "annotation": "the receiver is declared with a type",
    "narrowed": "the receiver was asked for its type around the place",
    "return": "the receiver is what a function returns",
    "attribute": "the receiver is an attribute whose value or type is known",
    "enter": "the receiver is what a `with` statement gives",
    "iteration": "the receiver is an element of what is iterated over",
    "flow": "the value was passed through something that is known to give it back",
    "container": "the value stands at a constant key, or is among what a container holds",
    "argument": "the value is what callers in sight pass",
    "callback": "a function that is given to something which calls it",
    "implicit": "an operator, loop, `with` statement or `raise` calls it",
}
_BRANCH = {"branch": "one name that is defined in several branches"}
GRADES: tuple[Grade, ...] = (
    Grade("proved", "resolved", "Name resolution leads to this target and to no other.", {**_BY_NAME, **_BRANCH, **_BY_TYPE}),
    Grade("observed", "observed", "It was seen to happen in a run.", {}),
    Grade(
        "followed", "inferred", "A value was followed to this target, but others are possible.",
        {
            **_BY_NAME, **_BY_TYPE,
            "fixture": "a fixture of pytest by the name of a parameter",
            "prefix": "a member whose name is put together, by the part that is known",
        },
    ),
    Grade(
        "named", "inferred", "Nothing but the name leads to this target.",
        {
            "unique-name": "the only method or function in sight of that name",
            "receiver-name": "a method of the class that the receiver is called after",
            "name": "one of a few methods of that name",
            "settings-object": "a key asked of something that is called like an object of settings",
            "same-file": "in languages without a resolver: the file itself defines that name",
        },
    ),
    Grade(
        "instead", "inferred", "It may run in place of, or on behalf of, what is named there.",
        {
            **_BRANCH,
            "override": "a class below has its own",
            "assigned": "an object of a class below was assigned",
            "alias": "the name holds another function, which runs",
            "asked": "a built-in function asks the object for it: `str(x)` asks `__str__`",
            "object": "an object is called, which has `__call__`",
            "reached": "a test reaches it by way of other calls",
        },
    ),
)  # fmt: skip
"""Strongest first."""
_RANKS: dict[tuple[str, str], int] = {}
for _rank, _grade in enumerate(GRADES):
    for _reason in _grade.reasons:
        _RANKS.setdefault((_grade.confidence_kind, _reason), _rank)
_KINDS = {"resolved": 0, "observed": 1, "inferred": 2}


def rank_of(confidence_kind: str, reason: str) -> int:
    """The place of a label's grade among all, from 0 for the strongest; of labels that other tools give, the place of the kind."""
    return _RANKS.get((confidence_kind, reason), _KINDS[confidence_kind])
