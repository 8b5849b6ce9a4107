"""Reading claims in a tree: stored statuses where they are good, computed ones for what differs.

Statuses are stored for each worktree's HEAD. Any other tree (a revision, uncommitted changes) is read as a difference from it: only the claims
that the difference can touch are looked at, and nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import date

from knowledge.claims.contradictions import Contradiction, conflict_id, resolutions
from knowledge.claims.lifecycle import dropped_of, standing_of
from knowledge.errors import UnknownRecordError
from knowledge.facts.extraction import FactExtractor
from knowledge.invalidation.changes import FileChange, FileSide, keys_of_edges, keys_of_file
from knowledge.invalidation.dependencies import concerned, with_derived
from knowledge.invalidation.propagate import Held, Outcome, Past, evaluate, premises_of, rests_on
from knowledge.operations.figures import Figures, counts_statuses
from knowledge.operations.project import Project
from knowledge.operations.tree_view import IndexedTree
from knowledge.operations.trees import Trees
from knowledge.operations.versions import CURRENT_VERSIONS, RULES
from knowledge.records.claims import ClaimStatus
from knowledge.records.events import DEPENDENCE_TYPES, STANDING_TYPES
from knowledge.records.stored import CONTRADICTS, DEPENDS_ON, WorktreeState


@dataclass(frozen=True, slots=True)
class Difference:
    """What may differ in a tree from the stored statuses: the claims to look at (None: all of them)."""

    claims: frozenset[str] | None


class Reading:
    """One operation's way to trees and statuses. Loads each claim and opens each tree once."""

    def __init__(self, project: Project, extractor: FactExtractor | None = None) -> None:
        self.project = project
        self.trees = Trees(project, extractor or FactExtractor())
        self._held: dict[str, Held] = {}
        self._differences: dict[tuple[WorktreeState | None, str, int], Difference] = {}

    def today(self) -> date:
        """The day that periods are counted to."""
        return self.project.clock().date()

    # ── claims ──

    def held(self, claim_ids: Iterable[str]) -> dict[str, Held]:
        """The claims with their anchors, verdicts and standing. Raises UnknownRecordError."""
        wanted = list(dict.fromkeys(claim_ids))
        missing = [c for c in wanted if c not in self._held]
        if missing:
            ledger = self.project.ledger
            claims = {c.id: c for c in ledger.claims(ids=missing)}
            anchors, verdicts = ledger.anchors_of(missing), ledger.verdicts(missing)
            said = ledger.events_of(missing, (*STANDING_TYPES, *DEPENDENCE_TYPES))
            related = self._related(missing)
            for claim_id in missing:
                if claim_id not in claims:
                    raise UnknownRecordError(f"there is no claim {claim_id}")
                self._held[claim_id] = Held(
                    claims[claim_id],
                    anchors.get(claim_id, ()),
                    tuple(verdicts.get(claim_id, ())),
                    standing_of(said.get(claim_id, ())),
                    *related.get(claim_id, ((), ())),
                    dropped_of(said.get(claim_id, ())),
                )
        return {c: self._held[c] for c in wanted}

    def suppose(self, held: Held) -> None:
        """Take a claim that is not stored as if it were, for as long as this reading lasts."""
        self._held[held.claim.id] = held

    def _related(self, claim_ids: Iterable[str]) -> dict[str, tuple[tuple[str, ...], tuple[Contradiction, ...]]]:
        """claim id → premises added later, and its conflicts, each once. Claims that this ledger does not have are passed over."""
        ledger, found = self.project.ledger, {}
        relations = ledger.relations_of(claim_ids, (CONTRADICTS, DEPENDS_ON))
        if not relations:
            return {}
        kinds = {c.id: c.kind for c in ledger.claims(ids={end for several in relations.values() for r in several for end in (r.source, r.target)})}
        said = resolutions(e for events in ledger.events_of(relations, ("ConflictResolved",)).values() for e in events)
        for claim_id, several in relations.items():
            premises = dict.fromkeys(r.target for r in several if r.kind == DEPENDS_ON and r.source == claim_id and r.target in kinds)
            others = sorted({end for r in several if r.kind == CONTRADICTS for end in (r.source, r.target)} & kinds.keys() - {claim_id})
            conflicts = ((conflict_id(claim_id, other), other) for other in others)
            found[claim_id] = (tuple(premises), tuple(Contradiction(name, other, kinds[other], said.get(name)) for name, other in conflicts))
        return found

    def forget(self, claim_id: str) -> None:
        """Load a claim anew at the next question: something was just said of it."""
        self._held.pop(claim_id, None)

    # ── statuses ──

    def statuses(self, view: IndexedTree, claim_ids: Iterable[str] | None = None) -> dict[str, ClaimStatus]:
        """The status in the tree of the given claims, or of all. Nothing is written."""
        project = self.project
        state = project.index.worktree_state(project.repository.worktree_name)
        wanted = set(project.ledger.claim_ids() if claim_ids is None else claim_ids)
        difference = self.difference(state, view)
        stored = project.index.statuses(project.repository.worktree_name, None if claim_ids is None else sorted(wanted)) if state else {}
        touched = wanted if difference.claims is None else {c for c in wanted if c in difference.claims or c not in stored}
        if not touched:
            return {c: s for c, s in stored.items() if c in wanted}
        outcome = self.evaluate(touched, stored if difference.claims is not None else {}, view, difference)
        fresh = {s.claim_id: s for s in outcome.statuses}
        return {c: fresh.get(c) or stored[c] for c in wanted}

    def evaluate(self, claim_ids: Iterable[str], stored: dict[str, ClaimStatus], view: IndexedTree, difference: Difference | None = None) -> Outcome:
        """Compute the statuses of these claims; premises that are not among them are taken from `stored`, or computed too.

        difference: of the tree from the stored statuses; without it these hold for no other claim. Where a review condition counts claims by
        their status, all that differ are computed.
        """
        held = self._with_premises(claim_ids, stored)
        is_stored = difference is not None and difference.claims is not None
        if difference is not None and any(counts_statuses(a) for h in held.values() for a in h.anchors):
            held |= self._with_premises(self.project.ledger.claim_ids() if difference.claims is None else difference.claims, stored)
        held = {c: self._without_circular(h) for c, h in held.items()}
        figures = Figures(self.project, view, is_stored=is_stored, apart=self._under_review_condition)
        past = Past(self.trees.then, self.trees.whole_then, CURRENT_VERSIONS)
        return evaluate(held, stored, view, past, self.today(), figures.reading_of)

    def _with_premises(self, claim_ids: Iterable[str], stored: dict[str, ClaimStatus]) -> dict[str, Held]:
        held = self.held(claim_ids)
        while missing := [p for h in held.values() for p in rests_on(h) if p not in held and p not in stored]:
            held |= self.held(missing)
        return held

    def below(self, claim_ids: Iterable[str]) -> dict[str, Held]:
        """The claims and all that they rest on, however far."""
        found: dict[str, Held] = {}
        front = set(claim_ids)
        while front:
            found |= self.held(front)
            front = {p for c in front for p in premises_of(found[c])} - found.keys()
        return found

    def _under_review_condition(self) -> frozenset[str]:
        """The claims that have a review condition, and all whose status may follow from theirs."""
        return frozenset(with_derived(self.project.ledger.claims_under_review_condition(), self.bearing_on))

    def _without_circular(self, held: Held) -> Held:
        """Without the contradictions that rest on the claim itself: those would take away what they stand on."""
        kept = [other for other, _ in held.counters if not self._rests_on(other, held.claim.id)]
        if len(kept) == len(held.counters):
            return held
        return replace(held, contradictions=tuple(c for c in held.contradictions if c.other in kept))

    def _rests_on(self, claim_id: str, wanted: str) -> bool:
        """Whether a claim rests on another one, however far."""
        seen, front = {claim_id}, [claim_id]
        while front:
            below = {p for h in self.held(front).values() for p in rests_on(h)}
            if wanted in below:
                return True
            front = sorted(below - seen)
            seen |= below
        return False

    def difference(self, state: WorktreeState | None, view: IndexedTree) -> Difference:
        """The claims whose status in the tree of `view` may differ from the stored one. Computed once for what is in the ledger."""
        asked = state, view.tree.snapshot.key, self.project.ledger.last_sequence()
        if asked not in self._differences:
            self._differences[asked] = self._difference(state, view)
        return self._differences[asked]

    def _difference(self, state: WorktreeState | None, view: IndexedTree) -> Difference:
        ledger, index = self.project.ledger, self.project.index
        if state is None or state.rules != RULES:
            return Difference(None)
        touched = {e.claim_id for e in ledger.events(after=state.event_sequence) if e.claim_id}
        if state.day != self.today().isoformat():
            touched |= set(ledger.claims_with_time())
        found = set(with_derived(touched, self.bearing_on))
        if touched or (state.tree_key, state.revision) != (view.tree.snapshot.key, view.tree.snapshot.revision):
            found |= set(with_derived(self._reviews_that_moved(state, view), self.bearing_on))
        if state.tree_key != view.tree.snapshot.key:
            old = self.stored_tree(state)
            if old is None:
                return Difference(None)
            keys = changed_keys(old, view, index.watching)
            found |= set(concerned(keys, index.watching, ledger.claims_on, self.bearing_on))
        return Difference(frozenset(found))

    def _reviews_that_moved(self, state: WorktreeState, view: IndexedTree) -> set[str]:
        """The claims whose review condition may be true here and was not, or the other way round."""
        index, figures = self.project.index, Figures(self.project, view, is_stored=True, apart=self._under_review_condition)
        moved = (group for group in index.review_groups(state.worktree) if not figures.is_as_stored(group))
        return set().union(*(index.reviewed_in(state.worktree, group) for group in moved))

    def derived_from(self, claim_ids: Iterable[str]) -> set[str]:
        """The claims that rest on one of these directly, as recorded or as added later."""
        return set().union(*self.derived_from_each(claim_ids).values())

    def derived_from_each(self, claim_ids: Iterable[str]) -> dict[str, set[str]]:
        """claim id → the claims that rest on it directly; claims on which none does are left out."""
        wanted, ledger = set(claim_ids), self.project.ledger
        found = ledger.claims_derived_from(wanted)
        for several in ledger.relations_of(wanted, (DEPENDS_ON,)).values():
            for relation in several:
                if relation.target in wanted:
                    found.setdefault(relation.target, set()).add(relation.source)
        above = set().union(*found.values())
        dropped = {c: dropped_of(events) for c, events in ledger.events_of(above, DEPENDENCE_TYPES).items()} if above else {}
        kept = {premise: {c for c in several if premise not in dropped.get(c, ())} for premise, several in found.items()}
        return {premise: several for premise, several in kept.items() if several}

    def bearing_on(self, claim_ids: Iterable[str]) -> set[str]:
        """The claims whose status may follow from that of one of these: what rests on them, and what they contradict."""
        wanted = set(claim_ids)
        against = self.project.ledger.relations_of(wanted, (CONTRADICTS,)).values()
        return self.derived_from(wanted) | {end for found in against for r in found for end in (r.source, r.target)} - wanted

    def stored_tree(self, state: WorktreeState) -> IndexedTree | None:
        """The tree that the stored statuses belong to; None where it is neither indexed nor in git any more."""
        rows, repository = self.project.index.tree(state.tree_key), self.project.repository
        if rows is None or not repository.has_object(state.tree_key):
            return None
        return IndexedTree(repository.tree(state.tree_key), self.trees.loader, rows.files, rows.meta)


def changed_keys(old: IndexedTree, new: IndexedTree, watching: Callable[[set[str]], set[str]]) -> set[str]:
    """The watch keys that differ between two indexed trees. Files in which no anchor watches a symbol are not hashed."""
    keys: set[str] = set()
    if old.is_resolved:
        # What is held about the old tree may rest on an edge out of any file.
        new.resolve_all()
    new.resolve(path for path, (_, resolution) in old.files.items() if resolution)
    changed = {change.path for change in new.differences(old)}
    # What is read through a link changes with the file behind it.
    for path in sorted(changed | new.changed_links(old)):
        names = {f"symbol:{d.qualified_name}" for view in (old, new) if (facts := view.facts(path)) for d in facts.definitions}
        is_watched = bool(names and watching(names))
        keys |= keys_of_file(FileChange(path, _side(path, old, is_watched), _side(path, new, is_watched)))
    for path in old.files.keys() | new.files.keys():
        before, after = old.files.get(path, (0, 0))[1], new.files.get(path, (0, 0))[1]
        if before != after:
            keys |= keys_of_edges(old.edges_of_file(path), new.edges_of_file(path))
    return keys


def _side(path: bytes, view: IndexedTree, is_watched: bool) -> FileSide:
    blob_id = view.blob_id(path)
    if not blob_id:
        return FileSide()
    facts = view.facts(path)
    digests = view.digests(path) if is_watched and facts is not None else None
    return FileSide(blob_id, facts, digests, view.skipped(path), tuple(view.packages_of(path)))
