"""Records as answers show them: one place that turns a claim, its anchors, verdicts and edges into lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from knowledge.claims.proposals import CANNOT_NOTICE
from knowledge.graph.agreement import Agreement
from knowledge.invalidation.propagate import Held
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.answers import AnchorLine, CauseLine, ClaimLine, EdgeLine, VerdictLine
from knowledge.records.claims import Anchor, AnchorReading, Author, Cause, ClaimStatus, Predicate, Verdict
from knowledge.records.edges import Edge
from knowledge.records.events import Event
from knowledge.records.identifiers import show_path
from knowledge.records.invalidations import ChangeLine, CommitLine, HistoryLine
from knowledge.records.trees import Commit

UNTREED = frozenset({"claim", "time"})
"""Kinds of anchor that no tree answers for."""


def author_text(author: Author) -> str:
    """`person:ann`, `agent:claude:session`."""
    return ":".join(p for p in (author.kind, author.name, author.session) if p)


def claim_line(held: Held, status: ClaimStatus, view: IndexedTree, commits: Mapping[str, str] | None = None) -> ClaimLine:
    """A claim with its status in the tree of `view`. commits: anchor digest → the commit that changed it, where known."""
    anchors = {a.digest: a for a in held.anchors}
    verdict = next((v for v in held.verdicts if v.id == status.verdict_id), held.verdicts[-1])
    return ClaimLine(
        id=held.claim.id,
        kind=held.claim.kind,
        status=status.status,
        statement=held.claim.statement,
        causes=tuple(cause_line(c, anchors.get(c.anchor), (commits or {}).get(c.anchor, "")) for c in status.causes),
        valid_at_revision=held.claim.valid_at_revision,
        revision_match=verdict.snapshot_key == view.tree.snapshot.key,
        tags=held.claim.tags,
        said_by=f"{verdict.kind} by {author_text(verdict.author)}",
        is_relocated=status.is_relocated,
        is_unanchored=not any(a.kind not in UNTREED for a in held.anchors),
        open_conflicts=tuple(c.conflict for c in held.contradictions if c.resolution is None),
    )


def cause_line(cause: Cause, anchor: Anchor | None, commit: str = "") -> CauseLine:
    """Why a claim is not active, with what it is about."""
    about = anchor_text(anchor) if anchor is not None else ""
    return CauseLine(cause.reason, about, cause.place, cause.detail, cause.old_hash, cause.new_hash, cause.claim_path, commit)


def anchor_text(anchor: Anchor) -> str:
    """The anchor as one writes it (`body:a.py::f`)."""
    target = anchor.target
    match anchor.kind:
        case "set":
            scope = target.get("scope", {}).get("package")
            return f"{target['question']}:{target['symbol']}" + (f" within {scope}" if scope else "")
        case "edge":
            return f"edge:{target['subject']} {target['predicate']} {target['object']}"
        case "value":
            return f"value:{target['path']}::{target['key']}"
        case "source":
            return f"source:{target['path']}: {target['text'].strip().splitlines()[0][:60] if target['text'].strip() else ''}"
        case "claim":
            return f"claim:{target['claim']}"
        case "time":
            if target.get("review_when"):
                return f"review when {target['review_when']}"
            return f"until:{target['until']}" if target.get("until") else f"days:{target['period_days']}"
        case "tests":
            return f"tests:{target['test']} ({target.get('run', '')})"
        case "environment":
            return f"environment:{target['fingerprint']}"
        case "body":
            return f"{'strict' if target.get('strict') else 'body'}:{target['symbol']}"
        case _:
            return f"{anchor.kind}:{target.get('symbol', '')}"


def anchor_lines(anchors: Sequence[Anchor], readings: Mapping[str, AnchorReading]) -> tuple[AnchorLine, ...]:
    """The anchors with where they are in the tree and what they cannot notice."""
    lines = []
    for anchor in anchors:
        reading = readings.get(anchor.digest, AnchorReading("present"))
        lines.append(
            AnchorLine(
                anchor.kind,
                anchor.role,
                anchor_text(anchor),
                reading.state,
                reading.place,
                reading.was,
                CANNOT_NOTICE.get(anchor.kind, ""),
                anchor.digest,
            )
        )
    return tuple(lines)


def verdict_lines(verdicts: Sequence[Verdict], status: ClaimStatus) -> tuple[VerdictLine, ...]:
    """Who said what; a verdict holds here when the status in this tree is the one it says."""
    holding = "" if status.causes else status.verdict_id
    return tuple(VerdictLine(v.kind, author_text(v.author), v.said_at, v.revision, v.reason, v.id == holding) for v in verdicts)


def history_line(event: Event, changes: tuple[ChangeLine, ...] = ()) -> HistoryLine:
    """An event of a claim's history, with what was found of the changes that led to it."""
    payload: dict[str, Any] = event.payload
    return HistoryLine(
        event.sequence, event.type, event.at, event.author, str(payload.get("revision") or ""), str(payload.get("subject") or ""),
        str(payload.get("reason") or ""), payload, str(payload.get("commit_author") or ""), changes,
    )  # fmt: skip


def commit_line(commit: Commit) -> CommitLine:
    """A commit in one line."""
    at = datetime.fromtimestamp(commit.committed_at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return CommitLine(commit.revision, commit.subject, commit.author, at)


def edge_line(edge: Edge, agreement: Agreement | None = None) -> EdgeLine:
    """An edge with its place, lines counted from 1, and what other analyzers say of it where they looked."""
    others = agreement or Agreement((), (), ())
    return EdgeLine(
        str(edge.subject), edge.predicate, str(edge.object), edge.confidence_kind, edge.reason,
        f"{show_path(edge.subject.path)}:{edge.row + 1}", edge.rivals, edge.said_by,
        others.said_by, others.silent, tuple(f"{name}: {symbol}" for name, symbol in others.instead),
    )  # fmt: skip


def predicate_text(predicate: Predicate | None) -> str:
    """The predicate in one line; "" for none."""
    if predicate is None:
        return ""
    rest = (
        predicate.object or predicate.value or ("{" + ", ".join(predicate.members) + "}" if "only" in predicate.relation or predicate.members else "")
    )
    return f"{'not ' if predicate.is_negated else ''}{predicate.subject} {predicate.relation} {rest}".strip()
