"""An agent that is stuck is given what is remembered of its task, where something is remembered that fits.

What is asked is short and several: the command or task, what it answered, the names in an address; or the sentence in which the agent gives up and
its clauses. Only what passes the threshold of what nobody asked for is given, and never what is out of force.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from knowledge.operations.project import Project
from knowledge.operations.recall import Asked, recall
from knowledge.operations.searching import bring_up_to_date, search
from knowledge.recall.ranking import PUSH_SCORE, read_query
from knowledge.records.recalls import RecallLine

MOST_MEMORIES = 2
_BUDGET = 2_000
"""Tokens of the recall; what is given has a budget of its own."""
_OUT = ("superseded", "rejected", "withdrawn")


def remembered(project: Project, queries: Iterable[str], given: Collection[str] = (), *, personal: Project | None = None) -> tuple[RecallLine, ...]:
    """The memories that answer the query that is answered best, without those that were given already. Raises what `recall` raises."""
    banks = [project] if personal is None else [project, personal]
    for bank in banks:
        bring_up_to_date(bank)
    # Comparing is cheap; what is said of the claims found is read once, for one query.
    reached = {query: max((max(search(bank, read_query(query)).values(), default=0.0) for bank in banks), default=0.0) for query in queries}
    best = max(reached, key=lambda query: reached[query], default="")
    if not best or reached[best] < PUSH_SCORE:
        return ()
    lines = recall(project, Asked(best, least=PUSH_SCORE, is_pushed=True, budget_tokens=_BUDGET), personal=personal).lines
    return tuple(line for line in lines if line.claim.id not in given and line.claim.status not in _OUT)[:MOST_MEMORIES]
