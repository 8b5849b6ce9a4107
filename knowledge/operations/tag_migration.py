"""Bringing the tags of claims to the vocabulary, in two stages: a plan that is written to a file, and a run that follows this file alone.

    plan    → manifest: what is withdrawn, retagged, filled in; what is left by design, and why; the tags that every claim has afterwards
    apply   → batches, each one transaction; after each the indexes are brought up to date; at the end the tags must be the expected ones exactly

Withdrawing beats retagging. Claims that are stale, rejected, superseded or withdrawn are left as they are: what was said of them was said under
the old names, and they are still found by both. Nothing is destroyed: a claim's recorded tags stay in its row, and the new ones are an event.

A run that was killed goes on where it was: what is done is seen in the ledger, what was refused stands in a file beside the manifest and is
not tried again.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Literal

import msgspec

from knowledge.config import VOCABULARY_FILE
from knowledge.errors import InvalidPolicyError, InvalidRecordError, LifecycleError, UnknownPathError, UnknownTagError
from knowledge.operations.off_record import refuse_off_record
from knowledge.operations.project import Project
from knowledge.operations.reading import Reading
from knowledge.operations.reconcile import reconcile
from knowledge.operations.searching import bring_up_to_date
from knowledge.operations.steps import said_of
from knowledge.operations.tags import asked_tags, policy_of
from knowledge.operations.tree_view import IndexedTree
from knowledge.records.claims import Claim, ClaimStatus
from knowledge.records.events import RETAGGED, Event
from knowledge.records.stored import REDACTED
from knowledge.records.vocabularies import MigrationAnswer
from knowledge.vocabulary.policy import Policy
from knowledge.vocabulary.reading import read_tag, read_tags

FORMAT, VERSION = "knowledge-tag-migration", 1
BATCH = 25
"""Claims of one transaction."""
_LEFT = ("stale", "rejected", "superseded", "withdrawn")
"""Statuses whose claims keep their tags, by design."""
_REASON = "tags brought to the vocabulary"

Action = Literal["withdraw", "retag", "fill"]


class Item(msgspec.Struct):
    """What is to be done with one claim."""

    claim: str
    action: Action
    before: list[str]
    after: list[str]


class Left(msgspec.Struct):
    """A claim that keeps its tags, and why."""

    claim: str
    tags: list[str]
    why: str


class Manifest(msgspec.Struct):
    """The plan. policy: sha256 of the file that declares the vocabulary. kept: the tags of every other claim, which stay."""

    format: str
    version: int
    made_at: str
    policy: str
    items: list[Item]
    left: list[Left]
    kept: dict[str, list[str]]


def plan(project: Project, out: Path, *, withdraw: Sequence[str] = (), fill: str = "") -> MigrationAnswer:
    """Write what a run would do. withdraw: claims that bear one of these tags are withdrawn. fill: the tag for claims that have none.

    Raises InvalidPolicyError where the bank declares no vocabulary, and UnknownTagError.
    """
    policy = _policy(project)
    filled = [read_tag(fill, policy, project.ledger.tags()).kept] if fill else []
    (gone,) = asked_tags(withdraw, [project])
    reading = Reading(project)
    reconcile(project, reading)
    statuses = reading.statuses(reading.trees.at("HEAD"))
    manifest = Manifest(FORMAT, VERSION, project.now(), _policy_hash(project), [], [], {})
    for claim in project.ledger.claims():
        _place(manifest, claim, statuses[claim.id], policy, set(gone.wanted), filled)
    manifest.items.sort(key=lambda item: item.action != "withdraw")
    partial = out.with_name(out.name + ".partial")
    partial.write_bytes(msgspec.json.format(msgspec.json.encode(manifest), indent=1) + b"\n")
    partial.replace(out)
    return _answer(project, out, manifest, "planned", _Run())


def _place(manifest: Manifest, claim: Claim, status: ClaimStatus, policy: Policy, gone: set[str], filled: list[str]) -> None:
    """Put a claim where it belongs in the plan."""
    tags = list(claim.tags)
    try:
        after, fault = list(read_tags(tags, policy)[0]), ""
    except UnknownTagError as refused:
        after, fault = tags, refused.message
    action: Action | None = "withdraw" if gone & set(tags) else "fill" if not tags and filled else "retag" if after != tags else None
    if claim.statement == REDACTED:
        manifest.left.append(Left(claim.id, tags, "by design: redacted"))
    elif status.status in _LEFT and (action or fault or not tags):
        manifest.left.append(Left(claim.id, tags, f"by design: {status.status}"))
    elif action is not None and (action == "withdraw" or not fault):
        manifest.items.append(Item(claim.id, action, tags, tags if action == "withdraw" else filled if action == "fill" else after))
    elif fault or not tags:
        manifest.left.append(Left(claim.id, tags, f"no alias: {fault}" if fault else "untagged, and no tag to fill in was given"))
    else:
        manifest.kept[claim.id] = tags


@dataclass(slots=True)
class _Run:
    """What a run has come to. refused: claim → why."""

    done: Counter[str] = field(default_factory=Counter)
    refused: dict[str, str] = field(default_factory=dict)


def apply(project: Project, path: Path, *, failure_cap: int = 5) -> MigrationAnswer:
    """Do what a manifest says, and nothing else. Stops when so many claims of this run were refused.

    Raises UnknownPathError, InvalidRecordError for what is no manifest, InvalidPolicyError where the vocabulary changed since.
    """
    manifest = _read_manifest(path)
    if manifest.policy != _policy_hash(project):
        raise InvalidPolicyError(f"the vocabulary changed since {path} was written; make a new plan with `knowledge tags migrate --dry-run`")
    run, refused_before = _Run(), _read_refused(_refusals(path))
    stage = "done"
    for batch in _batches([item for item in manifest.items if item.claim not in refused_before]):
        refused = _apply_batch(project, batch, run)
        _note_refused(_refusals(path), refused)
        run.refused |= refused
        bring_up_to_date(project)
        reconcile(project)
        if len(run.refused) >= failure_cap:
            stage = "stopped"
            break
    run.refused = refused_before | run.refused
    return _answer(project, path, manifest, stage, run)


def _apply_batch(project: Project, batch: Sequence[Item], run: _Run) -> dict[str, str]:
    """Do one batch in one transaction; claim → why it was refused."""
    refuse_off_record(project)
    reading = Reading(project)
    reconcile(project, reading)
    view = reading.trees.at("HEAD")
    refused: dict[str, str] = {}
    with project.ledger.transaction():
        claims = {claim.id: claim for claim in project.ledger.claims(ids=[item.claim for item in batch])}
        statuses = reading.statuses(view, claims) if claims else {}
        events = []
        for item in batch:
            claim, status = claims.get(item.claim), statuses.get(item.claim)
            if claim is None or status is None:
                refused[item.claim] = "there is no such claim"
            elif not _is_done(item, claim, status):
                try:
                    events.append(_event(reading, view, item, claim, status))
                except (InvalidRecordError, LifecycleError) as why:
                    refused[item.claim] = why.message
        project.ledger.append(events)
    run.done.update(item.action for item in batch if item.claim not in refused)
    return refused


def _is_done(item: Item, claim: Claim, status: ClaimStatus) -> bool:
    return status.status == "withdrawn" if item.action == "withdraw" else list(claim.tags) == item.after


def _event(reading: Reading, view: IndexedTree, item: Item, claim: Claim, status: ClaimStatus) -> Event:
    """What an item writes down. Raises InvalidRecordError, LifecycleError where the claim is not as the plan found it."""
    project = reading.project
    if list(claim.tags) != item.before:
        raise InvalidRecordError(f"its tags are {', '.join(claim.tags) or 'none'} by now; the plan found {', '.join(item.before) or 'none'}")
    if status.status in _LEFT:
        raise LifecycleError(f"it is {status.status} by now, and keeps its tags")
    if item.action == "withdraw":
        return said_of(reading, view, status, "withdraw", _REASON).event
    payload = {"tags": item.after, "before": item.before, "reason": _REASON}
    return Event(0, RETAGGED, claim.id, project.now(), project.author_text(), payload)


def _answer(project: Project, path: Path, manifest: Manifest, stage: str, run: _Run) -> MigrationAnswer:
    expected = {item.claim: item.before if item.claim in run.refused else item.after for item in manifest.items}
    whole = expected | manifest.kept | {left.claim: left.tags for left in manifest.left}
    before = {tag for item in manifest.items for tag in item.before} | {tag for tags in manifest.kept.values() for tag in tags}
    before |= {tag for left in manifest.left for tag in left.tags}
    reasons = Counter(left.why if left.why.startswith("by design") else left.why.partition(":")[0] for left in manifest.left)
    return MigrationAnswer(
        manifest=str(path),
        stage=stage,
        actions=dict(Counter(item.action for item in manifest.items)),
        done=dict(run.done),
        left=dict(sorted(reasons.items())),
        refused=run.refused,
        differing=tuple(_differing(project, whole)) if stage == "done" else (),
        vocabulary=(len(before), len({tag for tags in whole.values() for tag in tags})),
        notes=("stale, rejected, superseded and withdrawn claims keep their tags by design; they are found by the new names too",),
    )


def _differing(project: Project, expected: Mapping[str, list[str]]) -> Iterator[str]:
    """The claims whose tags are not exactly the expected ones."""
    found = {claim.id: list(claim.tags) for claim in project.ledger.claims(ids=expected)}
    for claim_id, tags in expected.items():
        if found.get(claim_id) != tags:
            yield f"{claim_id}: {', '.join(found.get(claim_id, ())) or 'none'}, expected {', '.join(tags) or 'none'}"


def _policy(project: Project) -> Policy:
    policy = policy_of(project)
    if policy is None:
        raise InvalidPolicyError(f"this bank declares no vocabulary; expected {project.home / VOCABULARY_FILE}")
    return policy


def _policy_hash(project: Project) -> str:
    _policy(project)
    return sha256((project.home / VOCABULARY_FILE).read_bytes()).hexdigest()


def _read_manifest(path: Path) -> Manifest:
    if not path.exists():
        raise UnknownPathError(f"there is no file {path}")
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Manifest)
    except msgspec.MsgspecError as error:
        raise InvalidRecordError(f"{path} is no plan of a migration: {error}") from error
    if (found.format, found.version) != (FORMAT, VERSION):
        raise InvalidRecordError(f"{path} has the format {found.format!r} {found.version}; expected {FORMAT!r} {VERSION}")
    return found


def _refusals(path: Path) -> Path:
    """Where what was refused stands."""
    return path.with_name(f"{path.name}.refused")


def _read_refused(path: Path) -> dict[str, str]:
    if not path.exists():
        return {}
    # A line that a killed run left half written says nothing; its claim is tried again, and refused again.
    lines = [line for line in path.read_text(encoding="utf-8").split("\n")[:-1] if line]
    return {str(row["claim"]): str(row["why"]) for row in map(json.loads, lines)}


def _note_refused(path: Path, refused: Mapping[str, str]) -> None:
    if refused:
        with path.open("a", encoding="utf-8") as kept:
            kept.writelines(json.dumps({"claim": claim, "why": why}, ensure_ascii=False) + "\n" for claim, why in refused.items())
            kept.flush()
            os.fsync(kept.fileno())


def _batches(items: Sequence[Item]) -> Iterator[Sequence[Item]]:
    for start in range(0, len(items), BATCH):
        yield items[start : start + BATCH]
