"""Running again what claims rest on: the commands recorded with the test observations of fallen claims, and what they come to as verdicts.

Only a command that this store saw run here is run; what was imported, or lost a secret to the mask, is told and left alone. A result decides a
claim where nothing changed but what the run shows: what its tests cover and their environment. Who says so is the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from knowledge.claims.lifecycle import STATUS_OF_VERDICT
from knowledge.claims.masking import MASK
from knowledge.errors import UnknownRecordError
from knowledge.graph.queries import tests_of
from knowledge.invalidation.propagate import Held, fingerprint
from knowledge.operations.graph_tree import GraphTree
from knowledge.operations.kept_tree import kept_blobs
from knowledge.operations.observing import observe, to_run
from knowledge.operations.project import Project, new_id
from knowledge.operations.run_evidence import run_evidence
from knowledge.operations.tree_view import IndexedTree
from knowledge.operations.versions import versions
from knowledge.records.claims import Author, ClaimStatus, Verdict, VerdictKind
from knowledge.records.events import Event
from knowledge.records.evidence import Evidence
from knowledge.records.identifiers import read_path, read_symbol
from knowledge.records.runs import BAD, GOOD, Run

_BY_RUN = frozenset({"tests", "environment"})
"""Kinds of anchors that a run says everything of."""
_BY_BODY = frozenset({"body", "signature", "location"})
"""Kinds of anchors that a run bears on where its test ran the symbol, or leads to it where no run tells what the test covers."""


@dataclass(frozen=True, slots=True)
class Reran:
    """What came of running again. verified, refuted: claim ids. ran: a line for each command. notes: what was not run or not decided, and why."""

    verified: tuple[str, ...] = ()
    refuted: tuple[str, ...] = ()
    ran: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Cited:
    """What a claim cites of a run: how a test of it came out, or with test "" how the command ended."""

    run: Run
    test: str
    outcome: str


@dataclass(slots=True)
class _Told:
    """What is written down at the end, and what is told."""

    verdicts: list[Verdict] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    verified: list[str] = field(default_factory=list)
    refuted: list[str] = field(default_factory=list)
    ran: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def rerun(project: Project, held: Mapping[str, Held], statuses: Mapping[str, ClaimStatus], view: IndexedTree, seconds: float) -> Reran:
    """Run the commands that fallen claims cite, each once, and record what that makes of the claims. seconds: after which a command is ended."""
    cited = {claim_id: found for claim_id in statuses if (found := _cited(project, held[claim_id]))}
    told = _Told()
    if not cited:
        told.notes.append("none of these claims cites a recorded run: nothing was run")
    again: dict[tuple[object, ...], Run] = {}
    for run in {one.run.id: one.run for found in cited.values() for one in found}.values():
        refusal = _refusal(run)
        if refusal:
            told.notes.append(f"{run.id} was not run again: {refusal}")
        elif _call(run) not in again:
            again[_call(run)] = _run(project, run, seconds, told)
    for claim_id, found in cited.items():
        fresh = [again.get(_call(one.run)) for one in found]
        if all(run is not None for run in fresh):
            _judge(project, held[claim_id], statuses[claim_id], view, list(zip(found, [r for r in fresh if r is not None], strict=True)), told)
    if told.verdicts:
        project.ledger.append(told.events, verdicts=told.verdicts, evidence=told.evidence, blobs=kept_blobs(view.tree))
    return Reran(tuple(told.verified), tuple(told.refuted), tuple(told.ran), tuple(told.notes))


def _cited(project: Project, held: Held) -> list[_Cited]:
    """The runs that the claim was recorded with, and what each showed."""
    found = []
    for evidence_id in held.claim.evidence_refs:
        evidence = project.ledger.evidence(evidence_id)
        if evidence.kind != "test_result":
            continue
        try:
            run = project.ledger.runs.run(evidence.node_type)
        except UnknownRecordError:
            continue
        relation = evidence.extracted_relation
        told, _, _ = relation.rpartition(f" in {run.id}")
        test, _, outcome = told.rpartition(" ")
        found.append(_Cited(run, test, outcome) if told else _Cited(run, "", str(run.exit_code)))
    return found


def _refusal(run: Run) -> str:
    if not run.is_local or run.ending == "imported":
        return f"it was recorded elsewhere, and such commands are not executed unasked: knowledge run -- {' '.join(run.command)}"
    if any(MASK in word for word in run.command):
        return "a secret in its command was masked, so the command is not known"
    return "" if run.command else "its command is not known"


def _call(run: Run) -> tuple[object, ...]:
    return run.command, run.directory, tuple(run.detail.get("reports", ())), tuple(run.detail.get("variables", ()))


def _run(project: Project, run: Run, seconds: float, told: _Told) -> Run:
    """Run a recorded command where it ran before, observed as it was then."""
    answer = observe(project, replace(to_run(project, run, run.command), seconds=seconds))
    results = ", ".join(f"{count} {outcome}" for outcome, count in answer.run.results.items())
    told.ran.append(f"{answer.run.id}: {answer.run.command} {answer.run.ending} {answer.run.exit_code}{f': {results}' if results else ''}")
    return project.ledger.runs.run(answer.run.id)


def _judge(project: Project, held: Held, status: ClaimStatus, view: IndexedTree, pairs: list[tuple[_Cited, Run]], told: _Told) -> None:
    """Verified where everything cited came out as before and nothing else changed; refuted where anything came out the other way."""
    claim_id = held.claim.id
    moved = [run.id for _, run in pairs if run.snapshot_key != view.tree.snapshot.key]
    if moved:
        told.notes.append(f"{claim_id}: the files changed before {moved[0]} ran, so it decides nothing")
        return
    came = [(cited, run, _outcome(project, run, cited)) for cited, run in pairs]
    against = [(cited, run, now) for cited, run, now in came if _is_contrary(cited, now)]
    if not against and any(_side(cited, now) != _side(cited, cited.outcome) for cited, _, now in came):
        told.notes.append(f"{claim_id}: what it cites did not run to an end again, so nothing is decided")
        return
    besides = _changed_besides(project, held, status, view, [(cited, run) for cited, run, _ in came])
    if besides and not against:
        told.notes.append(f"{claim_id}: what it cites came out as before, but {besides} changed too, of which the run says nothing")
        return
    shown = [run_evidence(project, f"run:{run.id}" + (f"::{cited.test}" if cited.test else "")).evidence for cited, run, _ in (against or came)]
    what = "; ".join(f"{cited.test or 'the command'} {now} in {run.id}" for cited, run, now in (against or came))
    kind: VerdictKind = "undecided" if against else "verified"
    run = (against or came)[0][1]
    reason = f"refuted: {what}, where it was {against[0][0].outcome}" if against else what
    snapshot = view.tree.snapshot
    told.evidence += shown
    told.verdicts.append(
        Verdict(
            id=new_id("v"),
            claim_id=claim_id,
            kind=kind,
            sequence=0,
            fingerprint=fingerprint(held.anchors, view, status.readings),
            tree_id=snapshot.tree_id,
            snapshot_key=snapshot.key,
            revision=snapshot.revision,
            author=Author("run", run.id),
            reason=reason,
            evidence_refs=tuple(evidence.id for evidence in shown),
            said_at=project.now(),
            analyzer_versions=versions(held.anchors),
        )
    )
    event = "ClaimReviewed" if against else "ClaimVerified"
    detail = {"reason": reason, "revision": snapshot.revision, "tree": snapshot.label}
    told.events.append(Event(0, event, claim_id, project.now(), f"run:{run.id}", detail))
    (told.refuted if against else told.verified).append(claim_id)


def _outcome(project: Project, run: Run, cited: _Cited) -> str:
    if not cited.test:
        return str(run.exit_code) if run.ending == "exited" else run.ending
    results = {result.test: result for result in project.ledger.runs.results(run.id)}
    result = results.get(cited.test)
    return "not there" if result is None else "flaky" if result.is_flaky else result.outcome


def _side(cited: _Cited, outcome: str) -> str:
    """What counts of an outcome: whether the test passed or failed; of a command the very exit code."""
    if not cited.test:
        return outcome
    return "good" if outcome in GOOD else "bad" if outcome in ("failed", "error") else outcome


def _is_contrary(cited: _Cited, now: str) -> bool:
    was, is_now = _side(cited, cited.outcome), _side(cited, now)
    if not cited.test:
        return was != is_now and now.lstrip("-").isdigit()
    return (was, is_now) in (("good", "bad"), ("bad", "good")) or (was == "good" and now in BAD)


def _changed_besides(project: Project, held: Held, status: ClaimStatus, view: IndexedTree, pairs: Sequence[tuple[_Cited, Run]]) -> str:
    """What changed since the claim last stood and the runs say nothing of; "" where there is no such thing."""
    for cause in status.causes:
        if cause.claim_path or cause.reason in ("premise", "expired", "review_condition"):
            return cause.detail or cause.reason.replace("_", " ")
    ran = _ran(project, pairs)
    stood = [verdict for verdict in held.verdicts if STATUS_OF_VERDICT[verdict.kind] != "needs_review"][-1]
    for anchor in held.anchors:
        old, new = stood.fingerprint.get(anchor.digest), status.readings.get(anchor.digest)
        if anchor.kind in _BY_RUN or old is None or new is None or (old.state, old.hash) == (new.state, new.hash):
            continue
        symbol = new.place or str(anchor.target.get("symbol", ""))
        if anchor.kind not in _BY_BODY or not (
            symbol in ran or _is_reached(symbol, view, [cited for cited, run in pairs if not _tells(project, run)])
        ):
            return f"{symbol or anchor.kind} ({anchor.kind})"
    return ""


def _ran(project: Project, pairs: Iterable[tuple[_Cited, Run]]) -> set[str]:
    """The symbols that the cited tests were seen to run."""
    ran: set[str] = set()
    for cited, run in pairs:
        coverage = project.ledger.runs.coverage(run.id)
        if coverage is not None and cited.test in coverage.tests:
            ran |= {coverage.symbols[position].symbol for position in coverage.tests[cited.test].ran}
    return ran


def _tells(project: Project, run: Run) -> bool:
    return project.ledger.runs.coverage(run.id) is not None


def _is_reached(symbol: str, view: IndexedTree, unseen: Sequence[_Cited]) -> bool:
    """Whether a test of which no run tells what it covers leads to a symbol as the code shows."""
    files = {read_path(cited.test.partition("::")[0]) for cited in unseen if cited.test}
    if not files:
        return False
    graph = GraphTree(view)
    return any(member.symbol.path in files for member in tests_of(graph, read_symbol(symbol)).members)
