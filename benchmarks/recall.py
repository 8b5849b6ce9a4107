"""How well claims are recalled: hit@1, recall@5, MRR and cross-lingual hit@5 of queries whose answers are known, and false positives.

Every claim is recorded in a scratch repository, superseded ones are superseded, and each query is asked as `knowledge recall` asks it.

    hit1           the first claim is one of the best answers (relevance 2)
    recall5        share of all answers (any relevance) among the first five, of those that five have room for
    mrr            1 / place of the first best answer
    crosslingual5  a best answer is among the first five, where the query is in the other language than every best answer
    false_positive share of the queries without an answer for which something reaches the score from which claims are pushed

--split names the file of queries (queries_<split>.jsonl). `pushed` and `p50_ms` are told besides: the share of answerable queries whose first
claim would be pushed, and the median time of one query in the process.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from mirrors import ROOT, arguments, git, report

sys.path.insert(0, str(ROOT))

from knowledge.errors import UnknownPathError, UnknownSymbolError
from knowledge.operations.project import Project, open_project
from knowledge.operations.recall import MOST_TOKENS, Asked, recall
from knowledge.operations.record import UNANCHORED, Draft, record_many
from knowledge.operations.steps import supersede
from knowledge.records.claims import Author
from knowledge.records.recalls import RecallLine

COLUMNS = ["hit1", "recall5", "mrr", "crosslingual5", "false_positive"]
FIRST = 5


def rows(path: Path) -> list[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def fill(project: Project, claims: list[dict[str, Any]]) -> dict[str, str]:
    """Record the claims; our id → the id in the data."""
    drafts = [Draft(claim["text"], kind=claim["kind"], anchors=(UNANCHORED,)) for claim in claims]
    given = {claim["id"]: answer.claim.id for claim, answer in zip(claims, record_many(project, drafts), strict=True)}
    for claim in claims:
        if claim.get("supersedes"):
            supersede(project, given[claim["supersedes"]], given[claim["id"]], "corrected")
    return {ours: theirs for theirs, ours in given.items()}


def language(text: str) -> str:
    """`ko` for a text with Hangul, else `en`."""
    return "ko" if any("가" <= character <= "힣" for character in text) else "en"


def measure(folder: Path, split: str, *, by_meaning: bool) -> dict[str, float]:
    """The figures of one set of claims and queries."""
    claims, queries = rows(folder / "claims.jsonl"), rows(folder / f"queries_{split}.jsonl")
    spoken = {claim["id"]: claim["lang"] for claim in claims}
    found: dict[str, list[float]] = {name: [] for name in (*COLUMNS, "pushed", "ms")}
    with tempfile.TemporaryDirectory(prefix="knowledge-recall-") as place:
        git(Path(place), "init", "--quiet")
        with open_project(Path(place), Author("person", "bench"), create=True) as project:
            ids = fill(project, claims)
            for query in queries:
                started = time.perf_counter()
                lines = ask(project, query["text"], by_meaning)
                found["ms"].append(1000 * (time.perf_counter() - started))
                judge(query, [ids[line.claim.id] for line in lines], any(not line.is_weak for line in lines), spoken, found)
    return {name: statistics.mean(values) if values else 0.0 for name, values in found.items() if name != "ms"} | {
        "p50_ms": statistics.median(found["ms"])
    }


def ask(project: Project, text: str, by_meaning: bool) -> tuple[RecallLine, ...]:
    """What is recalled; nothing for a name that is said to be unknown."""
    try:
        return recall(project, Asked(text, budget_tokens=MOST_TOKENS, by_meaning=by_meaning)).lines
    except (UnknownSymbolError, UnknownPathError):
        return ()


def judge(query: dict[str, Any], ids: list[str], is_pushed: bool, spoken: dict[str, str], found: dict[str, list[float]]) -> None:
    """Add what one query gives to the figures."""
    if not query["rel"]:
        found["false_positive"].append(is_pushed)
        return
    best = {claim for claim, relevance in query["rel"].items() if relevance == max(query["rel"].values())}
    place = next((number for number, claim in enumerate(ids, 1) if claim in best), 0)
    found["hit1"].append(place == 1)
    found["mrr"].append(1 / place if place else 0.0)
    found["recall5"].append(len(query["rel"].keys() & set(ids[:FIRST])) / min(FIRST, len(query["rel"])))
    found["pushed"].append(is_pushed)
    if query["type"] != "symbol" and not {spoken[claim] for claim in best} & {language(query["text"]), "mixed"}:
        found["crosslingual5"].append(0 < place <= FIRST)


def main() -> None:
    """Measure the claims and queries under --data."""

    def more(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--semantic", action="store_true", help="compare meanings, too: the extra `semantic`")

    asked = arguments(__doc__ or "", data="recall", more=more)
    figures = measure(asked.data, asked.split, by_meaning=asked.semantic)
    if asked.json:
        print(json.dumps({name: round(figures[name], 4) for name in (*COLUMNS, "pushed", "p50_ms")}))
    else:
        report(asked, {asked.split: figures}, [*COLUMNS, "pushed", "p50_ms"])


if __name__ == "__main__":
    try:
        main()
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(str(error))
