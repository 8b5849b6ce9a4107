"""Which commit changed what a claim stands on: the one since which an anchor no longer reads as its verdict says.

    verdict's revision ── first parents ──→ this tree

A bounded walk along first parents, readings compared at the commits that touched the files concerned: one after another where these are few, by
halves where they are many or a whole tree has to be indexed for each reading. Where that is a merge, the branch that it brought is walked in the same
way, and so on inwards; a merge that made it by itself stays. Where it is not found, the answer says why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from knowledge.claims.anchors import compare, read
from knowledge.claims.predicates import decide, twin_kind
from knowledge.claims.view import FactsView, TreeView
from knowledge.errors import RepositoryReadError, UnknownRevisionError
from knowledge.invalidation.propagate import Past
from knowledge.operations.reading import Reading
from knowledge.operations.tree_view import IndexedTree, TreeFiles
from knowledge.operations.versions import CURRENT_VERSIONS
from knowledge.records.claims import Anchor, AnchorReading, Predicate, Verdict
from knowledge.records.edges import Edge
from knowledge.records.identifiers import SymbolId
from knowledge.records.trees import Commit

MOST_COMMITS = 1_000
"""How far back is looked."""
_FEW, _FEW_WHOLE = 24, 4
"""So many readings one after another: of single files, and of whole trees."""
_DEEPEST = 16
"""So many merges within merges."""
_OF_WHOLE_TREES = frozenset({"set", "edge"})


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """The commit that changed it; None where it was not found. how: how it was found, or why not. is_change: False where nothing changed at all."""

    commit: Commit | None
    how: str
    is_change: bool = True


def turning_point(count: int, marks: Iterable[int], is_same: Callable[[int], bool], few: int) -> int:
    """Of `count` points, oldest first, the one since which nothing is as it was: it was so before the first, and is not at the last.

    marks: the points that are likely to have changed it. Where they are more than `few` it is looked for by halves, and a change that was taken
    back in between may be the one that is found.
    """
    stops = sorted({m for m in marks if 0 <= m < count - 1} | {count - 1})
    low, high = -1, count - 1
    if len(stops) <= few:
        for stop in reversed(stops[:-1]):
            if is_same(stop):
                low = stop
                break
            high = stop
    else:
        first, last = 0, len(stops) - 1
        while first < last:
            middle = (first + last) // 2
            if is_same(stops[middle]):
                first, low = middle + 1, stops[middle]
            else:
                last = middle
        high = stops[last]
    # Between two marks nothing that is likely changed; what did it may be elsewhere.
    if high - low > 1 and not is_same(high - 1):
        high -= 1
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if is_same(middle) else (low, middle)
    return high


class TreeByHalf(TreeFiles):
    """A revision's tree whose files are read one by one; it is indexed whole only when something asks for more than single files."""

    def __init__(self, files: TreeFiles, index: Callable[[], IndexedTree]) -> None:
        super().__init__(files.tree, files.loader)
        self._index = index

    @cached_property
    def whole(self) -> IndexedTree:
        """The indexed tree."""
        return self._index()

    def definitions(self, qualified_name: str) -> Sequence[SymbolId]:
        return self.whole.definitions(qualified_name)

    def paths_of_blob(self, blob_id: str) -> Sequence[bytes]:
        return self.whole.paths_of_blob(blob_id)

    def paths_named(self, name: bytes) -> Sequence[bytes]:
        return self.whole.paths_named(name)

    def edges_from(self, symbol: SymbolId, predicate: str) -> Sequence[Edge]:
        return self.whole.edges_from(symbol, predicate)

    def edges_into(self, symbol: SymbolId, predicate: str) -> Sequence[Edge]:
        return self.whole.edges_into(symbol, predicate)

    def package_of(self, path: bytes) -> str:
        return self.whole.package_of(path)

    def kinds_of(self, path: bytes) -> frozenset[str]:
        return self.whole.kinds_of(path)

    def packages_of(self, path: bytes) -> Sequence[str]:
        return self.whole.packages_of(path)

    def unreadable_in(self, package: str) -> Sequence[bytes]:
        return self.whole.unreadable_in(package)

    def unresolved_in(self, package: str) -> Sequence[str]:
        return self.whole.unresolved_in(package)


@dataclass(frozen=True, slots=True)
class _Line:
    """The commits in which it is looked for, oldest first, and the revision before them. is_verdicts: that one is the verdict's own, and clean."""

    base: str
    commits: tuple[Commit, ...]
    is_verdicts: bool
    why_not: str
    """what is said where the base reads otherwise already, and none of the commits reads as the verdict does"""


class TurningPoints:
    """Looks for the turning points of the anchors of one verdict, seen from one tree."""

    def __init__(self, reading: Reading, verdict: Verdict, view: IndexedTree) -> None:
        self._reading, self._verdict, self._view = reading, verdict, view
        self._repository = reading.project.repository
        self._opened: dict[str, TreeByHalf] = {}

    def of_anchor(self, anchor: Anchor, paths: Iterable[bytes]) -> TurningPoint:
        """When an anchor ceased to read as the verdict has it. paths: the files in which that is likely to have happened."""
        trees = self._reading.trees
        old, then = self._verdict.fingerprint[anchor.digest], trees.then(self._verdict)
        is_outdated = Past(trees.then, trees.whole_then, CURRENT_VERSIONS).is_outdated(self._verdict)
        if is_outdated and (whole := trees.whole_then(self._verdict)) is not None:
            old, then = read(anchor, whole, whole, replace(old, was="")), whole
        is_unreadable = _reads(anchor, then, self._view, old) == "unreadable"

        def is_same(tree: TreeView) -> bool:
            # A file that did not parse for a while is no change, unless that is what is wrong now.
            return _reads(anchor, then, tree, old) in ("", "" if is_unreadable else "unreadable")

        return self._search(is_same, paths, _FEW_WHOLE if anchor.kind in _OF_WHOLE_TREES else _FEW)

    def of_predicate(self, predicate: Predicate, recorded: Verdict, paths: Iterable[bytes]) -> TurningPoint:
        """When a predicate ceased to hold, as far as it can be decided."""
        then = self._reading.trees.then(recorded)
        few = _FEW_WHOLE if twin_kind(predicate) in _OF_WHOLE_TREES else _FEW
        return self._search(lambda tree: decide(predicate, then, tree).holds is not False, paths, few, was_sure=False)

    def _search(self, is_same: Callable[[TreeView], bool], paths: Iterable[bytes], few: int, *, was_sure: bool = True) -> TurningPoint:
        """was_sure: it is known that things were so where the verdict was said. Not so of a predicate: a claim may be false from the start."""
        revision = self._view.tree.snapshot.revision
        if revision is None:
            return TurningPoint(None, "there is no commit yet")
        try:
            if self._view.tree.snapshot.is_dirty and is_same(self._at(revision)):
                return TurningPoint(None, "in uncommitted files")
            if not was_sure and self._line.is_verdicts and not is_same(self._at(self._line.base)):
                return TurningPoint(None, "it was so already where it was recorded", is_change=False)
            return self._along(self._line, is_same, tuple(paths), few)
        except (RepositoryReadError, UnknownRevisionError) as missing:
            return TurningPoint(None, f"git no longer has it: {missing.message}")

    def _along(self, line: _Line, is_same: Callable[[TreeView], bool], paths: tuple[bytes, ...], few: int) -> TurningPoint:
        commits, marks = line.commits, self._marks(line, paths)

        def is_same_at(point: int) -> bool:
            return is_same(self._at(commits[point].revision))

        start = -1
        if not line.is_verdicts and not is_same(self._at(line.base)):
            # Rewritten or said on uncommitted files: the state that the verdict saw may be further on.
            start = next((m for m in reversed(marks[-few:]) if m < len(commits) - 1 and is_same_at(m)), -1)
            if start < 0:
                return TurningPoint(None, line.why_not)
        if not commits:
            return TurningPoint(None, line.why_not)
        after = [m - start - 1 for m in marks if m > start]
        found = start + 1 + turning_point(len(commits) - start - 1, after, lambda point: is_same_at(start + 1 + point), few)
        point = TurningPoint(commits[found], "by comparing readings" + ("" if len(after) <= few else ", by halves"))
        return self._within(point, is_same, paths, few)

    def _within(self, point: TurningPoint, is_same: Callable[[TreeView], bool], paths: tuple[bytes, ...], few: int) -> TurningPoint:
        """The commit that did it in the branch which a merge brought; the merge where it did it by itself."""
        merged = []
        for _ in range(_DEEPEST):
            merge = point.commit
            branch = self._branch_of(merge, is_same) if merge is not None and len(merge.parents) > 1 else None
            if merge is None or branch is None:
                break
            merged.append(merge.revision[:8])
            marks = self._marks(branch, paths)
            found = turning_point(len(branch.commits), marks, lambda at, line=branch: is_same(self._at(line.commits[at].revision)), few)  # type: ignore[misc]
            point = TurningPoint(branch.commits[found], point.how)
        return replace(point, how=f"{point.how}, in the branch that {', '.join(merged)} merged") if merged else point

    def _branch_of(self, merge: Commit, is_same: Callable[[TreeView], bool]) -> _Line | None:
        """The commits of a merged branch on which it changed: it was so where the branch parted, and is not at its end."""
        changed = [parent for parent in merge.parents if not is_same(self._at(parent))]
        others = [parent for parent in merge.parents if parent not in changed]
        for tip, other in ((tip, other) for tip in changed for other in others):
            base = self._repository.merge_base(tip, other)
            if base is None or base == tip or not is_same(self._at(base)):
                continue
            chain = list(self._repository.walk(tip, first_parent=True, limit=MOST_COMMITS + 1))
            count = self._count_after(chain, base)
            if 0 < count <= MOST_COMMITS:
                return _Line(base, tuple(reversed(chain[:count])), True, "")
        return None

    def _at(self, revision: str) -> TreeByHalf:
        if revision not in self._opened:
            trees = self._reading.trees
            files = TreeFiles(self._repository.tree(revision), trees.loader)
            self._opened[revision] = TreeByHalf(files, lambda: trees.at(revision))
        return self._opened[revision]

    def _marks(self, line: _Line, paths: Sequence[bytes]) -> list[int]:
        """The commits that touched one of the paths."""
        found, before = [], self._blobs(line.base, paths)
        for point, commit in enumerate(line.commits):
            now = self._blobs(commit.revision, paths)
            if now != before:
                found.append(point)
            before = now
        return found

    def _blobs(self, revision: str, paths: Sequence[bytes]) -> list[str]:
        tree = self._repository.tree(revision)
        entries = (tree.entry(path) for path in paths)
        return [entry.blob_id if entry is not None else "" for entry in entries]

    @cached_property
    def _line(self) -> _Line:
        head, said = self._view.tree.snapshot.revision, self._verdict.revision
        assert head is not None
        chain = list(self._repository.walk(head, first_parent=True, limit=MOST_COMMITS + 1))
        if said is None or not self._repository.has_object(said):
            why = f"git no longer has the revision of the verdict, and nothing in {len(chain)} commits reads as it did there"
            return _Line(chain[-1].revision, tuple(reversed(chain[:-1])), False, why)
        shared = said if self._repository.is_ancestor(said, head) else self._repository.merge_base(said, head)
        if shared is None:
            return _Line(chain[-1].revision, tuple(reversed(chain[:-1])), False, "the revision of the verdict has nothing in common with this line")
        count = self._count_after(chain, shared)
        if count == len(chain) > MOST_COMMITS:
            return _Line(chain[-1].revision, tuple(reversed(chain[:-1])), False, f"not within the last {MOST_COMMITS:,} commits")
        is_clean = shared == said and self._verdict.snapshot_key == self._verdict.tree_id
        if is_clean:
            why = "what it stands on is the same at this commit"
        elif shared == said:
            why = "the verdict was said on uncommitted files, and no commit since reads as they did"
        else:
            why = f"this line parted from that of the verdict at {shared[:8]}, and never read as it did"
        return _Line(shared, tuple(reversed(chain[:count])), is_clean, why)

    def _count_after(self, chain: Sequence[Commit], shared: str) -> int:
        """How many of the commits, newest first, came after `shared`: have it in their history, but are not it."""
        low, high = 0, len(chain)
        while low < high:
            middle = (low + high) // 2
            revision = chain[middle].revision
            if revision != shared and self._repository.is_ancestor(shared, revision):
                low = middle + 1
            else:
                high = middle
        return low


def _reads(anchor: Anchor, then: FactsView | None, now: TreeView, old: AnchorReading) -> str:
    """Why an anchor does not read as it did; "" where it does."""
    cause = compare(anchor, old, read(anchor, then, now, old))
    return cause.reason if cause is not None else ""
