"""Is an agent given memories when it is stuck, and left alone when it only works? Scripted sessions, made by chance from a seed.

Ordinary sessions: editing and testing in both languages, test first, checks run again in other ways, a network that fails once, trials, searches,
edits that do not fit, and reports of what was done. Stuck ones: the same operation fails twice, or the last message says that something cannot be
done; for each a way is remembered. The pools of commands and messages are in two halves: `dev` was there when the rules were written, `kept` was
written afterwards and is only measured. `--data` is a folder with `claims.jsonl`: what else is remembered. Disturbed: ordinary sessions in which
anything is given; signs: those in which it would be if something fitting were always remembered. Reached: stuck sessions in which a memory is given.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mirrors import ROOT, arguments, report
from stuck_sessions import POOLS, Call, Session, make_session

sys.path.insert(0, str(ROOT))

from knowledge.operations.project import Project, open_project
from knowledge.operations.reading import Reading
from knowledge.operations.record import Draft, store_many
from knowledge.operations.stuck import remembered
from knowledge.push.asking_for import about_call, about_saying
from knowledge.push.blocked import blocked_sentence
from knowledge.push.failures import failure_line
from knowledge.push.stuck import KEPT_ATTEMPTS, Attempt, is_stuck, read_attempt, shell_text
from knowledge.repository.opening import create_bare


@dataclass
class Told:
    """What happened in one session: signs that were seen, memories that were given."""

    signs: int = 0
    given: int = 0


def play(project: Project, session: Session) -> Told:
    """Run a session past the same rules as a hook does."""
    told = Told()
    attempts: list[Attempt] = []
    given: set[str] = set()
    for call in session.calls:
        attempt = read_attempt(call.tool, call.arguments, call.result, call.is_failed)
        if is_stuck(attempts, attempt):
            told.signs += 1
            given |= _given(project, about_call(attempt.operation, _text(call), failure_line(call.result)), given)
        attempts = [*attempts, attempt][-KEPT_ATTEMPTS:]
    if sentence := blocked_sentence(session.message):
        told.signs += 1
        given |= _given(project, about_saying(sentence), given)
    told.given = len(given)
    return told


def _text(call: Call) -> str:
    return shell_text(call.arguments) or " ".join(value for value in call.arguments.values() if isinstance(value, str))


def _given(project: Project, queries: Sequence[str], given: set[str]) -> set[str]:
    return {line.claim.id for line in remembered(project, queries, given)}


def measure(project: Project, half: str, count: int, seed: int) -> dict[str, Any]:
    """The shares over `count` ordinary and as many stuck sessions of one half."""
    chance = random.Random(f"{seed} {half}")
    ordinary = [play(project, make_session(POOLS[half], chance, is_stuck=False)) for _ in range(count)]
    stuck = [play(project, make_session(POOLS[half], chance, is_stuck=True)) for _ in range(count)]
    return {
        "ordinary": count,
        "disturbed": round(sum(told.given > 0 for told in ordinary) / count, 4),
        "signs": round(sum(told.signs > 0 for told in ordinary) / count, 4),
        "stuck": count,
        "seen": round(sum(told.signs > 0 for told in stuck) / count, 4),
        "reached": round(sum(told.given > 0 for told in stuck) / count, 4),
    }


def main() -> None:
    """Print the shares of both halves."""
    asked = arguments(__doc__ or "", "recall", _more)
    claims = [json.loads(line)["text"] for line in (asked.data / "claims.jsonl").read_text(encoding="utf-8").splitlines() if line.strip()]
    with tempfile.TemporaryDirectory() as folder:
        create_bare(Path(folder) / "bank")
        with open_project(Path(folder) / "bank", create=True) as project:
            known = [*claims, *(way for pool in POOLS.values() for way in pool.ways)]
            store_many(project, Reading(project), [Draft(text, anchors=("none",)) for text in known])
            found = {half: measure(project, half, asked.count, asked.seed) for half in POOLS}
    report(asked, found, list(next(iter(found.values()))))


def _more(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=500, help="sessions of each kind and half")
    parser.add_argument("--seed", type=int, default=1)


if __name__ == "__main__":
    main()
