"""Where a vocabulary drifts apart: tags that look alike, tags borne together, tags that are new, words that nobody uses."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import combinations

from knowledge.vocabulary.policy import Policy, grammar_fault
from knowledge.vocabulary.spelling import normalise, split

MOST_ALIASES = 100
"""With more of them the vocabulary itself should be divided anew."""
MOST_NEW = 10
"""Tags of one month that no alias folds; with more of them aliases do not keep up."""
NEW_DAYS = 30
_ALIKE = 0.8
"""Share of the characters that two names have in common, in order, from which they are near."""
_TOGETHER = 0.75
"""Share of the claims that bear either of two tags and bear both, from which they may say the same."""
_LEAST_BEARERS = 3
_MOST_COMPARED = 1_000
_MOST_PAIRS = 50


@dataclass(frozen=True, slots=True)
class NearPair:
    """Two tags that may be one. why: `spelling`, `other-prefix` (one name below two prefixes) or `together` (borne by the same claims)."""

    one: str
    other: str
    why: str
    bearers: tuple[int, int]


def near_pairs(counts: Mapping[str, int], bearers: Iterable[Collection[str]]) -> list[NearPair]:
    """Tags in use that may say the same, the most borne first. bearers: the tags of each claim."""
    tags = sorted(counts, key=lambda tag: (-counts[tag], tag))[:_MOST_COMPARED]
    found: dict[tuple[str, str], str] = {}
    for one, other in combinations(sorted(tags), 2):
        if why := _likeness(one, other):
            found[one, other] = why
    together = Counter(pair for several in bearers for pair in combinations(sorted(set(several) & set(tags)), 2))
    for (one, other), both in together.items():
        if both >= _LEAST_BEARERS and both / (counts[one] + counts[other] - both) >= _TOGETHER:
            found.setdefault((one, other), "together")
    ranked = sorted(found.items(), key=lambda item: (-sum(counts[tag] for tag in item[0]), item[0]))
    return [NearPair(one, other, why, (counts[one], counts[other])) for (one, other), why in ranked[:_MOST_PAIRS]]


def _likeness(one: str, other: str) -> str:
    (prefix, slug), (other_prefix, other_slug) = split(one), split(other)
    if slug == other_slug:
        return "other-prefix"
    if prefix != other_prefix or abs(len(slug) - len(other_slug)) > 3:
        return ""
    longer = max(len(slug), len(other_slug))
    matcher = SequenceMatcher(None, slug, other_slug, autojunk=False)
    if longer < 4 or matcher.real_quick_ratio() < _ALIKE or matcher.quick_ratio() < _ALIKE:
        return ""
    return "spelling" if matcher.ratio() >= _ALIKE else ""


def unfolded(counts: Iterable[str], policy: Policy | None) -> list[str]:
    """The tags in use that are not as the policy would keep them, and that no alias leads to a tag it takes."""
    if policy is None:
        return []
    return [tag for tag in counts if grammar_fault(_meant(tag, policy), policy)]


def old_forms(counts: Iterable[str], policy: Policy | None) -> dict[str, str]:
    """Tag in use → the tag that it would be kept as today, for those that differ."""
    if policy is None:
        return {}
    return {tag: meant for tag in counts if (meant := _meant(tag, policy)) != tag and not grammar_fault(meant, policy)}


def _meant(tag: str, policy: Policy) -> str:
    normal = normalise(tag, policy.default_prefix)
    return policy.aliases.get(normal, normal)


def unused(counts: Mapping[str, int], policy: Policy | None) -> list[str]:
    """What the policy declares and no claim bears: prefixes, and the targets of aliases."""
    if policy is None:
        return []
    prefixes = {split(tag)[0] for tag in counts}
    targets = dict.fromkeys(policy.aliases.values())
    return [f"{prefix}:" for prefix in policy.prefixes if prefix not in prefixes] + [tag for tag in targets if tag not in counts]


def warnings(policy: Policy | None, fresh: Sequence[str]) -> list[str]:
    """What says that the vocabulary should be looked at as a whole. fresh: tags first borne within the last month that no alias folds."""
    found = []
    if policy is not None and len(policy.aliases) > MOST_ALIASES:
        found.append(f"{len(policy.aliases)} aliases, more than {MOST_ALIASES}: divide the vocabulary anew instead of adding to them")
    if len(fresh) > MOST_NEW:
        found.append(f"{len(fresh)} tags are new within {NEW_DAYS} days and folded by no alias: {', '.join(fresh[:5])} …")
    return found
