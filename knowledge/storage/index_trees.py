"""The index's trees: which facts and resolutions a tree's paths have. And the collection of what no kept tree needs.

A tree is stored as what differs from a base tree; after `CHAIN_DEPTH` of them it is stored whole, so reading one never takes long.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from knowledge.records.stored import Collected, TreeFile, TreeRows
from knowledge.storage.database import Database
from knowledge.storage.index_resolutions import delete_resolutions
from knowledge.storage.keys import text_key
from knowledge.storage.packing import add_to_manifest, apply_manifest, pack_manifest, unpack_definitions

CHAIN_DEPTH = 32
_BATCH = 2_000
_REMEMBERED = 4
"""So many trees are kept as read."""


class TreeStore:
    """Trees by key, least recently used ones collected."""

    db: Database
    _remembered: dict[int, dict[bytes, tuple[int, int]]]
    """tree id → its files, as read since the database was at `_read_at`"""
    _read_at: int

    def put_tree(
        self, key: str, base: str | None, files: Iterable[TreeFile], removed: Iterable[bytes] = (), meta: dict[str, Any] | None = None
    ) -> None:
        """Store a tree: all its files (base None), or what differs from `base`, a tree that is stored. A tree with that key is replaced.

        Raises KeyError where `base` is not stored.
        """
        changed = {file.path: (file.fact_id, file.resolution_id) for file in files}
        with self.db.transaction():
            base_id, depth = None, 0
            if base is not None:
                row = self.db.rows("SELECT id, depth FROM tree WHERE key = ?", (base,))
                if not row:
                    raise KeyError(base)
                base_id, depth = row[0][0], row[0][1] + 1
                if depth > CHAIN_DEPTH:
                    whole = dict(self._files(base_id))
                    for path in removed:
                        whole.pop(path, None)
                    changed, removed, base_id, depth = whole | changed, (), None, 0
            # Other trees may be told as differences from the tree that is replaced: it stays, without a name, while they do.
            is_replaced = self.db.run("UPDATE tree SET key = NULL WHERE key = ?", (key,)).rowcount > 0
            self.db.run(
                "INSERT INTO tree (key, base_id, depth, used, manifest, meta) VALUES (?, ?, ?, (SELECT coalesce(max(used), 0) + 1 FROM tree), ?, ?)",
                (key, base_id, depth, pack_manifest(changed, removed), json.dumps(meta or {})),
            )
            if is_replaced:
                self._forget([])

    def add_to_tree(self, key: str, rows: Iterable[TreeFile], meta: dict[str, Any], files: Mapping[bytes, tuple[int, int]]) -> None:
        """Say more of a tree that is stored: rows in place of what it has of their paths, and what is kept with it.

        Trees that are told as differences from it stay as they are. files: the whole tree, stored where it was collected meanwhile.
        """
        rows = list(rows)
        with self.db.transaction():
            found = self.db.rows("SELECT id, manifest FROM tree WHERE key = ?", (key,))
            if not found:
                self.put_tree(key, None, (TreeFile(path, *row) for path, row in files.items()), (), meta)
            elif self.db.rows("SELECT 1 FROM tree WHERE base_id = ? LIMIT 1", (found[0][0],)):
                self.put_tree(key, key, rows, (), meta)
            else:
                number, manifest = found[0]
                packed = add_to_manifest(manifest, {row.path: (row.fact_id, row.resolution_id) for row in rows})
                self._remembered.pop(number, None)
                self.db.run("UPDATE tree SET manifest = ?, meta = ? WHERE id = ?", (packed, json.dumps(meta), number))

    def tree(self, key: str) -> TreeRows | None:
        """The tree with that key; None where it is not stored."""
        row = self.db.rows("SELECT id, meta FROM tree WHERE key = ?", (key,))
        return TreeRows(key, dict(self._files(row[0][0])), json.loads(row[0][1])) if row else None

    def tree_meta(self, key: str) -> dict[str, Any] | None:
        """What is kept with the tree; None where it is not stored."""
        row = self.db.rows("SELECT meta FROM tree WHERE key = ?", (key,))
        return json.loads(row[0][0]) if row else None

    def has_tree(self, key: str) -> bool:
        return bool(self.db.rows("SELECT 1 FROM tree WHERE key = ?", (key,)))

    def latest_tree(self) -> str | None:
        """The key of the tree that was put or touched last."""
        row = self.db.rows("SELECT key FROM tree WHERE key IS NOT NULL ORDER BY used DESC, id DESC LIMIT 1")
        return row[0][0] if row else None

    def touch_tree(self, key: str) -> None:
        """Say that a tree is in use, so that it is collected late. Writes nothing where it is the latest already."""
        if self.latest_tree() != key:
            with self.db.transaction():
                self.db.run("UPDATE tree SET used = (SELECT coalesce(max(used), 0) + 1 FROM tree) WHERE key = ?", (key,))

    def collect(self, keep: set[str], max_trees: int, max_bytes: int) -> Collected:
        """Remove trees, least recently used first, until at most `max_trees` are left and the file uses at most `max_bytes`.

        Trees in `keep` stay whatever the bounds. Facts and resolutions that no tree left needs go with them, and the file shrinks.
        Not inside a transaction.
        """
        trees = resolutions = facts = 0
        is_swept = False
        while True:
            size = self.size()
            doomed = self._in_excess(keep, max_trees, is_too_large=size > max_bytes)
            if not doomed and (is_swept or size <= max_bytes):
                return Collected(trees, resolutions, facts, size, size > max_bytes)
            with self.db.transaction():
                self._forget(doomed)
                counts = self._sweep()
            self.db.give_back_pages()
            trees, resolutions, facts = trees + len(doomed), resolutions + counts[0], facts + counts[1]
            is_swept = True

    def tree_count(self) -> int:
        """How many trees have a name."""
        return int(self.db.rows("SELECT count(*) FROM tree WHERE key IS NOT NULL")[0][0])

    def size(self) -> int:
        """Bytes in use: pages that are free do not count."""
        pages, free, size = (self.db.rows(f"PRAGMA {name}")[0][0] for name in ("page_count", "freelist_count", "page_size"))
        return int((pages - free) * size)

    def _in_excess(self, keep: set[str], max_trees: int, *, is_too_large: bool) -> list[int]:
        """The trees to forget next: those beyond the bound; half of those that may go where the file is too large."""
        named = self.db.rows("SELECT id, key FROM tree WHERE key IS NOT NULL ORDER BY used, id")
        free = [number for number, key in named if key not in keep]
        return free[: max(0, len(named) - max_trees, (len(free) + 1) // 2 if is_too_large else 0)]

    def _files(self, number: int) -> dict[bytes, tuple[int, int]]:
        """The files of a tree: not to be changed. The last few are remembered, and what comes after one of them is laid over it."""
        version = self.db.rows("PRAGMA data_version")[0][0]
        if version != self._read_at:
            # Another process wrote: a tree may say more than before.
            self._remembered.clear()
            self._read_at = version
        if number not in self._remembered:
            [(base_id, manifest)] = self.db.rows("SELECT base_id, manifest FROM tree WHERE id = ?", (number,))
            if base_id in self._remembered:
                files = dict(self._remembered[base_id])
                apply_manifest(manifest, files)
            else:
                files = self._chained(number)
            self._remembered[number] = files
            while len(self._remembered) > _REMEMBERED:
                del self._remembered[next(iter(self._remembered))]
        return self._remembered[number]

    def _chained(self, number: int) -> dict[bytes, tuple[int, int]]:
        chain = self.db.rows(
            "WITH RECURSIVE chain (id, base_id, manifest, depth) AS (SELECT id, base_id, manifest, depth FROM tree WHERE id = ?"
            " UNION ALL SELECT tree.id, tree.base_id, tree.manifest, tree.depth FROM tree JOIN chain ON tree.id = chain.base_id)"
            " SELECT manifest FROM chain ORDER BY depth",
            (number,),
        )
        files: dict[bytes, tuple[int, int]] = {}
        with self.db.unpacking():
            for (manifest,) in chain:
                apply_manifest(manifest, files)
        return files

    def _forget(self, doomed: list[int]) -> None:
        """Take the trees' names away, then remove every nameless tree that no named one builds on."""
        self._remembered.clear()
        self.db.many("UPDATE tree SET key = NULL WHERE id = ?", [(number,) for number in doomed])
        self.db.run(
            "WITH RECURSIVE needed (id) AS (SELECT id FROM tree WHERE key IS NOT NULL"
            " UNION SELECT tree.base_id FROM tree JOIN needed ON tree.id = needed.id WHERE tree.base_id IS NOT NULL)"
            " DELETE FROM tree WHERE id NOT IN (SELECT id FROM needed)"
        )

    def _sweep(self) -> tuple[int, int]:
        """Remove the resolutions and facts of no tree, but for the newest of each, whose id would be given again: (how many of each)."""
        used_facts, used_resolutions = self._in_use()
        resolutions = [number for (number,) in self.db.rows("SELECT id FROM resolution ORDER BY id")[:-1] if number not in used_resolutions]
        facts = [number for (number,) in self.db.rows("SELECT id FROM fact ORDER BY id")[:-1] if number not in used_facts]
        for start in range(0, len(resolutions), _BATCH):
            delete_resolutions(self.db, resolutions[start : start + _BATCH])
        for start in range(0, len(facts), _BATCH):
            self._delete_facts(facts[start : start + _BATCH])
        return len(resolutions), len(facts)

    def _in_use(self) -> tuple[set[int], set[int]]:
        """The facts and resolutions of all named trees. Each chain is walked once, from its base outwards."""
        facts, resolutions = {0}, {0}
        rows = self.db.rows("SELECT id, base_id, key, manifest FROM tree ORDER BY depth, id")
        children: dict[int | None, list[int]] = {}
        for number, base_id, _, _ in rows:
            children.setdefault(base_id, []).append(number)
        by_id = {number: (key, manifest) for number, _, key, manifest in rows}
        pending: list[tuple[int, dict[bytes, tuple[int, int]], bool]] = [(number, {}, False) for number in children.get(None, ())]
        while pending:
            number, files, is_counted = pending.pop()
            key, manifest = by_id[number]
            own = apply_manifest(manifest, files)
            if key is not None:
                # What it shares with the tree that it is told as a difference from is counted already, where that one has a name.
                rows = [files[path] for path in own] if is_counted else list(files.values())
                facts.update(fact for fact, _ in rows)
                resolutions.update(resolution for _, resolution in rows)
            branches = children.get(number, [])
            pending += [(child, files if place == len(branches) - 1 else dict(files), key is not None) for place, child in enumerate(branches)]
        return facts, resolutions

    def _delete_facts(self, numbers: list[int]) -> None:
        found = self.db.rows("SELECT id, definitions FROM fact WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(numbers),))
        names = [(text_key(definition[0]), number) for number, packed in found for definition in unpack_definitions(packed)]
        self.db.many("DELETE FROM definition_name WHERE key = ? AND fact_id = ?", sorted(names))
        rows = [(number,) for number in numbers]
        self.db.many("DELETE FROM fact_digest WHERE fact_id = ?", rows)
        self.db.many("DELETE FROM fact WHERE id = ?", rows)
