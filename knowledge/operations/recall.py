"""Recall: which claims bear on a text, and what they are worth now.

    text → ideas → pieces (search index) → claims → what is said of them (status in this tree, successors, conflicts, focus) → a budget

A claim that was superseded hands what it scored to the claim that took its place, and stands below it. Nothing is ranked by age alone, and
reading changes nothing: no event is written, no verdict becomes younger.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from knowledge.claims.lifecycle import worst_first
from knowledge.graph.symbols import find_symbols
from knowledge.invalidation.propagate import Held
from knowledge.operations.banks import is_personal
from knowledge.operations.graph_tree import GraphTree
from knowledge.operations.lines import claim_line
from knowledge.operations.meaning import blended
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.searching import bring_up_to_date, search
from knowledge.operations.specs import file_or_symbol
from knowledge.operations.tags import AskedTags, asked_tags
from knowledge.operations.tree_view import IndexedTree
from knowledge.recall.chunks import chunks
from knowledge.recall.ranking import LEAST_SCORE, PUSH_SCORE, Query, is_one_name, read_query
from knowledge.recall.terms import index_terms
from knowledge.recall.tokens import cut_to_tokens, estimate_tokens
from knowledge.records.claims import ClaimStatus, Status
from knowledge.records.recalls import RecallAnswer, RecallLine
from knowledge.records.stored import PRIVATE, SUPERSEDES, ClaimFilter

REPOSITORY, PERSONAL = "repository", "personal"
"""The banks."""
QUERY_TOKENS = 500
"""Of a query; what is longer is cut after a sentence."""
MOST_TOKENS = 20_000
"""No answer is longer than this, whatever is asked for."""
_CLAIMS = 60
"""How many claims of a bank are looked at, best first."""
_LINE_TOKENS = 40
"""About what a line costs beside its statement: id, status, reason."""
_EXCERPT_CHARACTERS = 640
"""A longer statement is shown by its best piece."""
_FOCUS = 0.15
"""What a claim gains by speaking of what is in focus."""
_HANDED_ON = 0.95
"""Of a superseded claim's score, what its successor has at least; likewise of a claim's, what one has that contradicts it."""
_WORTH: dict[Status, float] = {"verified": 1.0, "active": 1.0, "needs_review": 0.95, "stale": 0.9, "rejected": 0.6, "superseded": 0.75}
"""What is left of a score at each status; a claim that was withdrawn is not recalled."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked of memory. focus: symbols or paths; claims about them come first. tags, kinds: only claims that have one of each.

    least: claims that score less are left out (`ranking.PUSH_SCORE` for what nobody asked for). is_pushed: without what is private.
    by_meaning: compare what texts mean, too, not their words alone; a second of CPU in a fresh process, and the extra `semantic`.
    """

    text: str = ""
    focus: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    budget_tokens: int = 1_200
    least: float = 0.0
    is_pushed: bool = False
    by_meaning: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """What was read of a recalled claim: what is held of it, its status, the tree that it has it in, and whose claim it is."""

    held: Held
    status: ClaimStatus
    view: IndexedTree
    project: Project


@dataclass(frozen=True, slots=True)
class Recalled:
    """An answer, and what was read for each of its claims."""

    answer: RecallAnswer
    known: Mapping[str, Known]


def recall(project: Project, asked: Asked, *, personal: Project | None = None, at: str | None = None) -> RecallAnswer:
    """The answer of `recalled`. Raises what that raises."""
    return recalled(project, asked, personal=personal, at=at).answer


def recalled(project: Project, asked: Asked, *, personal: Project | None = None, at: str | None = None) -> Recalled:
    """The claims that bear on a text, of the repository's bank and of the personal one, best first.

    Raises UnknownTagError, UnknownSymbolError and UnknownPathError, with suggestions, for what is in no bank or not in the tree; also where
    the text is nothing but a name that neither the tree nor any claim has; UsageError for a comparison by meaning without the extra.
    """
    text = asked.text.strip()
    query = cut_to_tokens(text, QUERY_TOKENS)
    projects = [project] if personal is None or is_personal(project) else [project, personal]
    tags = asked_tags(asked.tags, projects)
    banks = [
        _Bank(one, PERSONAL if is_personal(one) else REPOSITORY, replace(asked, text=query), of_tags, at if one is project else None)
        for one, of_tags in zip(projects, tags, strict=True)
    ]
    lines = sorted((line for bank in banks for line in bank.lines()), key=lambda line: -line.score)
    if is_one_name(query) and not is_personal(project) and all(line.is_weak for line in lines):
        find_symbols(query, GraphTree(banks[0].view))
    shown, tokens = _within(lines, read_query(query), min(asked.budget_tokens or MOST_TOKENS, MOST_TOKENS))
    answer = RecallAnswer(
        tree=project.tree_name(banks[0].view.tree.snapshot),
        query=query,
        outcome="nothing" if not lines else "weak" if all(line.is_weak for line in lines) else "found",
        lines=tuple(shown),
        tokens=round(tokens),
        left_out=len(lines) - len(shown) + sum(bank.beyond for bank in banks),
        rewrites=tuple(dict.fromkeys(rewrite for of_tags in tags for rewrite in of_tags.rewrites)),
        notes=(*(note for bank in banks for note in bank.notes), *_cut_note(query, text)),
    )
    by_name = {bank.name: bank for bank in banks}
    return Recalled(answer, {line.claim.id: by_name[line.bank].known(line.claim.id) for line in shown})


def _cut_note(query: str, text: str) -> tuple[str, ...]:
    return () if query == text else (f"the query was cut to its first {len(query):,} of {len(text):,} characters",)


def _within(lines: Sequence[RecallLine], query: Query, budget: int) -> tuple[list[RecallLine], float]:
    """As many of the lines, in their order, as have no more tokens than the budget, and how many those have."""
    shown, spent = [], 0.0
    for line in lines:
        line = _excerpt(line, query)
        cost = _LINE_TOKENS + estimate_tokens(line.claim.statement) + sum(estimate_tokens(f"{c.detail} {c.place}") for c in line.claim.causes)
        if spent + cost > budget:
            break
        shown.append(line)
        spent += cost
    return shown, spent


def _excerpt(line: RecallLine, query: Query) -> RecallLine:
    """A long statement by the piece that has most of the query's terms."""
    if len(line.claim.statement) <= _EXCERPT_CHARACTERS:
        return line
    best = max(chunks(line.claim.statement, _EXCERPT_CHARACTERS), key=lambda piece: len(query.terms & set(index_terms(piece))))
    return replace(line, claim=replace(line.claim, statement=best), is_excerpt=True)


class _Bank:
    """One bank, asked once. The focus is looked up in the repository; in the personal bank it is a text that claims may speak of.

    beyond: how many claims fit and were not looked at. notes: what else the answer has to say of how it was found.
    """

    def __init__(self, project: Project, name: str, asked: Asked, tags: AskedTags, at: str | None) -> None:
        self._project, self.name, self._asked, self._tags = project, name, asked, tags
        self.beyond = 0
        self.notes: tuple[str, ...] = ()
        self._held: dict[str, Held] = {}
        self._statuses: dict[str, ClaimStatus] = {}
        self._reading = Reading(project)
        reconcile(project, self._reading)
        bring_up_to_date(project)
        self.view: IndexedTree = self._reading.trees.at(at)
        self._focus = tuple(str(file_or_symbol(text, self.view)) if name == REPOSITORY else text for text in asked.focus)

    def lines(self) -> list[RecallLine]:
        """What the bank has, best first."""
        scores = self._scores(self._asked.text) if self._asked.text else {}
        wanted = self._wanted(scores)
        held = self._reading.held(wanted)
        successors = self._successors(held)
        held |= self._reading.held(_beside(held, successors))
        statuses = self._reading.statuses(self.view, held) if held else {}
        in_focus = {c for c, status in statuses.items() if any(speaks_of(held[c], status, text) for text in self._focus)}
        self._held, self._statuses = held, statuses
        ranked = self._ranked(scores, held, statuses, successors, in_focus)
        return [self._line(held[c], statuses[c], ranked[c], c in in_focus, successors.get(c, "")) for c in ranked]

    def known(self, claim_id: str) -> Known:
        """What was read of one of the claims in `lines`."""
        return Known(self._held[claim_id], self._statuses[claim_id], self.view, self._project)

    def _scores(self, text: str) -> dict[str, float]:
        """claim id → how well it answers the text, for those that have something of it."""
        if not self._asked.by_meaning:
            return search(self._project, read_query(text))
        scores, missing = blended(self._project, text, search(self._project, read_query(text), 0.0))
        if missing:
            self.notes = (f"compared by their words alone, for their meaning is not read yet: {missing:,} claims; asking again reads more",)
        return {c: score for c, score in scores.items() if score >= LEAST_SCORE}

    def _wanted(self, scores: Mapping[str, float]) -> list[str]:
        """The claims to look at: those that answer the text, those that may speak of the focus; without either, what needs attention first."""
        allowed = self._allowed()
        if not self._asked.text and not self._focus:
            ids = self._project.ledger.claim_ids() if allowed is None else sorted(allowed)
            statuses = self._reading.statuses(self.view, ids) if ids else {}
            return self._first([s.claim_id for s in sorted(statuses.values(), key=worst_first) if s.status != "withdrawn"])
        near = {c: 0.0 for text in self._focus for c in search(self._project, read_query(text))}
        ranked = sorted((near | dict(scores)).items(), key=lambda item: (-item[1], item[0]))
        return self._first([c for c, _ in ranked if allowed is None or c in allowed])

    def _first(self, claim_ids: list[str]) -> list[str]:
        """The claims that are looked at; the others are counted."""
        self.beyond = max(0, len(claim_ids) - _CLAIMS)
        return claim_ids[:_CLAIMS]

    def _allowed(self) -> set[str] | None:
        """The claims that have a tag and a kind that was asked for; None where none was."""
        if not (self._tags.wanted or self._asked.kinds):
            return None
        if self._asked.tags and not self._tags.wanted:
            return set()
        return set(self._project.ledger.find_claims(ClaimFilter(kinds=self._asked.kinds, tags=self._tags.wanted)))

    def _successors(self, held: Mapping[str, Held]) -> dict[str, str]:
        """Superseded claim → the claim that is in its place now, however often it was superseded in turn."""
        gone = {c for c, one in held.items() if one.standing is not None and one.standing[0] == "superseded"}
        found: dict[str, str] = {}
        while gone:
            relations = self._project.ledger.relations_of(gone, (SUPERSEDES,))
            step = {r.target: r.source for several in relations.values() for r in several if r.target in gone}
            found |= step
            fresh = set(step.values()) - found.keys()
            gone = {c for c, one in self._reading.held(fresh).items() if one.standing is not None and one.standing[0] == "superseded"}
        return {c: _last_of(c, found) for c in found}

    def _ranked(
        self,
        scores: Mapping[str, float],
        held: Mapping[str, Held],
        statuses: Mapping[str, ClaimStatus],
        successors: Mapping[str, str],
        in_focus: set[str],
    ) -> dict[str, float]:
        """Claim → its score, best first; without those that are not to be shown."""
        reached = {c: scores.get(c, 0.0) for c in held}
        for claim_id, one in held.items():
            heirs = [successors[claim_id]] if claim_id in successors else [x.other for x in one.contradictions if x.resolution is None]
            for heir in heirs:
                if heir in reached:
                    reached[heir] = max(reached[heir], _HANDED_ON * scores.get(claim_id, 0.0))
        is_browsing = not self._asked.text and not self._focus
        found = {}
        for claim_id, score in reached.items():
            status = statuses[claim_id].status
            if status == "withdrawn" or (self._asked.is_pushed and held[claim_id].claim.detail.get(PRIVATE)):
                continue
            score = min(1.0, score + (_FOCUS if claim_id in in_focus else 0.0)) * _WORTH[status]
            if is_browsing or score >= max(self._asked.least, LEAST_SCORE * _WORTH[status]):
                found[claim_id] = score
        if is_browsing:
            return {c: found[c] for c in sorted(found, key=lambda c: worst_first(statuses[c]))}
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))

    def _line(self, held: Held, status: ClaimStatus, score: float, is_in_focus: bool, successor: str) -> RecallLine:
        return RecallLine(
            bank=self.name,
            claim=claim_line(held, status, self.view),
            score=round(score, 3),
            recorded_at=held.claim.recorded_at,
            is_weak=bool(self._asked.text) and not is_in_focus and score < PUSH_SCORE,
            is_in_focus=is_in_focus,
            superseded_by=successor,
        )


def _beside(held: Mapping[str, Held], successors: Mapping[str, str]) -> set[str]:
    """Claims that must be seen with these: successors, and the other sides of open conflicts."""
    others = {x.other for one in held.values() for x in one.contradictions if x.resolution is None}
    return (others | set(successors.values())) - held.keys()


def _last_of(claim_id: str, steps: Mapping[str, str]) -> str:
    seen = {claim_id}
    while (claim_id := steps.get(claim_id, claim_id)) not in seen:
        seen.add(claim_id)
    return claim_id


def speaks_of(held: Held, status: ClaimStatus, name: str) -> bool:
    """Whether a claim's anchors, as recorded or as found in this tree, or its scope, name a file, folder or symbol or something in it."""
    texts: Iterable[str] = (
        *(str(value) for anchor in held.anchors for value in anchor.target.values()),
        *(reading.place for reading in status.readings.values()),
        *held.claim.scope.paths,
        *held.claim.scope.symbols,
    )
    return any(text == name or text.startswith((f"{name}::", f"{name.rstrip('/')}/", f"{name}.")) for text in texts)
