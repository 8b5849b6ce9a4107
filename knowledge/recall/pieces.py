"""What of a claim is searched: its statement in pieces, and the names it bears (tags, scope, anchors, evidence)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from knowledge.recall.chunks import chunks
from knowledge.recall.terms import index_terms
from knowledge.records.claims import Anchor, Claim
from knowledge.records.stored import REDACTED


def pieces_of(claim: Claim, anchors: Iterable[Anchor], evidence: Iterable[str]) -> Iterator[list[str]]:
    """The terms of each piece of a claim. evidence: the names of what it cites. Nothing for a claim whose text was erased."""
    if claim.statement == REDACTED:
        return
    yield from (list(index_terms(piece)) for piece in texts_of(claim))
    names = list(dict.fromkeys([*_names(claim), *(name for anchor in anchors for name in _anchor_names(anchor)), *evidence]))
    if names:
        yield list(index_terms(" ".join(names)))


def texts_of(claim: Claim) -> Iterator[str]:
    """A claim's text in pieces: its statement, and what a decision says besides. Nothing for a claim whose text was erased."""
    if claim.statement == REDACTED:
        return
    yield from chunks(claim.statement)
    for text in _said_besides(claim):
        yield from chunks(text)


def _said_besides(claim: Claim) -> Iterator[str]:
    """A decision's constraints and rejected alternatives: they are asked for as often as the decision."""
    for key in ("constraints", "rejected"):
        value = claim.detail.get(key)
        for item in value if isinstance(value, list) else ():
            yield " ".join(map(str, item.values())) if isinstance(item, dict) else str(item)


def _names(claim: Claim) -> Iterator[str]:
    scope = claim.scope
    yield from (*claim.tags, *scope.paths, *scope.symbols, *scope.conditions)
    yield from (text for text in (scope.service, scope.environment, scope.route_tried) if text)


def _anchor_names(anchor: Anchor) -> Iterator[str]:
    for key in ("path", "symbol", "subject", "object", "key"):
        value = anchor.target.get(key)
        if isinstance(value, str):
            yield value
