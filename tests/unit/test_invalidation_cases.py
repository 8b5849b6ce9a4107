"""Runs tests/cases/invalidation/*.md: claims about a small tree, edits one after another, and the status each claim must have.

A file is one case. `## start` holds the files of the first tree, `## claims` a table (name, anchors, optional kind or statement), every later
heading is one edit: code blocks replace files (`path` stands behind the language), `delete: path` and `move: old -> new` lines do what they say, and
a table (claim, status, reason) says what must hold then. Every case runs step by step (only what the edit can touch is looked at) and cold.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

import pytest

from knowledge.claims.anchors import make_anchor
from knowledge.claims.proposals import propose
from knowledge.claims.sets import QUESTIONS, default_scope
from knowledge.invalidation.dependencies import concerned
from knowledge.invalidation.propagate import Held, Past, evaluate, fingerprint
from knowledge.records.claims import Anchor, Author, Claim, ClaimStatus, FreshnessPolicy, Scope, Verdict
from knowledge.records.identifiers import SymbolId, read_symbol
from tests.memory_tree import MemoryTree, changed_keys

CASES = sorted((Path(__file__).parent.parent / "cases" / "invalidation").glob("*.md"))
_BLOCK = re.compile(r"^```(\w*) ([^\n]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PERSON = Author("person", "ann")


@dataclass
class Step:
    """One heading of a case file."""

    title: str
    files: dict[str, str]
    deleted: list[str]
    moved: list[tuple[str, str]]
    rows: list[list[str]]


@dataclass
class Runner:
    """Keeps statuses as the product does: by what an edit can touch."""

    tree: MemoryTree
    held: dict[str, Held]
    trees: dict[str, MemoryTree]
    statuses: dict[str, ClaimStatus] = field(default_factory=dict)
    watches: dict[str, set[str]] = field(default_factory=dict)
    looked_at: list[str] = field(default_factory=list)

    def move_to(self, tree: MemoryTree) -> None:
        """Look only at what the difference can touch."""
        keys = changed_keys(self.tree, tree)
        self.looked_at = concerned(
            keys,
            lambda wanted: {anchor for key in wanted for anchor in self.watches.get(key, ())},
            lambda anchors: {a: {c for c, h in self.held.items() if any(x.digest == a for x in h.anchors)} for a in anchors},
            lambda ids: {c for c, h in self.held.items() if set(h.claim.derived_from) & ids},
        )
        self.tree = tree
        self.look({c: self.held[c] for c in self.looked_at})

    def look(self, held: dict[str, Held]) -> None:
        """Evaluate these claims and remember what their anchors watch."""
        outcome = evaluate(held, self.statuses, self.tree, past(self.trees), date(2026, 1, 1))
        self.statuses |= {s.claim_id: s for s in outcome.statuses}
        for anchor, keys in outcome.watches.items():
            for key in keys:
                self.watches.setdefault(key, set()).add(anchor)


def past(trees: dict[str, MemoryTree]) -> Past:
    """Every verdict's tree can be read, and was said with today's analyzers."""
    return Past(lambda v: trees[v.snapshot_key], lambda v: trees[v.snapshot_key], {})


def read_case(path: Path) -> list[Step]:
    """The steps of a case file."""
    steps = []
    for section in re.split(r"^## ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, _, body = section.partition("\n")
        files = {m[2].strip(): m[3] for m in _BLOCK.finditer(body)}
        prose = _BLOCK.sub("", body)
        rows = [[c.strip() for c in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in prose.splitlines() if line.startswith("|")]
        deleted = re.findall(r"^delete: (\S+)$", prose, re.MULTILINE)
        moved = re.findall(r"^move: (\S+) -> (\S+)$", prose, re.MULTILINE)
        steps.append(Step(title.strip(), files, deleted, moved, rows[2:]))
    return steps


def apply(files: dict[str, str], step: Step) -> dict[str, str]:
    """The files after an edit. A tree is put back with the heading `start again`."""
    after = dict(files)
    for old, new in step.moved:
        after[new] = after.pop(old)
    for path in step.deleted:
        del after[path]
    return after | step.files


def anchor_of(spec: str, tree: MemoryTree) -> Anchor:
    """As on the command line, without looking names up."""
    kind, _, text = spec.partition(":")
    if kind in QUESTIONS:
        return make_anchor("set", question=kind, symbol=text, scope=default_scope(read_symbol(text), (), tree))
    if kind == "edge":
        subject, predicate, target = text.split()
        return make_anchor("edge", subject=subject, predicate=predicate, object=target)
    if kind == "value":
        path, _, key = text.partition("::")
        return make_anchor("value", path=path, key=key)
    if kind == "source":
        path, _, quoted = text.partition("::")
        return make_anchor("source", path=path, text=quoted)
    if kind in ("body", "strict"):
        return make_anchor("body", symbol=text, strict=kind == "strict")
    return make_anchor("signature" if kind == "signature" else "location", symbol=text)


def lookup(text: str, tree: MemoryTree) -> list[SymbolId]:
    """The definitions or the file that a name means."""
    if "::" in text or tree.has_path(text.encode()):
        symbol = read_symbol(text)
        return [symbol]
    return [s for s in tree.symbols_named(text.rpartition(".")[2]) if s.qualified_name.endswith(text)]


def claims_of(step: Step, tree: MemoryTree) -> dict[str, Held]:
    """The claims of the table: name, anchors separated by `;` (or `= statement`), kind."""
    held = {}
    for row in step.rows:
        name, text, kind = row[0], row[1].replace("\\|", "|"), row[2] if len(row) > 2 and row[2] else "observation"
        predicate = None
        if text.startswith("= "):
            proposal = propose(text[2:], tree, lambda name: lookup(name, tree))
            anchors, predicate = proposal.anchors, proposal.predicate
        else:
            anchors = tuple(anchor_of(part.strip(), tree) for part in text.split(";") if part.strip() and not part.strip().startswith("claim:"))
        premises = tuple(part.strip().removeprefix("claim:") for part in text.split(";") if part.strip().startswith("claim:"))
        claim = Claim(name, text, kind, Scope(), (), premises, "r0", "start", FreshnessPolicy(), predicate, (), PERSON, "2026-01-01")  # type: ignore[arg-type]
        verdict = Verdict(f"v-{name}", name, "recorded", 1, fingerprint(anchors, tree), "start", "start", "r0", PERSON, "", (), "2026-01-01")
        held[name] = Held(claim, anchors, (verdict,))
    return held


@pytest.mark.parametrize("path", CASES, ids=lambda p: p.stem)
def test_case(path: Path) -> None:
    """Each edit gives the statuses its table says, and a cold evaluation gives the same."""
    start, claims, *edits = read_case(path)
    tree = MemoryTree(start.files)
    trees = {"start": tree}
    held = claims_of(claims, tree)
    runner = Runner(tree, held, trees)
    runner.look(held)
    files = dict(start.files)
    for edit in edits:
        files = dict(start.files) if edit.title == "start again" else apply(files, edit)
        runner.move_to(MemoryTree(files))
        cold = evaluate(held, {}, MemoryTree(files), past(trees), date(2026, 1, 1))
        expected = {row[0]: (row[1], row[2] if len(row) > 2 else "") for row in edit.rows}
        for status in cold.statuses:
            found = runner.statuses[status.claim_id]
            assert (found.status, found.causes, found.readings) == (status.status, status.causes, status.readings), (
                f"{edit.title}: step by step differs from cold"
            )
            want = expected.get(status.claim_id, ("active", ""))
            reason = status.causes[0].reason if status.causes else ""
            assert (status.status, reason if want[1] else "") == want, (
                f"{edit.title}: {status.claim_id} is {status.status} ({reason}): {status.causes}"
            )
