"""The search index over claims: pieces of text by their terms, made from the ledger as far as it was read.

Terms come from outside and are opaque here, but for one thing: they hold no white space and no ASCII but letters and digits.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate

from knowledge.records.stored import RecallState
from knowledge.storage.database import Database
from knowledge.storage.keys import text_key

_MOST_ROWS = 2_000
"""How many pieces the terms that candidates are looked for by may be in together: a common term finds nothing that matters and takes long."""
_MOST_COMMON = 20


class RecallRows:
    """Pieces, and how common each term is."""

    db: Database

    def recall_state(self) -> RecallState | None:
        """How far the ledger was read; None where it never was."""
        rows = self.db.rows("SELECT version, event_sequence, pieces, terms FROM recall_state WHERE id = 1")
        return RecallState(*rows[0]) if rows else None

    def put_recall_state(self, version: str, event_sequence: int) -> None:
        """Say how far the ledger was read."""
        with self.db.transaction():
            self.db.run(
                "INSERT INTO recall_state (id, version, event_sequence, pieces, terms) VALUES (1, ?, ?, 0, 0)"
                " ON CONFLICT (id) DO UPDATE SET version = excluded.version, event_sequence = excluded.event_sequence",
                (version, event_sequence),
            )

    def clear_recall(self) -> None:
        """Forget every piece, so that they are made anew from the ledger."""
        with self.db.transaction():
            for table in ("recall_piece", "recall_term", "recall_state", "recall_vector"):
                self.db.run(f"DELETE FROM {table}")

    def put_pieces(self, pieces: Mapping[str, Sequence[Sequence[str]]], known: Collection[str]) -> None:
        """claim id → the terms of each of its pieces, in the place of those it had. known: the claims that may have some.

        After `put_recall_state`, in the same transaction.
        """
        with self.db.transaction():
            old = self._pieces_of(set(pieces) & set(known))
            held: Counter[str] = Counter()
            for _, kept in old:
                held.subtract(set(kept.split(" ")))
            new = [(claim_id, terms) for claim_id, several in pieces.items() for terms in several if terms]
            for _, terms in new:
                held.update(set(terms))
            self.db.many("DELETE FROM recall_piece WHERE rowid = ?", [(row,) for row, _ in old])
            self.db.many("DELETE FROM recall_vector WHERE claim_id = ?", [(claim_id,) for claim_id in sorted(set(pieces) & set(known))])
            self.db.many("INSERT INTO recall_piece (claim_id, terms) VALUES (?, ?)", [(claim_id, " ".join(terms)) for claim_id, terms in new])
            self.db.many(
                "INSERT INTO recall_term (key, pieces) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET pieces = pieces + excluded.pieces",
                sorted((text_key(term), count) for term, count in held.items() if count),
            )
            self.db.run(
                "UPDATE recall_state SET pieces = pieces + ?, terms = terms + ? WHERE id = 1",
                (len(new) - len(old), sum(len(terms) for _, terms in new) - sum(kept.count(" ") + 1 for _, kept in old)),
            )

    def _pieces_of(self, claim_ids: set[str]) -> list[tuple[int, str]]:
        if not claim_ids:
            return []
        query = "SELECT rowid, terms FROM recall_piece WHERE claim_id IN (SELECT value FROM json_each(?))"
        return self.db.rows(query, (json.dumps(sorted(claim_ids)),))

    def holding(self, terms: Iterable[str]) -> dict[str, int]:
        """Term → in how many pieces it is; terms in none are left out."""
        keys = {text_key(term): term for term in terms}
        rows = self.db.rows(
            "SELECT key, pieces FROM recall_term WHERE pieces > 0 AND key IN (SELECT value FROM json_each(?))", (json.dumps([*keys]),)
        )
        return {keys[key]: count for key, count in rows}

    def search(self, holding: Mapping[str, int], limit: int) -> list[tuple[str, str]]:
        """(claim id, terms joined by spaces) of the pieces that hold these terms best by SQLite's bm25(), at most `limit`.

        holding: term → in how many pieces it is. Only pieces with one of the rarest terms are looked at, as many as are not too many together.
        """
        rarest = sorted(holding, key=lambda term: (holding[term], term))
        if not rarest:
            return []
        together = list(accumulate(holding[term] for term in rarest))
        enough = max(1, sum(count <= _MOST_ROWS for count in together))
        # A piece must hold one of the rarest terms; the others only raise it, which SQLite looks up instead of reading through them.
        wanted = _either(rarest[:enough])
        if common := rarest[enough : enough + _MOST_COMMON]:
            wanted = f"{wanted} OR ({wanted} AND {_either(common)})"
        return self.db.rows(
            "SELECT claim_id, terms FROM recall_piece WHERE recall_piece MATCH ? ORDER BY bm25(recall_piece), rowid LIMIT ?", (wanted, limit)
        )

    def without_vectors(self, model: str, limit: int) -> list[str]:
        """Searchable claims that have no vectors of this model, at most `limit`, those recorded last first."""
        query = (
            "SELECT claim_id FROM recall_piece WHERE claim_id NOT IN (SELECT claim_id FROM recall_vector WHERE model = ?)"
            " GROUP BY claim_id ORDER BY max(rowid) DESC LIMIT ?"
        )
        return [claim_id for (claim_id,) in self.db.rows(query, (model, limit))]

    def count_without_vectors(self, model: str) -> int:
        """How many searchable claims have no vectors of this model."""
        query = "SELECT count(DISTINCT claim_id) FROM recall_piece WHERE claim_id NOT IN (SELECT claim_id FROM recall_vector WHERE model = ?)"
        return int(self.db.rows(query, (model,))[0][0])

    def put_vectors(self, model: str, vectors: Mapping[str, Sequence[bytes]]) -> None:
        """claim id → the vector of each of its pieces, in the place of those it had, whatever model made them."""
        with self.db.transaction():
            self.db.many("DELETE FROM recall_vector WHERE claim_id = ?", [(claim_id,) for claim_id in vectors])
            rows = [(claim_id, model, vector) for claim_id, several in vectors.items() for vector in several]
            self.db.many("INSERT INTO recall_vector (claim_id, model, vector) VALUES (?, ?, ?)", rows)

    def vectors(self, model: str) -> list[tuple[str, bytes]]:
        """(claim id, vector) of every piece that has one of this model."""
        return self.db.rows("SELECT claim_id, vector FROM recall_vector WHERE model = ? ORDER BY id", (model,))


def _either(terms: Sequence[str]) -> str:
    """A query for any of the terms, as FTS5 reads it."""
    quoted = (f'"{term}"' for term in terms)
    return f"({' OR '.join(quoted)})"
