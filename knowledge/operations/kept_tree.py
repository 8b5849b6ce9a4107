"""Trees that git may never hold: the uncommitted content a verdict was said on, kept in the ledger."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping

from knowledge.errors import RepositoryReadError
from knowledge.records.identifiers import read_path, show_path
from knowledge.records.trees import FileEntry, Snapshot
from knowledge.repository.interface import Tree

MANIFEST = "overlay:"
"""A kept blob with this prefix and a snapshot's key lists what lies over the snapshot's git tree."""


def kept_blobs(tree: Tree) -> dict[str, bytes]:
    """What the ledger keeps so that a dirty tree can be read later: the overlaid blobs and their list; {} for a committed tree."""
    if not tree.snapshot.is_dirty:
        return {}
    over = tree.uncommitted()
    rows = [[show_path(path), entry.kind if entry else "", entry.blob_id if entry else ""] for path, entry in over.items()]
    wanted = [entry.blob_id for entry in over.values() if entry is not None and entry.kind != "submodule"]
    # A file that is too large or gone meanwhile is left out: the list still says that something lay there.
    blobs = {blob_id: content for blob_id, content in tree.read_many(wanted) if content is not None}
    blobs[MANIFEST + tree.snapshot.key] = json.dumps(rows, ensure_ascii=True).encode()
    return blobs


class KeptTree:
    """A `Tree`: git's tree with the ledger's kept files laid over it."""

    def __init__(self, under: Tree, snapshot: Snapshot, manifest: bytes, read_kept: Callable[[str], bytes | None]) -> None:
        self._under, self._snapshot, self._read_kept = under, snapshot, read_kept
        self._over: dict[bytes, FileEntry | None] = {}
        for shown, kind, blob_id in json.loads(manifest):
            path = read_path(shown)
            self._over[path] = FileEntry(path, blob_id, kind) if blob_id else None

    @property
    def snapshot(self) -> Snapshot:
        return self._snapshot

    def entries(self) -> Mapping[bytes, FileEntry]:
        """Every path, the kept ones over git's."""
        merged = {**self._under.entries(), **{p: e for p, e in self._over.items() if e is not None}}
        return {p: e for p, e in merged.items() if self._over.get(p, e) is not None}

    def entry(self, path: bytes) -> FileEntry | None:
        return self._over[path] if path in self._over else self._under.entry(path)

    def read(self, blob_id: str) -> bytes:
        """The bytes of a blob, kept or git's."""
        kept = self._read_kept(blob_id)
        return kept if kept is not None else self._under.read(blob_id)

    def size(self, blob_id: str) -> int | None:
        """Bytes of a blob; None where it is missing."""
        kept = self._read_kept(blob_id)
        return len(kept) if kept is not None else self._under.size(blob_id)

    def remarks(self) -> Mapping[bytes, str]:
        """Nothing was noted: the content is what was kept."""
        return {}

    def uncommitted(self) -> Mapping[bytes, FileEntry | None]:
        """What lies over git's tree."""
        return dict(sorted(self._over.items()))

    def read_many(self, blob_ids: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Each blob with its bytes, None for one that is gone."""
        for blob_id in blob_ids:
            try:
                yield blob_id, self.read(blob_id)
            except RepositoryReadError:
                yield blob_id, None
