"""Reading tags by a policy: normal form, one alias hop, grammar, in this order.

Aliases are declared in normal form, so a tag must be in it before they are asked; and what an alias gives must pass the grammar like any
other tag, so that no alias is a hole in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from knowledge.errors import InvalidRecordError, UnknownTagError
from knowledge.vocabulary.policy import Policy, grammar_fault
from knowledge.vocabulary.spelling import has_prefix, normalise, split

_LABELS = re.compile(r"\[([^\[\]]+)\]")
_NEAR = 5


@dataclass(frozen=True, slots=True)
class Rewrite:
    """A tag that is kept otherwise than it was given. why: normalised, default-prefix, alias; several joined by a comma."""

    given: str
    kept: str
    why: str


def read_tag(tag: str, policy: Policy, known: Iterable[str] = ()) -> Rewrite:
    """The tag as the policy keeps it; `why` is "" where that is how it was given. known: tags in use, for suggestions.

    Raises UnknownTagError where the grammar refuses it: a wrong prefix is never filed under another one.
    """
    normal = normalise(tag, policy.default_prefix)
    kept = policy.aliases.get(normal, normal)
    if fault := grammar_fault(kept, policy):
        raise UnknownTagError(f"the tag {tag!r} is read as {kept!r}, {fault}", suggestions=_near(kept, policy, known))
    reasons = []
    if kept != normal:
        reasons.append("alias")
    if normal != tag:
        reasons.insert(0, "normalised" if has_prefix(tag) or not policy.default_prefix else "default-prefix")
    return Rewrite(tag, kept, ", ".join(reasons))


def read_tags(tags: Iterable[str], policy: Policy, known: Iterable[str] = ()) -> tuple[tuple[str, ...], tuple[Rewrite, ...]]:
    """The tags to keep, and those among them that were rewritten. Where two became one they are folded, if the policy has aliases at all."""
    read = [read_tag(tag, policy, known) for tag in tags]
    kept = tuple(rewrite.kept for rewrite in read)
    return (tuple(dict.fromkeys(kept)) if policy.aliases else kept), tuple(rewrite for rewrite in read if rewrite.why)


def check_label(statement: str, policy: Policy) -> None:
    """Raises InvalidRecordError where the policy requires labels and the text does not begin with some: `[완료] …`, `[완료+gotcha] …`."""
    if not policy.labels:
        return
    found = _LABELS.match(statement.strip())
    given = [part.strip() for part in found[1].split("+")] if found else []
    wrong = [label for label in given if label not in policy.labels]
    if not given or wrong:
        what = f"the label {wrong[0]!r} is none of them" if wrong else "it has none"
        raise InvalidRecordError(
            f"the text must begin with a label in brackets out of {', '.join(policy.labels)}; {what}",
            suggestions=[f"[{label}]" for label in (get_close_matches(wrong[0], policy.labels, 3, 0.3) if wrong else policy.labels[:3])],
        )


def suggest(tag: str, known: Sequence[str]) -> list[str]:
    """Tags in use that look like this one, best first: as a whole, or by their names where the prefix differs."""
    close = get_close_matches(tag, known, _NEAR, 0.6)
    slug = split(tag)[1]
    same = [other for other in known if split(other)[1] == slug]
    return list(dict.fromkeys([*same, *close]))[:_NEAR]


def _near(tag: str, policy: Policy, known: Iterable[str]) -> list[str]:
    prefix, slug = split(tag)
    if prefix in policy.prefixes:
        return suggest(tag, sorted(set(known)))
    near = get_close_matches(prefix, policy.prefixes, 3, 0.5) or list(policy.prefixes)
    return [f"{other}:{slug}" for other in near]


def announcement(policy: Policy) -> str:
    """What somebody who is going to record should be told: which tags are taken, and that some are rewritten."""
    told = f"Tags are prefix:name with a prefix out of {', '.join(policy.prefixes)}; at least one is needed."
    if policy.default_prefix:
        told += f" A tag without a prefix becomes {policy.default_prefix}:…."
    told += " Tags are brought into normal form"
    told += f", and {len(policy.aliases)} old ones are rewritten (`knowledge tags list` shows them)" if policy.aliases else ""
    told += "; each rewrite is told in the answer."
    if policy.labels:
        told += f" A text begins with a label: {', '.join(f'[{label}]' for label in policy.labels)}."
    return told
