"""Does memory come at the right moment? Triggers against calls, and the write gate against contradictions and ordinary records.

`--data` is a folder with `trigger_policy_v1.json`, `triggers_SPLIT.jsonl`, `contradictions_SPLIT.jsonl`, `claims.jsonl`. Triggers: precision and
recall a (call, row); `hint` with every row's second tier on. Write gate: of contradicting pairs the share whose newer text is warned, with the older
one among all claims; of ordinary records the number that is warned by mistake. All through the operations, in a bank of its own. `hook_cpu_ms`: CPU
of the hook's client a call; `daemon_p95_ms`: from question to answer at the daemon's socket, while eight agents make `--calls` calls at once
(`push_load.py`), with the rows of the audit that are missing afterwards and the calls that failed.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mirrors import ROOT, arguments, report
from push_load import bench, hook_cpu, load

sys.path.insert(0, str(ROOT))

from knowledge.operations.project import Project, open_project
from knowledge.operations.reading import Reading
from knowledge.operations.record import Draft, store_many
from knowledge.operations.write_gate import write_gate
from knowledge.push.triggers import matches, read_trigger
from knowledge.repository.opening import create_bare

CONTRADICTIONS = ("contra", "super")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The objects of a JSON lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def measure_triggers(data: Path, split: str) -> dict[str, dict[str, float]]:
    """Precision and recall of whole hits, and recall with the second tier of every row on."""
    calls = read_lines(data / f"triggers_{split}.jsonl")
    rows = [read_trigger(row | {"has_hint": True}) for row in _policy(data)]
    wanted = {(call["id"], row) for call in calls for row in call["fires"]}
    hits = {(call["id"], match.trigger.id, match.tier) for call in calls for match in matches(rows, call["tool"], call["text"])}
    whole, all_hits = {hit[:2] for hit in hits if hit[2] == "full"}, {hit[:2] for hit in hits}
    return {
        "full": {"precision": len(whole & wanted) / max(1, len(whole)), "recall": len(whole & wanted) / max(1, len(wanted))},
        "hint": {"recall": len(all_hits & wanted) / max(1, len(wanted))},
    }


def measure_gate(data: Path, split: str) -> dict[str, Any]:
    """The shares of contradictions that are warned, and how many ordinary records are."""
    pairs = [pair for pair in read_lines(data / f"contradictions_{split}.jsonl") if pair["label"] in CONTRADICTIONS]
    claims = read_lines(data / "claims.jsonl")
    with tempfile.TemporaryDirectory() as folder:
        create_bare(Path(folder) / "bank")
        with open_project(Path(folder) / "bank", create=True) as project:
            ids = dict(zip((claim["id"] for claim in claims), _store(project, [claim["text"] for claim in claims]), strict=True))
            related = {frozenset((ids[c["id"]], ids[c["supersedes"]])) for c in claims if c.get("supersedes") in ids}
            warned = sum(any(frozenset((claim, w.precedent)) not in related for w in write_gate(project, claim).warnings) for claim in ids.values())
            olds = _store(project, [pair["old"] for pair in pairs])
            news = _store(project, [pair["new"] for pair in pairs])
            found = [any(w.precedent == old for w in write_gate(project, new).warnings) for old, new in zip(olds, news, strict=True)]
    cannot = [hit for hit, pair in zip(found, pairs, strict=True) if pair["type"] == "cannot"]
    return {"cannot": f"{sum(cannot)}/{len(cannot)}", "all": f"{sum(found)}/{len(found)}", "ordinary": f"{warned}/{len(claims)}"}


def _store(project: Project, statements: Iterable[str]) -> list[str]:
    return list(store_many(project, Reading(project), [Draft(statement, anchors=("none",)) for statement in statements]))


def measure_hooks(data: Path, split: str, count: int) -> dict[str, Any]:
    """CPU of the client, and the daemon's times under load, with all claims remembered and all rows approved."""
    rows = [{key: value for key, value in row.items() if key not in ("positive", "negative")} for row in _policy(data)]
    claims = [claim["text"] for claim in read_lines(data / "claims.jsonl")]
    calls = [(call["tool"], call["text"]) for call in read_lines(data / f"triggers_{split}.jsonl")]
    with bench(claims, rows) as made:
        return {"hook_cpu_ms": hook_cpu(made)} | load(made, calls, count)


def _policy(data: Path) -> list[dict[str, Any]]:
    policy: list[dict[str, Any]] = json.loads((data / "trigger_policy_v1.json").read_text(encoding="utf-8"))
    return policy


def _more(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--calls", type=int, default=10_000, help="by eight agents at once")


def main() -> None:
    """Measure, and print a table or JSON."""
    asked = arguments(__doc__ or "", data="recall", more=_more)
    figures: dict[str, Any] = {"triggers": measure_triggers(asked.data, asked.split), "write_gate": measure_gate(asked.data, asked.split)}
    figures |= measure_hooks(asked.data, asked.split, asked.calls)
    if asked.json:
        print(json.dumps(figures, indent=1))
        return
    hooks = {name: value for name, value in figures.items() if name not in ("triggers", "write_gate")}
    table = figures["triggers"] | {"write gate": figures["write_gate"], "hooks": hooks}
    report(asked, table, ["precision", "recall", "cannot", "all", "ordinary", *hooks])


if __name__ == "__main__":
    main()
