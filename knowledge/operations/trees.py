"""The trees of one operation: the one that is asked about, and the ones in which verdicts were said."""

from __future__ import annotations

from knowledge.errors import RepositoryReadError, UnknownRevisionError
from knowledge.facts.extraction import FactExtractor
from knowledge.operations.indexing import IndexRun, index_tree
from knowledge.operations.kept_tree import MANIFEST, KeptTree
from knowledge.operations.project import WORKING_TREE, Project
from knowledge.operations.tree_view import FactLoader, IndexedTree, TreeFiles
from knowledge.records.claims import Verdict
from knowledge.records.trees import Snapshot


class Trees:
    """Opens trees once. `then` answers for a verdict's tree; None where neither git nor the ledger holds it any more."""

    def __init__(self, project: Project, extractor: FactExtractor) -> None:
        self._project = project
        self.loader = FactLoader(project.index, extractor, project.repository)
        self._extractor = extractor
        self._indexed: dict[str, IndexedTree] = {}
        self._then: dict[str, TreeFiles | None] = {}

    def at(self, name: str | None = None) -> IndexedTree:
        """The tree of a revision; None: the working tree as it is. Raises UnknownRevisionError."""
        repository = self._project.repository
        if name is None:
            name = WORKING_TREE if repository.workdir is not None else "HEAD"
        tree = repository.tree(name)
        return self.index(tree_run=IndexRun(self._project, self.loader, self._extractor, tree))

    def index(self, tree_run: IndexRun) -> IndexedTree:
        """The indexed tree of a run, indexed now if it is not yet."""
        key = tree_run.tree.snapshot.key
        if key not in self._indexed:
            self._indexed[key] = index_tree(tree_run).view
        return self._indexed[key]

    def then(self, verdict: Verdict) -> TreeFiles | None:
        """The tree in which a verdict was said."""
        return self.then_of_tree(verdict.tree_id, verdict.snapshot_key)

    def then_of_tree(self, tree_id: str, key: str = "") -> TreeFiles | None:
        """The tree with that id, or what was laid over it where `key` names more; None where it cannot be read any more."""
        key = key or tree_id
        if key in self._indexed:
            return self._indexed[key]
        if key not in self._then:
            self._then[key] = self._open_then(tree_id, key)
        return self._then[key]

    def whole_then(self, verdict: Verdict) -> IndexedTree | None:
        """The verdict's tree with its edges, indexed now if need be: for verdicts that were said with earlier analyzers."""
        return self.whole_tree(verdict.tree_id, verdict.snapshot_key)

    def whole_tree(self, tree_id: str, key: str = "") -> IndexedTree | None:
        """As `then_of_tree`, with its edges."""
        found = self.then_of_tree(tree_id, key)
        if found is None or isinstance(found, IndexedTree):
            return found
        return self.index(IndexRun(self._project, self.loader, self._extractor, found.tree))

    def _open_then(self, tree_id: str, key: str) -> TreeFiles | None:
        repository, ledger = self._project.repository, self._project.ledger
        if not repository.has_object(tree_id):
            return None
        try:
            under = repository.tree(tree_id)
        except (UnknownRevisionError, RepositoryReadError):
            return None
        if key == tree_id:
            return TreeFiles(under, self.loader)
        manifest = ledger.kept_blob(MANIFEST + key)
        if manifest is None:
            return None
        snapshot = Snapshot(key, tree_id, None, "kept", is_dirty=True)
        return TreeFiles(KeptTree(under, snapshot, manifest, ledger.kept_blob), self.loader)
