"""The vocabulary of a bank at a glance: what is in use, what drifts apart, what nobody uses."""

from __future__ import annotations

from datetime import timedelta

from knowledge.config import VOCABULARY_FILE
from knowledge.operations.project import Project
from knowledge.operations.tags import policy_of
from knowledge.records.vocabularies import NearLine, TagLine, TagsAnswer
from knowledge.vocabulary.drift import NEW_DAYS, near_pairs, old_forms, unfolded, unused, warnings
from knowledge.vocabulary.reading import announcement

_MOST_LINES = 200


def listing(project: Project) -> TagsAnswer:
    """Every tag in use, the most borne first, and what is to be said of them. Raises InvalidPolicyError."""
    policy = policy_of(project)
    claims = project.ledger.claims()
    counts: dict[str, int] = {}
    first: dict[str, str] = {}
    # Claims come in the order they were recorded.
    for claim in claims:
        for tag in dict.fromkeys(claim.tags):
            counts[tag] = counts.get(tag, 0) + 1
            first.setdefault(tag, claim.recorded_at)
    old, refused = old_forms(counts, policy), unfolded(counts, policy)
    since = (project.clock() - timedelta(days=NEW_DAYS)).strftime("%Y-%m-%dT%H:%M:%SZ")
    is_new = any(claim.recorded_at < since for claim in claims)
    # In a bank younger than a month everything is new, which says nothing.
    fresh = [tag for tag in counts if first[tag] >= since and tag not in old] if is_new else []
    tags = sorted(counts, key=lambda tag: (-counts[tag], tag))
    return TagsAnswer(
        policy=str(project.home / VOCABULARY_FILE) if policy is not None else "",
        prefixes=policy.prefixes if policy is not None else (),
        aliases=dict(policy.aliases) if policy is not None else {},
        tags=tuple(TagLine(tag, counts[tag], first[tag], old.get(tag, "")) for tag in tags[:_MOST_LINES]),
        untagged=sum(not claim.tags for claim in claims),
        near=tuple(NearLine(pair.one, pair.other, pair.why, pair.bearers) for pair in near_pairs(counts, (claim.tags for claim in claims))),
        unused=tuple(unused(counts, policy)),
        refused=tuple(sorted(refused)),
        fresh=tuple(sorted(fresh)),
        warnings=tuple(warnings(policy, sorted(fresh))),
        left_out=max(0, len(tags) - _MOST_LINES),
        announcement=announcement(policy) if policy is not None else "",
    )
