"""Do claims know when they are no longer true? Claims of real code at a commit x, their truth at a commit y, and what the product says there.

--data: a folder with data/R.claims.jsonl.gz, R.labels.jsonl.gz and R.commits.jsonl. For every repository R with data: one bare clone, one ledger; the
claims are recorded as said of x, and read in the tree of y as a commit makes the product read them: what the difference between the two trees
cannot touch keeps its status, the rest is looked at again. active and verified keep a claim, stale and needs_review flag it.

missed: false claims kept. false_alarm: true claims flagged. moved_flagged: of those that only moved. precision: flags that were needed. All in per
cent, weighted by what a row stands for (missed is not: one huge commit would rule). load: flags a commit for 1,000 claims held.
relocated: of the claims that only moved, those re-anchored right: kept, and shown as moved. unrecorded: claims that could not be recorded at x,
counted as kept. doubted: claims, all of them true at x, that are flagged there already. seconds: CPU time of this program for a pair of commits,
recording its claims included.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mirrors import ROOT, arguments, bare_clone, report, repositories

sys.path.insert(0, str(ROOT))

from knowledge.claims.lifecycle import KEPT
from knowledge.errors import KnowledgeError
from knowledge.operations.initialize import initialize
from knowledge.operations.project import Project, open_project
from knowledge.operations.reading import Reading
from knowledge.operations.record import Draft, propose_only, record_many
from knowledge.operations.versions import RULES
from knowledge.records.claims import ClaimStatus
from knowledge.records.stored import WorktreeState

Row = dict[str, Any]
FALSE = ("now-false", "subject-gone")
MOVED = "moved-but-true"
COLUMNS = ["missed", "false_alarm", "moved_flagged", "precision", "load", "relocated", "false", "true"]
UNIVERSALS = ("c0", "c1", "d2", "g2", "g3", "g4")


@dataclass(slots=True)
class Bench:
    """One repository's data: claims by id, and for each pair (x, y) its labels."""

    name: str
    mirror: Path
    claims: dict[str, Row]
    pairs: dict[tuple[str, str], list[Row]] = field(default_factory=dict)


# ── loading ──


def load(asked: argparse.Namespace) -> Iterator[Bench]:
    """Every repository that has data and a mirror, with the pairs of the mode and the split."""
    mirrors = dict(repositories(asked))
    folder = asked.data / "data" if (asked.data / "data").is_dir() else asked.data
    for listed in sorted(folder.glob("*.commits.jsonl")):
        commits = [json.loads(line) for line in listed.read_text().splitlines()]
        name = commits[0]["repo"]
        if name not in mirrors or asked.split not in ("all", commits[0]["split"]):
            continue
        stem = listed.name.removesuffix(".commits.jsonl")
        bench = Bench(name, mirrors[name], {c["id"]: c for c in rows_of(folder / f"{stem}.claims.jsonl.gz")})
        kinds = {(c["x"], c["y"]): c["kind"] for c in sorted(commits, key=lambda c: c["t"]) if c["mode"] == asked.mode}
        for row in rows_of(folder / f"{stem}.labels.jsonl.gz"):
            pair = bench.claims[row["id"]]["x"], row["y"]
            if row["mode"] == asked.mode:
                bench.pairs.setdefault(pair, []).append({**row, "kind": kinds[pair], "repo": name})
        order = [pair for pair in kinds if pair in bench.pairs]
        step = max(1, len(order) // asked.limit) if asked.limit else 1
        bench.pairs = {pair: bench.pairs[pair] for pair in order[::step]}
        yield bench


def rows_of(path: Path) -> list[Row]:
    """The rows of a packed file of JSON lines."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


# ── recording ──


def draft_of(claim: Row, *, is_free_text: bool) -> Draft:
    """The claim as an agent would hand it in: its statement and evidence, with its predicate, or for behaviour its anchors."""
    cited = tuple(dict.fromkeys(shown(e["path"], e["q"]) for e in claim["ev"]))
    if is_free_text:
        return Draft(claim["st"], evidence=cited, at=claim["x"])
    if claim["cls"] in ("i", "i2", "j"):
        return Draft(claim["st"], evidence=cited, anchors=anchors_of(claim), at=claim["x"])
    return Draft(claim["st"], evidence=cited, predicate=json.dumps(predicate_of(claim)), at=claim["x"])


def anchors_of(claim: Row) -> tuple[str, ...]:
    """A claim about behaviour stands on bodies: as written, or own names and annotations aside, or with those of what it calls."""
    subject = shown(*claim["pr"]["s"])
    if claim["cls"] == "j":
        return (f"strict:{subject}", *(f"strict:{shown(path, name)}" for path, name, *_ in claim["pr"]["deps"]))
    return (f"strict:{subject}" if claim["cls"] == "i" else f"body:{subject}",)


def predicate_of(claim: Row) -> Row:
    """The claim's predicate in the product's words."""
    said = claim["pr"]
    subject = shown(*said["s"]) if "s" in said else ""
    members = [m if isinstance(m, str) else "::".join(m) for m in said.get("set", ())]
    match claim["cls"]:
        case "a":
            return {"relation": "signature", "subject": subject, "value": said["sig"]}
        case "b" | "k":
            return {"relation": "calls" if claim["cls"] == "b" else "tests", "subject": subject, "object": shown(*said["o"])}
        case "c0" | "c1":
            return {"relation": "called_only_by", "subject": subject, "members": members}
        case "d1":
            return {"relation": "inherits", "subject": subject, "object": said["b"]}
        case "d2":
            return {"relation": "subclasses_exactly", "subject": subject, "members": members}
        case "e1":
            return {"relation": "value", "subject": subject, "value": said["v"]}
        case "e2":
            return {"relation": "default", "subject": subject, "object": said["a"], "value": said["v"]}
        case "f1":
            return {"relation": "raises", "subject": subject, "object": said["e"]}
        case "f2":
            return {"relation": "returns_type", "subject": subject, "value": said["t"]}
        case "f3":
            return {"relation": "never_returns_value", "subject": subject}
        case "g1" | "g4":
            return {"relation": "imports", "subject": said["p"], "object": module_of(said), "is_negated": claim["cls"] == "g4"}
        case "g2" | "g3":
            return {"relation": "imported_only_by", "subject": module_of(said), "members": members}
        case "h":
            return {"relation": "defined_in", "subject": subject, "object": said["s"][0]}
    raise KeyError(claim["cls"])


def module_of(said: Row) -> str:
    """The imported module: a file, or something outside of the repository."""
    return f"external:{said['t']}" if said["ext"] else str(said["t"])


def shown(path: str, name: str = "") -> str:
    """A symbol as people write it; `<module>`, `<imports>` and `<file>` are the file itself."""
    return f"{path}::{name}" if name and not name.startswith("<") else path


def record(project: Project, claims: Iterable[Row], *, is_free_text: bool) -> tuple[dict[str, str], dict[str, str]]:
    """Record the claims of one commit. Gives claim → the product's id, and claim → why it could not be recorded."""
    drafts = {c["id"]: draft_of(c, is_free_text=is_free_text) for c in claims}
    refused: dict[str, str] = {}
    while drafts:
        try:
            answers = record_many(project, list(drafts.values()))
        except KnowledgeError:
            refused |= refused_of(project, drafts)
            drafts = {c: d for c, d in drafts.items() if c not in refused}
        else:
            return {c: a.claim.id for c, a in zip(drafts, answers, strict=True)}, refused
    return {}, refused


def refused_of(project: Project, drafts: dict[str, Draft]) -> dict[str, str]:
    """The drafts that cannot be recorded, each with the reason."""
    found = {}
    for claim, draft in drafts.items():
        try:
            propose_only(project, draft)
        except KnowledgeError as error:
            found[claim] = error.message
    return found


# ── reading ──


def statuses_at(project: Project, x: str, y: str, claim_ids: list[str]) -> tuple[dict[str, ClaimStatus], dict[str, ClaimStatus]]:
    """The statuses in the tree of x, and in that of y: those of x, and anew what the difference between the trees can touch."""
    reading = Reading(project)
    old, new = reading.trees.at(x), reading.trees.at(y)
    before = reading.evaluate(claim_ids, {}, old)
    with project.index.transaction():
        project.index.watch_many(before.watches.items())
    state = WorktreeState("", old.tree.snapshot.key, x, None, project.ledger.last_sequence(), reading.today().isoformat(), RULES)
    difference = reading.difference(state, new).claims
    touched = set(claim_ids) if difference is None else difference & set(claim_ids)
    found = {s.claim_id: s for s in before.statuses}
    return found, found | {s.claim_id: s for s in reading.evaluate(sorted(touched), found, new).statuses}


def answer_of(status: ClaimStatus | None) -> str:
    """keep, relocate or flag."""
    if status is None or status.status in KEPT:
        return "relocate" if status is not None and status.is_relocated else "keep"
    return "flag"


def judge(bench: Bench, asked: argparse.Namespace, workplace: Path) -> Iterator[Row]:
    """Every label of a repository with the product's answer and the causes it gives."""
    first = next(iter(bench.pairs))[0]
    clone = bare_clone(bench.mirror, workplace / "repo", first)
    initialize(clone)
    known: dict[str, tuple[dict[str, str], dict[str, str]]] = {}
    for (x, y), labels in bench.pairs.items():
        with open_project(clone) as project:
            if x not in known:
                held = sorted({r["id"] for (commit, _), rows in bench.pairs.items() if commit == x for r in rows})
                known[x] = record(project, [bench.claims[c] for c in held], is_free_text=asked.free_text)
            ids, refused = known[x]
            before, found = statuses_at(project, x, y, [ids[r["id"]] for r in labels if r["id"] in ids])
        for row in labels:
            claim_id = ids.get(row["id"], "")
            status = found.get(claim_id)
            causes = [f"{c.reason} {c.place} {c.detail}".strip() for c in status.causes] if status is not None else [refused[row["id"]]]
            yield {
                **row, "x": x, "answer": answer_of(status), "status": status.status if status else "unrecorded", "causes": causes,
                "is_doubted": status is not None and before[claim_id].status not in KEPT,
            }  # fmt: skip
        print(f"{bench.name} {x[:9]}..{y[:9]}", file=sys.stderr) if asked.verbose else None


# ── counting, as score.py does ──


def count(rows: Iterable[Row]) -> Counter[str]:
    """Sums over rows: n… without weights, w… with them. b: false, t: true, m: moved; f: flagged, k: kept, r: kept and shown as moved."""
    total: Counter[str] = Counter()
    for row in rows:
        side = "b" if row["truth"] in FALSE else "t"
        way = "f" if row["answer"] == "flag" else "k"
        total[f"n{side}{way}"] += 1
        total[f"w{side}{way}"] += row["w"]
        if row["truth"] == MOVED:
            total[f"m{way}"] += row["w"]
            total["mr"] += row["w"] if row["answer"] == "relocate" else 0
    return total


def figures(total: Counter[str]) -> dict[str, float | None]:
    """The measures in per cent; None where nothing was asked."""
    flagged = total["wbf"] + total["wtf"]
    held = flagged + total["wbk"] + total["wtk"]
    load = share(flagged, held)
    return {
        "missed": share(total["nbk"], total["nbk"] + total["nbf"]),
        "false_alarm": share(total["wtf"], total["wtf"] + total["wtk"]),
        "moved_flagged": share(total["mf"], total["mf"] + total["mk"]),
        "precision": share(total["wbf"], flagged),
        "load": load * 10 if load is not None else None,
        "relocated": share(total["mr"], total["mk"] + total["mf"]),
        "false": total["nbf"] + total["nbk"],
        "true": total["ntf"] + total["ntk"],
    }


def share(part: float, whole: float) -> float | None:
    """Per cent."""
    return 100 * part / whole if whole else None


def grouped(rows: Iterable[Row], key: str) -> dict[str, dict[str, float | None]]:
    """The measures of each group of rows."""
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[row[key]].append(row)
    return {name: figures(count(groups[name])) for name in sorted(groups)}


def show(asked: argparse.Namespace, rows: list[Row], seconds: float) -> None:
    """All figures as one JSON object, or as a table."""
    whole = figures(count(rows))
    universals = figures(count(r for r in rows if r["cls"] in UNIVERSALS))
    pairs = len({(r["repo"], r["x"], r["y"]) for r in rows})
    unrecorded, doubted = sum(r["status"] == "unrecorded" for r in rows), sum(r["is_doubted"] for r in rows)
    classes, kinds, repos = grouped(rows, "cls"), grouped(rows, "kind"), grouped(rows, "repo")
    if asked.json:
        print(json.dumps({
            **whole, "universals_missed": universals["missed"], "unrecorded": unrecorded, "doubted": doubted,
            "pairs": pairs, "seconds": round(seconds / pairs, 2),
            "by_class": classes, "by_kind": kinds, "by_repo": repos,
        }, indent=1))  # fmt: skip
        return
    spent = f"{pairs} pairs of commits, {seconds / pairs:.2f} s each"
    print(f"{len(rows)} rows, {spent}, split {asked.split}, mode {asked.mode}, {unrecorded} unrecorded, {doubted} doubted at x\n")
    report(asked, {"all": whole, "universals": universals, **classes, **kinds, **repos}, COLUMNS)


def options(parser: argparse.ArgumentParser) -> None:
    """What this benchmark can be told besides."""
    parser.add_argument("--mode", choices=("step", "chain"), default="step", help="one commit, or 1 to 1,000 commits later")
    parser.add_argument("--free-text", action="store_true", help="withhold the predicates: statement and evidence only")
    parser.add_argument("--limit", type=int, default=0, help="at most about so many pairs of commits a repository")
    parser.add_argument("--wrong", type=Path, help="write every wrong answer with its causes to this file")
    parser.add_argument("--verbose", action="store_true", help="name each pair of commits on standard error")


def main() -> None:
    """Judge every repository that has data."""
    asked = arguments(__doc__ or "", "staleness", options)
    started, rows = time.process_time(), []
    for bench in load(asked):
        workplace = Path(tempfile.mkdtemp(prefix="knowledge-staleness-"))
        try:
            for row in judge(bench, asked, workplace):
                claim = bench.claims[row["id"]]
                rows.append({**row, "st": claim["st"]})
        finally:
            shutil.rmtree(workplace)
    if not rows:
        sys.exit(f"no data of split {asked.split} under {asked.data} for the repositories under {asked.mirror}")
    if asked.wrong:
        wrong = [r for r in rows if (r["truth"] in FALSE) != (r["answer"] == "flag") or r["status"] == "unrecorded"]
        asked.wrong.write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in wrong))
    show(asked, rows, time.process_time() - started)


if __name__ == "__main__":
    main()
