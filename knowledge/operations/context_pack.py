"""What bears on a goal in a tree: load the candidates, let `views/context_pack.py` fill the budget."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from knowledge.claims.lifecycle import worst_first
from knowledge.claims.locating import definition_of
from knowledge.claims.proposals import meant
from knowledge.claims.spelling import signature_text
from knowledge.claims.statements import mentions
from knowledge.errors import InvalidRecordError
from knowledge.invalidation.propagate import Held, rests_on
from knowledge.operations.graph_tree import candidates
from knowledge.operations.lines import UNTREED, anchor_text, author_text
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.recall import QUERY_TOKENS
from knowledge.operations.reconcile import reconcile
from knowledge.operations.relevance import ranked_definitions, ranked_files
from knowledge.operations.searching import bring_up_to_date, search
from knowledge.operations.specs import file_or_symbol
from knowledge.operations.tests_around import tests_around
from knowledge.operations.tree_view import IndexedTree
from knowledge.recall.ranking import LEAST_SCORE, read_query
from knowledge.recall.tokens import cut_to_tokens
from knowledge.records.claims import AnchorKind, Cause, ClaimStatus
from knowledge.records.edges import Edge
from knowledge.records.evidence import EvidenceKind
from knowledge.records.identifiers import SymbolId, show_path
from knowledge.records.packs import CallFrame, ContextPack, PackClaim, PackEdge, PackFile, PackSymbol, PackTree
from knowledge.views.context_pack import Candidates, build
from knowledge.views.relevance import Goal, RankedFile, read_goal

_AROUND = ("calls", "implements", "reads", "writes", "imports")
_CENTRES, _EDGES = 6, 60
"""Around how many definitions relations are shown, and how many at most."""
_SHOWN_FILES = 10
_STANDS_ON = 0.3
"""What each anchor on something that is shown adds to a claim, beside what its text does (0..1)."""
_MOST_CLAIMS = 400
"""Claims that are weighed for one pack; what bears on the goal beyond them is counted."""
_NOTHING = "nothing here bears on the goal by name; name a file or symbol as focus"
_REASONED = 12
"""The first definitions are shown with what they take, and with what speaks for them."""
_SIGNALS = {
    "focus": "in focus", "spelled": "named in the goal", "named": "defines what the goal names", "text": "speaks of it", "path": "is called so",
    "alike": "earlier commits of this kind changed it", "busy": "is changed often",
}  # fmt: skip


def context_pack(project: Project, frame: CallFrame, *, at: str | None = None) -> ContextPack:
    """The pack for a frame in a tree (None: the working tree as it is).

    Raises UnknownSymbolError, UnknownPathError or AmbiguousSymbolError for a focus that is not one thing there, UnknownRecordError for the plan node,
    UnknownRevisionError.
    """
    if not frame.goal.strip():
        raise InvalidRecordError("a pack needs a goal; expected a sentence that says what is to be done")
    reading = Reading(project)
    reconcile(project, reading)
    view = reading.trees.at(at)
    plan_node = project.ledger.resolve_claim(frame.plan_node) if frame.plan_node else ""
    focus = [file_or_symbol(text, view) for text in frame.focus]
    goal = read_goal("\n".join((frame.goal, *frame.constraints)))
    files = _with_focus(focus, ranked_files(project, view, goal))
    centres = _centres(frame.goal, focus, view)
    symbols = _symbols(centres, goal, files, view)
    edges = _edges(list(symbols)[:_CENTRES], view)
    claims, uncounted = _claims(reading, view, _bearing(project, frame, _keys(symbols, files, edges)), plan_node)
    tests, further_tests = tests_around(project, view, list(symbols)[:_REASONED])
    shown_files = {s.path for s in focus} | {f.path for f in files[:_CENTRES]}
    found = Candidates(
        claims=[c for c in claims if c.id != plan_node],
        limits=view.limitations_of(sorted(shown_files)),
        tests=tests,
        files=[PackFile(show_path(f.path), tuple(_SIGNALS[signal] for signal in f.why[:3])) for f in files],
        symbols=list(symbols.values()),
        edges=[_edge(edge) for edge in edges],
        plan_node=next((c for c in claims if c.id == plan_node), None),
        left_out={"relevant_claims": uncounted, "recent_test_observations": further_tests},
        notes=() if files or claims else (_NOTHING,),
    )
    snapshot = view.tree.snapshot
    return build(frame, PackTree(snapshot.label, snapshot.revision, snapshot.is_dirty), found)


def pack_claim(held: Held, status: ClaimStatus, view: IndexedTree, evidence_kinds: Sequence[str] = ()) -> PackClaim:
    """A claim as packs and memory views show it."""
    verdict = next((v for v in held.verdicts if v.id == status.verdict_id), held.verdicts[-1])
    anchors = [a for a in held.anchors if a.kind not in UNTREED]
    return PackClaim(
        id=held.claim.id,
        kind=held.claim.kind,
        status=status.status,
        statement=held.claim.statement,
        reason="; ".join(_reason(cause) for cause in status.causes[:2]),
        revision_match=verdict.snapshot_key == view.tree.snapshot.key,
        valid_at_revision=held.claim.valid_at_revision,
        evidence_kinds=tuple(evidence_kinds) or tuple(sorted({_SHOWN_BY[a.kind] for a in anchors})),
        said_by=f"{verdict.kind} by {author_text(verdict.author)}",
        tags=held.claim.tags,
        contradicts=tuple(sorted(c.other for c in held.contradictions if c.resolution is None)),
        rests_on=tuple(dict.fromkeys(anchor_text(a) for a in anchors)),
    )


_SHOWN_BY: dict[AnchorKind, EvidenceKind] = {
    "source": "source", "body": "ast", "signature": "ast", "location": "ast", "value": "ast", "edge": "graph", "set": "graph",
    "tests": "test_result", "environment": "test_result",
}  # fmt: skip
"""Kind of anchor → the kind of evidence that answers for it."""


def _reason(cause: Cause) -> str:
    where = f" at {cause.place}" if cause.place and cause.place not in cause.detail else ""
    return f"{cause.reason}: {cause.detail}{where}" if cause.detail else f"{cause.reason}{where}"


def _with_focus(focus: Sequence[SymbolId], files: Sequence[RankedFile]) -> list[RankedFile]:
    first = {s.path: None for s in focus if s.path}
    top = files[0].score if files else 1.0
    known = {f.path: f for f in files}
    ahead = [RankedFile(path, top, ("focus", *(known[path].why if path in known else ()))) for path in first]
    return [*ahead, *(f for f in files if f.path not in first)]


def _centres(goal: str, focus: Sequence[SymbolId], view: IndexedTree) -> dict[SymbolId, str]:
    """The definitions that are in focus or that the goal names, each with why."""
    found = {s: "in focus" for s in focus if s.qualified_name}
    for mention in mentions(goal):
        for symbol in meant(mention, view, lambda name: candidates(name, view))[:3]:
            if symbol.qualified_name:
                found.setdefault(symbol, "named in the goal")
    return found


def _symbols(centres: dict[SymbolId, str], goal: Goal, files: Sequence[RankedFile], view: IndexedTree) -> dict[SymbolId, PackSymbol]:
    """The definitions that the goal may be about, the likeliest first; the first ones with what they take and what speaks for them."""
    found = {symbol: _centre(symbol, why, view) for symbol, why in centres.items()}
    for symbol, one, why in ranked_definitions(goal, files, view):
        if symbol not in found:
            is_reasoned = len(found) < _REASONED
            signature = f"{one.qualified_name}{one.parameters}" if is_reasoned and one.parameters else ""
            shown = why if is_reasoned else ""
            found[symbol] = PackSymbol(str(symbol), one.kind, show_path(symbol.path), one.first, one.last, signature, shown)
    return found


def _centre(symbol: SymbolId, why: str, view: IndexedTree) -> PackSymbol:
    definition = definition_of(view, symbol)
    if definition is None:
        return PackSymbol(str(symbol), "file", show_path(symbol.path), 1, 1, why=why)
    parameters = signature_text(definition) if definition.kind in ("function", "method") else ""
    signature = f"{symbol.qualified_name}{parameters[parameters.find('(') :]}" if "(" in parameters else ""
    return PackSymbol(str(symbol), definition.kind, show_path(symbol.path), definition.span.row + 1, definition.span.end_row + 1, signature, why)


def _edges(centres: Iterable[SymbolId], view: IndexedTree) -> list[Edge]:
    found: dict[Edge, None] = {}
    for symbol in centres:
        for predicate in _AROUND:
            found.update(dict.fromkeys((*view.edges_into(symbol, predicate), *view.edges_from(symbol, predicate))))
    ranked = sorted(found, key=lambda e: (e.object.is_external, e.confidence_kind != "resolved", str(e.subject), e.predicate, e.start))
    return ranked[:_EDGES]


def _edge(edge: Edge) -> PackEdge:
    place = f"{show_path(edge.subject.path)}:{edge.row + 1}"
    return PackEdge(str(edge.subject), edge.predicate, str(edge.object), edge.confidence_kind, place, edge.reason)


def _keys(symbols: Iterable[SymbolId], files: Sequence[RankedFile], edges: Iterable[Edge]) -> set[str]:
    """The watch keys of what the pack shows."""
    shown = {*symbols} | {end for edge in edges for end in (edge.subject, edge.object)}
    shown |= {SymbolId(file.path, "") for file in files[:_SHOWN_FILES]}
    return {f"symbol:{symbol.qualified_name}" if symbol.qualified_name else f"path:{show_path(symbol.path)}" for symbol in shown}


def _bearing(project: Project, frame: CallFrame, keys: set[str]) -> dict[str, float]:
    """claim id → how much it bears on the goal: it stands on what is shown, or its text says the same."""
    bearing: dict[str, float] = {}
    for claims in project.ledger.claims_on(project.index.watching(keys)).values():
        for claim_id in claims:
            bearing[claim_id] = bearing.get(claim_id, 0.0) + _STANDS_ON
    bring_up_to_date(project)
    for claim_id, score in search(project, read_query(cut_to_tokens("\n".join((frame.goal, *frame.constraints)), QUERY_TOKENS))).items():
        if score >= LEAST_SCORE:
            bearing[claim_id] = bearing.get(claim_id, 0.0) + score
    return bearing


def _claims(reading: Reading, view: IndexedTree, bearing: Mapping[str, float], plan_node: str) -> tuple[list[PackClaim], int]:
    """The claims that bear on the goal, and what the plan node rests on, those that fell first; and how many were not even weighed."""
    chosen = sorted(bearing, key=lambda c: (-bearing[c], c))[:_MOST_CLAIMS]
    if plan_node:
        chosen = list(dict.fromkeys((plan_node, *rests_on(reading.held([plan_node])[plan_node]), *chosen)))
    statuses = reading.statuses(view, chosen)
    held = reading.held(chosen)
    opposed = {c.other for h in held.values() for c in h.contradictions if c.resolution is None} - set(chosen)
    if opposed:
        statuses |= reading.statuses(view, sorted(opposed))
        held |= reading.held(sorted(opposed))
    ordered = sorted(statuses.values(), key=lambda s: (worst_first(s)[0], -bearing.get(s.claim_id, 0.0), s.claim_id))
    return [pack_claim(held[s.claim_id], s, view) for s in ordered], max(0, len(bearing) - _MOST_CLAIMS)
