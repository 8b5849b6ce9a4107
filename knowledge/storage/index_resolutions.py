"""The index's resolutions: the edges going out of one file, shared by every tree in which its reads get the same answers."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any

from knowledge.records.edges import Edge, Limitation
from knowledge.records.identifiers import SymbolId
from knowledge.records.stored import StoredResolution
from knowledge.storage.bulk import collection_paused
from knowledge.storage.database import Database
from knowledge.storage.keys import name_range, symbol_key, text_key
from knowledge.storage.packing import (
    pack_edges,
    pack_limitations,
    pack_reads,
    predicate_mask,
    unpack_edges,
    unpack_limitations,
    unpack_reads,
    unpack_targets,
)

# Two symbols of one resolution may share a key.
_ADD_TARGET = (
    "INSERT INTO edge_target (key, resolution_id, predicates) VALUES (?, ?, ?)"
    " ON CONFLICT (key, resolution_id) DO UPDATE SET predicates = predicates | excluded.predicates"
)


class ResolutionRows:
    """Resolutions by (path, fact, inputs), and the questions asked of all of them.

    Answers speak of every stored resolution, whatever tree it was made for. `within` keeps to the resolutions of one tree.
    """

    db: Database

    def find_resolutions(self, pairs: Iterable[tuple[bytes, int]]) -> list[StoredResolution]:
        """Every resolution of these (path, fact id), newest first, without its edges."""
        wanted = set(pairs)
        found = self.db.rows(
            "SELECT id, path, fact_id, inputs, reads, limitations FROM resolution WHERE fact_id IN (SELECT value FROM json_each(?)) ORDER BY id DESC",
            (_json({fact_id for _, fact_id in wanted}),),
        )
        with collection_paused(), self.db.unpacking():
            return [
                StoredResolution(path, fact_id, inputs, unpack_reads(reads), (), unpack_limitations(limitations), number)
                for number, path, fact_id, inputs, reads, limitations in found
                if (path, fact_id) in wanted
            ]

    def put_resolutions(self, rows: Iterable[StoredResolution]) -> list[int]:
        """Add resolutions; their ids, in order. One that is there already (same path, fact and inputs) keeps its id and its edges."""
        rows = list(rows)
        with collection_paused(), self.db.transaction():
            next_id = self.db.rows("SELECT coalesce(max(id), 0) + 1 FROM resolution")[0][0]
            known = self._known({row.fact_id for row in rows}) if next_id > 1 else {}
            ids: list[int] = []
            packed: list[tuple[int, bytes, int, str, bytes, bytes, bytes]] = []
            targets: list[tuple[int, int, int]] = []
            reads: list[tuple[int, int]] = []
            for row in rows:
                place = (row.fact_id, row.path, row.inputs)
                if place not in known:
                    number = known[place] = next_id
                    next_id += 1
                    edges, masks = pack_edges(row.edges)
                    packed.append((number, row.path, row.fact_id, row.inputs, pack_reads(row.reads), pack_limitations(row.limitations), edges))
                    targets += [(symbol_key(symbol), number, mask) for symbol, mask in masks.items()]
                    reads += [(key, number) for key in {text_key(read.kind, read.key) for read in row.reads}]
                ids.append(known[place])
            # In the order of their keys the rows go to the end of each page: many times quicker than as they come.
            targets.sort()
            reads.sort()
            self.db.many("INSERT INTO resolution (id, path, fact_id, inputs, reads, limitations, edges) VALUES (?, ?, ?, ?, ?, ?, ?)", packed)
            self.db.many(_ADD_TARGET, targets)
            self.db.many("INSERT INTO resolution_read (key, resolution_id) VALUES (?, ?)", reads)
        return ids

    def resolutions_reading(self, read_keys: Iterable[tuple[str, str]]) -> set[int]:
        """The resolutions that asked one of these questions (kind, key). One in 10^19 may be named that did not."""
        keys = _json({text_key(kind, key) for kind, key in read_keys})
        found = self.db.rows("SELECT resolution_id FROM resolution_read WHERE key IN (SELECT value FROM json_each(?))", (keys,))
        return {number for (number,) in found}

    def edges_from(self, resolution_ids: Iterable[int]) -> list[tuple[int, Edge]]:
        """All edges of these resolutions: (resolution id, edge)."""
        found = self.db.rows("SELECT id, edges FROM resolution WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", (_json(resolution_ids),))
        with collection_paused(), self.db.unpacking():
            return [(number, edge) for number, packed in found for edge in unpack_edges(packed)]

    def edges_into(self, symbols: Iterable[SymbolId], predicate: str | None = None, within: Collection[int] | None = None) -> list[tuple[int, Edge]]:
        """The edges whose object is one of these symbols: (resolution id, edge)."""
        wanted = set(symbols)
        found = self.db.rows(
            "SELECT DISTINCT resolution_id FROM edge_target WHERE key IN (SELECT value FROM json_each(?)) AND predicates & ?",
            (_json({symbol_key(symbol) for symbol in wanted}), predicate_mask(predicate)),
        )
        return self._matching((number for (number,) in found), within, predicate, wanted, None)

    def edges_into_name(self, predicate: str | None, qualified_name: str, within: Collection[int] | None = None) -> list[tuple[int, Edge]]:
        """The edges whose object has this qualified name, in whatever file or package; for a file its path, for an outside module its name."""
        found = self.db.rows(
            "SELECT DISTINCT resolution_id FROM edge_target WHERE key BETWEEN ? AND ? AND predicates & ?",
            (*name_range(qualified_name), predicate_mask(predicate)),
        )
        return self._matching((number for (number,) in found), within, predicate, None, qualified_name)

    def limitations(self, resolution_ids: Iterable[int]) -> dict[int, tuple[Limitation, ...]]:
        """resolution id → what it could not show; resolutions without limitations are left out."""
        found = self.db.rows("SELECT id, limitations FROM resolution WHERE id IN (SELECT value FROM json_each(?))", (_json(resolution_ids),))
        with self.db.unpacking():
            unpacked = {number: unpack_limitations(packed) for number, packed in found}
        return {number: limitations for number, limitations in unpacked.items() if limitations}

    def _matching(
        self, numbers: Iterable[int], within: Collection[int] | None, predicate: str | None, wanted: set[SymbolId] | None, name: str | None
    ) -> list[tuple[int, Edge]]:
        kept = sorted(number for number in numbers if within is None or number in within)
        found = self.db.rows("SELECT id, edges FROM resolution WHERE id IN (SELECT value FROM json_each(?)) ORDER BY id", (_json(kept),))
        with collection_paused(), self.db.unpacking():
            return [(number, edge) for number, packed in found for edge in unpack_edges(packed, predicate, wanted, name)]

    def _known(self, fact_ids: set[int]) -> dict[tuple[int, bytes, str], int]:
        found = self.db.rows("SELECT fact_id, path, inputs, id FROM resolution WHERE fact_id IN (SELECT value FROM json_each(?))", (_json(fact_ids),))
        return {(fact_id, path, inputs): number for fact_id, path, inputs, number in found}


def delete_resolutions(db: Database, numbers: Iterable[int]) -> None:
    """Remove resolutions with their rows in the thin tables, whose keys follow from their content."""
    found: list[Any] = db.rows("SELECT id, reads, edges FROM resolution WHERE id IN (SELECT value FROM json_each(?))", (_json(numbers),))
    targets, reads = [], []
    for number, packed_reads, packed_edges in found:
        targets += [(symbol_key(symbol), number) for symbol in unpack_targets(packed_edges)]
        reads += [(text_key(read.kind, read.key), number) for read in unpack_reads(packed_reads)]
    db.many("DELETE FROM edge_target WHERE key = ? AND resolution_id = ?", sorted(targets))
    db.many("DELETE FROM resolution_read WHERE key = ? AND resolution_id = ?", sorted(reads))
    db.many("DELETE FROM resolution WHERE id = ?", [(row[0],) for row in found])


def _json(values: Iterable[int]) -> str:
    return json.dumps(list(values))
