"""The index's state: what claims are worth in each worktree, what each anchor watches, counters of failures inside. All can be computed anew."""

from __future__ import annotations

import json
from collections.abc import Iterable

import msgspec

from knowledge.records.claims import AnchorReading, Cause, ClaimStatus
from knowledge.records.stored import ReviewGroup, WorktreeState
from knowledge.storage.bulk import collection_paused
from knowledge.storage.database import Database
from knowledge.storage.keys import text_key
from knowledge.storage.ledger_rows import dump, plain


class _Detail(msgspec.Struct):
    causes: tuple[Cause, ...] = ()
    readings: dict[str, AnchorReading] = {}


_STATES = "SELECT worktree, tree_key, revision, branch, event_sequence, day, rules FROM worktree"
_detail = msgspec.json.Decoder(_Detail)


class StateRows:
    """Cached statuses, watches and counters."""

    db: Database

    def worktree_state(self, worktree: str) -> WorktreeState | None:
        """What this worktree's statuses were computed for; None where they never were."""
        row = self.db.rows(f"{_STATES} WHERE worktree = ?", (worktree,))
        return WorktreeState(*row[0]) if row else None

    def worktree_states(self) -> list[WorktreeState]:
        """The state of every worktree that has one."""
        return [WorktreeState(*row) for row in self.db.rows(f"{_STATES} ORDER BY worktree")]

    def put_worktree_state(self, state: WorktreeState) -> None:
        with self.db.transaction():
            self.db.run(
                "INSERT OR REPLACE INTO worktree (worktree, tree_key, revision, branch, event_sequence, day, rules) VALUES (?, ?, ?, ?, ?, ?, ?)",
                (state.worktree, state.tree_key, state.revision, state.branch, state.event_sequence, state.day, state.rules),
            )

    def statuses(self, worktree: str, claim_ids: Iterable[str] | None = None) -> dict[str, ClaimStatus]:
        """claim id → its status in this worktree, for all claims or for these."""
        query = "SELECT claim_id, status, verdict_id, is_relocated, detail FROM claim_status WHERE worktree = ?"
        if claim_ids is None:
            rows = self.db.rows(query, (worktree,))
        else:
            rows = self.db.rows(f"{query} AND claim_id IN (SELECT value FROM json_each(?))", (worktree, json.dumps(list(claim_ids))))
        found = {}
        with collection_paused(), self.db.unpacking():
            for claim_id, status, verdict_id, is_relocated, packed in rows:
                detail = _detail.decode(packed)
                found[claim_id] = ClaimStatus(claim_id, status, detail.causes, verdict_id, detail.readings, bool(is_relocated))
        return found

    def status_counts(self, worktree: str, without: Iterable[str]) -> dict[str, int]:
        """status → how many claims have it in this worktree, some claims aside."""
        query = "SELECT status, count(*) FROM claim_status WHERE worktree = ? AND claim_id NOT IN (SELECT value FROM json_each(?)) GROUP BY status"
        return dict(self.db.rows(query, (worktree, json.dumps(sorted(without)))))

    def put_statuses(self, worktree: str, rows: Iterable[ClaimStatus]) -> None:
        """Store statuses over the ones that these claims had in this worktree."""
        with self.db.transaction():
            self.db.many(
                "INSERT OR REPLACE INTO claim_status (worktree, claim_id, status, verdict_id, is_relocated, detail) VALUES (?, ?, ?, ?, ?, ?)",
                (
                    (
                        worktree, row.claim_id, row.status, row.verdict_id, int(row.is_relocated),
                        dump({"causes": [plain(cause) for cause in row.causes], "readings": {d: plain(r) for d, r in row.readings.items()}}),
                    )
                    for row in rows
                ),
            )  # fmt: skip

    def put_reviews(self, worktree: str, claim_ids: Iterable[str], rows: Iterable[tuple[str, ReviewGroup]]) -> None:
        """Store under which review conditions these claims are now, in place of what was told of them before."""
        with self.db.transaction():
            self.db.run(
                "DELETE FROM claim_review WHERE worktree = ? AND claim_id IN (SELECT value FROM json_each(?))",
                (worktree, json.dumps(list(claim_ids))),
            )
            self.db.many(
                "INSERT OR REPLACE INTO claim_review (worktree, claim_id, condition, revision, said_at, is_due) VALUES (?, ?, ?, ?, ?, ?)",
                [(worktree, claim_id, it.condition, it.revision or "", it.said_at, int(it.is_due)) for claim_id, it in rows],
            )

    def review_groups(self, worktree: str) -> list[ReviewGroup]:
        """Every group of claims that one answer tells of."""
        rows = self.db.rows("SELECT DISTINCT condition, revision, said_at, is_due FROM claim_review WHERE worktree = ?", (worktree,))
        return [ReviewGroup(condition, revision or None, said_at, bool(is_due)) for condition, revision, said_at, is_due in rows]

    def reviewed_in(self, worktree: str, group: ReviewGroup) -> set[str]:
        """The claims of a group."""
        rows = self.db.rows(
            "SELECT claim_id FROM claim_review WHERE worktree = ? AND condition = ? AND revision = ? AND said_at = ? AND is_due = ?",
            (worktree, group.condition, group.revision or "", group.said_at, int(group.is_due)),
        )
        return {claim_id for (claim_id,) in rows}

    def watch(self, anchor_digest: str, keys: Iterable[str]) -> None:
        """Say that a change of one of these keys may change the anchor's reading. Keys told before stay."""
        self.watch_many([(anchor_digest, keys)])

    def watch_many(self, rows: Iterable[tuple[str, Iterable[str]]]) -> None:
        """`watch` for many anchors."""
        keys = {digest: {text_key(key) for key in watched} for digest, watched in rows}
        with self.db.transaction():
            self.db.many("INSERT OR IGNORE INTO watched_anchor (digest) VALUES (?)", [(digest,) for digest in keys])
            digests = json.dumps(list(keys))
            ids = dict(self.db.rows("SELECT digest, id FROM watched_anchor WHERE digest IN (SELECT value FROM json_each(?))", (digests,)))
            pairs = sorted((key, ids[digest]) for digest, watched in keys.items() for key in watched)
            self.db.many("INSERT OR IGNORE INTO anchor_watch (key, anchor_id) VALUES (?, ?)", pairs)

    def watching(self, keys: Iterable[str]) -> set[str]:
        """The digests of the anchors that watch one of these keys. One in 10^19 may be named that does not."""
        hashes = json.dumps([text_key(key) for key in keys])
        rows = self.db.rows(
            "SELECT digest FROM watched_anchor WHERE id IN (SELECT anchor_id FROM anchor_watch WHERE key IN (SELECT value FROM json_each(?)))",
            (hashes,),
        )
        return {digest for (digest,) in rows}

    def clear_state(self) -> None:
        """Forget every status, watch and worktree, so that they are computed anew from the ledger. Facts, trees and counters stay."""
        with self.db.transaction():
            for table in ("claim_status", "claim_review", "worktree", "anchor_watch", "watched_anchor"):
                self.db.run(f"DELETE FROM {table}")

    def count(self, name: str, n: int = 1) -> None:
        """Add to a counter."""
        with self.db.transaction():
            self.db.run("INSERT INTO counter (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = value + excluded.value", (name, n))

    def counts(self) -> dict[str, int]:
        """All counters by name."""
        return dict(self.db.rows("SELECT name, value FROM counter ORDER BY name"))
