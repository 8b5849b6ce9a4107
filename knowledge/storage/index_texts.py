"""The index's full texts: which files speak of some words, and what earlier commits said and touched.

A text is kept only as SQLite's inverted index of it, never as a copy. Its rows cannot be taken out one by one: those of contents that
no tree needs stay until they are more than half, then all begins anew.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence

from knowledge.records.stored import PastCommit
from knowledge.storage.database import Database
from knowledge.storage.packing import pack_past_commit, pack_past_line, unpack_past_commit, unpack_past_line

_LEAST_RARITY = 1e-6
_KEPT_LINES = 16


class TextRows:
    """Full-text search over contents by blob id, and the words and paths of commits by revision."""

    db: Database

    def missing_texts(self, blob_ids: Iterable[str]) -> list[str]:
        """The contents among these that are not searchable yet, in the order given."""
        wanted = list(dict.fromkeys(blob_ids))
        found = self.db.rows("SELECT blob_id FROM text_blob WHERE blob_id IN (SELECT value FROM json_each(?))", (json.dumps(wanted),))
        known = {blob_id for (blob_id,) in found}
        return [blob_id for blob_id in wanted if blob_id not in known]

    def put_texts(self, texts: Iterable[tuple[str, str]]) -> None:
        """Make contents searchable: (blob id, text). Those that are already are left as they are."""
        with self.db.transaction():
            texts = list(texts)
            missing = set(self.missing_texts(blob_id for blob_id, _ in texts))
            number = self.db.rows("SELECT coalesce(max(id), 0) FROM text_blob")[0][0]
            for blob_id, text in texts:
                if blob_id in missing:
                    missing.discard(blob_id)
                    number += 1
                    self.db.run("INSERT INTO text_blob (id, blob_id) VALUES (?, ?)", (number, blob_id))
                    self.db.run("INSERT INTO blob_text (rowid, body) VALUES (?, ?)", (number, text))

    def texts_with(self, words: Iterable[str]) -> dict[str, dict[str, float]]:
        """word → blob id → how strongly the content holds it, between 0 and 2.2: the part of BM25 that knows nothing of other contents.

        What SQLite's bm25() returns is that times the word's rarity among all that is searchable, contents of other trees included. Its source
        (fts5_aux.c) takes log((N - n + 0.5) / (n + 0.5)), and a millionth where that is not positive.
        """
        total = self.db.rows("SELECT count(*) FROM text_blob")[0][0]
        return {word: self._holders(word, total) for word in words}

    def _holders(self, word: str, total: int) -> dict[str, float]:
        found = self.db.rows(
            "SELECT text_blob.blob_id, -bm25(blob_text) FROM blob_text JOIN text_blob ON text_blob.id = blob_text.rowid WHERE blob_text MATCH ?",
            ('"' + word.replace('"', "") + '"',),
        )
        rarity = math.log((total - len(found) + 0.5) / (len(found) + 0.5)) if found else 0.0
        return {blob_id: score / (rarity if rarity > 0 else _LEAST_RARITY) for blob_id, score in found}

    def sweep_texts(self) -> None:
        """Begin anew where more than half of what is searchable belongs to no stored facts any more."""
        total, unused = self.db.rows("SELECT count(*), coalesce(sum(blob_id NOT IN (SELECT blob_id FROM fact)), 0) FROM text_blob")[0]
        if unused * 2 > total:
            with self.db.transaction():
                self.db.run("DELETE FROM text_blob")
                self.db.run("INSERT INTO blob_text (blob_text) VALUES ('delete-all')")

    def past_commits(self, revisions: Iterable[str]) -> dict[str, PastCommit]:
        """What is kept of these commits; those that were never read are left out."""
        found = self.db.rows(
            "SELECT revision, payload FROM past_commit WHERE revision IN (SELECT value FROM json_each(?))", (json.dumps(list(revisions)),)
        )
        with self.db.unpacking():
            return {revision: unpack_past_commit(payload) for revision, payload in found}

    def past_line(self, revision: str) -> list[PastCommit] | None:
        """The commits up to a revision, as they were put; None where they were not, or are forgotten."""
        found = self.db.rows("SELECT payload FROM past_line WHERE revision = ?", (revision,))
        with self.db.unpacking():
            return unpack_past_line(found[0][0]) if found else None

    def put_past_line(self, revision: str, commits: Sequence[PastCommit]) -> None:
        """Keep the commits up to a revision in one piece; of such lines only the last few are kept."""
        with self.db.transaction():
            self.db.run(
                "INSERT OR REPLACE INTO past_line (revision, used, payload) VALUES (?, (SELECT coalesce(max(used), 0) + 1 FROM past_line), ?)",
                (revision, pack_past_line(commits)),
            )
            self.db.run("DELETE FROM past_line WHERE used <= (SELECT max(used) FROM past_line) - ?", (_KEPT_LINES,))

    def put_past_commits(self, commits: Mapping[str, PastCommit]) -> None:
        """Keep what commits said and touched, for good: a commit never changes."""
        with self.db.transaction():
            self.db.many(
                "INSERT OR REPLACE INTO past_commit (revision, payload) VALUES (?, ?)", ((r, pack_past_commit(c)) for r, c in commits.items())
            )
