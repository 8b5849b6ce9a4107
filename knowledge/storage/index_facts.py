"""The index's facts, digests and names: what bytes say, whatever revision or path they are met at."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from knowledge.records.definition_rows import DefinitionRow
from knowledge.records.stored import FactKey, StoredFacts
from knowledge.storage.database import Database
from knowledge.storage.keys import text_key
from knowledge.storage.packing import pack_definitions, unpack_definitions


class FactRows:
    """Facts by content. `versions`: language → (parser version, analyzer version) of this program; facts of others count as absent."""

    db: Database
    versions: Mapping[str, tuple[str, str]]

    def fact_ids(self, keys: Iterable[FactKey]) -> dict[FactKey, int]:
        """The ids of the facts that are there, in the present versions; the newest where this index was told no version of a language."""
        wanted = set(keys)
        toolchains = self._present_toolchains()
        found: dict[FactKey, int] = {}
        for number, blob_id, toolchain in self.db.rows(
            "SELECT id, blob_id, toolchain_id FROM fact WHERE blob_id IN (SELECT value FROM json_each(?)) ORDER BY id",
            (_json(sorted({key.blob_id for key in wanted})),),
        ):
            key = FactKey(blob_id, toolchains.get(toolchain, ""))
            if key in wanted:
                found[key] = number
        return found

    def put_facts(self, rows: Iterable[StoredFacts]) -> dict[FactKey, int]:
        """Add facts. Those that are there already (same content, same versions) are left as they are."""
        with self.db.transaction():
            known_versions = self.db.rows("SELECT id, language, parser_version, analyzer_version FROM toolchain")
            toolchains = {(language, parser, analyzer): number for number, language, parser, analyzer in known_versions}
            first = next_id = self.db.rows("SELECT coalesce(max(id), 0) + 1 FROM fact")[0][0]
            ids: dict[tuple[FactKey, int], int] = {}
            facts: list[tuple[int, str, int, str, str, bytes, bytes]] = []
            names: list[tuple[int, int]] = []
            rows = list(rows)
            known = self._known_facts({row.key.blob_id for row in rows}) if first > 1 else {}
            for row in rows:
                toolchain = self._toolchain(toolchains, (row.key.language, row.parser_version, row.analyzer_version))
                place = (row.key, toolchain)
                number = known.get((row.key.blob_id, toolchain)) or ids.get(place)
                if number is None:
                    number, next_id = next_id, next_id + 1
                    packed = pack_definitions(row.definitions)
                    facts.append((number, row.key.blob_id, toolchain, row.remark, row.skipped, packed, row.payload))
                    names.extend((text_key(name), number) for name in {definition[0] for definition in row.definitions})
                ids[place] = number
            names.sort()
            self.db.many("INSERT INTO fact (id, blob_id, toolchain_id, remark, skipped, definitions, payload) VALUES (?, ?, ?, ?, ?, ?, ?)", facts)
            self.db.many("INSERT INTO definition_name (key, fact_id) VALUES (?, ?)", names)
        return {key: number for (key, _), number in ids.items()}

    def payloads(self, fact_ids: Iterable[int]) -> dict[int, bytes]:
        """The stored outlines, as they were given."""
        return dict(self.db.rows("SELECT id, payload FROM fact WHERE id IN (SELECT value FROM json_each(?))", (_json(fact_ids),)))

    def fact_headers(self, fact_ids: Iterable[int]) -> dict[int, tuple[FactKey, str, str]]:
        """fact id → (key, remark, the code of the limitation for which it was skipped or "")."""
        found = self.db.rows(
            "SELECT fact.id, blob_id, language, remark, skipped FROM fact JOIN toolchain ON toolchain.id = toolchain_id"
            " WHERE fact.id IN (SELECT value FROM json_each(?))",
            (_json(fact_ids),),
        )
        return {number: (FactKey(blob_id, language), remark, skipped) for number, blob_id, language, remark, skipped in found}

    def unreadable_facts(self) -> set[int]:
        """The facts of files that were skipped."""
        return {number for (number,) in self.db.rows("SELECT id FROM fact WHERE skipped <> ''")}

    def put_digests(self, fact_id: int, payload: bytes) -> None:
        """Keep the symbol hashes of one fact."""
        self.put_many_digests([(fact_id, payload)])

    def put_many_digests(self, rows: Iterable[tuple[int, bytes]]) -> None:
        """Keep the symbol hashes of many facts: (fact id, payload)."""
        with self.db.transaction():
            self.db.many("INSERT OR REPLACE INTO fact_digest (fact_id, payload) VALUES (?, ?)", rows)

    def digests(self, fact_ids: Iterable[int]) -> dict[int, bytes]:
        """The stored symbol hashes; facts without any are left out."""
        return dict(self.db.rows("SELECT fact_id, payload FROM fact_digest WHERE fact_id IN (SELECT value FROM json_each(?))", (_json(fact_ids),)))

    def definitions_named(self, names: Iterable[str]) -> list[tuple[int, int, DefinitionRow]]:
        """Every definition with one of these short names, in any stored fact: (fact id, its place in the fact, the definition)."""
        wanted = set(names)
        found = self.db.rows(
            "SELECT id, definitions FROM fact WHERE id IN"
            " (SELECT fact_id FROM definition_name WHERE key IN (SELECT value FROM json_each(?))) ORDER BY id",
            (_json(text_key(name) for name in wanted),),
        )
        with self.db.unpacking():
            return [
                (number, place, definition)
                for number, packed in found
                for place, definition in enumerate(unpack_definitions(packed))
                if definition[0] in wanted
            ]

    def definitions_of(self, fact_ids: Iterable[int]) -> dict[int, list[DefinitionRow]]:
        """fact id → its definitions."""
        found = self.db.rows("SELECT id, definitions FROM fact WHERE id IN (SELECT value FROM json_each(?))", (_json(fact_ids),))
        with self.db.unpacking():
            return {number: unpack_definitions(packed) for number, packed in found}

    def all_definition_names(self, fact_ids: Iterable[int]) -> set[str]:
        """The short names that these facts define."""
        return {definition[0] for definitions in self.definitions_of(fact_ids).values() for definition in definitions}

    def _present_toolchains(self) -> dict[int, str]:
        """toolchain id → language, for the versions of this program."""
        return {
            number: language
            for number, language, *versions in self.db.rows("SELECT id, language, parser_version, analyzer_version FROM toolchain")
            if self.versions.get(language, tuple(versions)) == tuple(versions)
        }

    def _toolchain(self, known: dict[tuple[str, str, str], int], wanted: tuple[str, str, str]) -> int:
        if wanted not in known:
            known[wanted] = max(known.values(), default=0) + 1
            self.db.run("INSERT INTO toolchain (id, language, parser_version, analyzer_version) VALUES (?, ?, ?, ?)", (known[wanted], *wanted))
        return known[wanted]

    def _known_facts(self, blob_ids: set[str]) -> dict[tuple[str, int], int]:
        found = self.db.rows(
            "SELECT blob_id, toolchain_id, id FROM fact WHERE blob_id IN (SELECT value FROM json_each(?))", (_json(sorted(blob_ids)),)
        )
        return {(blob_id, toolchain): number for blob_id, toolchain, number in found}


def _json(values: Iterable[int | str]) -> str:
    return json.dumps(list(values))
