"""The policy that a bank may declare for its tags, in TOML, and what makes a declaration wrong.

    prefixes = ["project", "kind", "topic", "user"]
    default_prefix = "topic"            # of tags that come without one; without it they are refused
    labels = ["완료", "결정", "gotcha"]  # the text must begin with one or more of these: `[완료+gotcha] …`

    [aliases]
    "kind:done" = "kind:completion"

Everything that could go wrong later is refused when it is loaded: an alias of an alias, a key that no normalised tag could be, a target
that the grammar refuses. So reading a tag follows one hop and always ends.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

from knowledge.errors import InvalidPolicyError
from knowledge.vocabulary.spelling import SLUG, normalise, split

_KEYS = ("prefixes", "default_prefix", "labels", "aliases")


@dataclass(frozen=True, slots=True)
class Policy:
    """What tags a bank takes. aliases: old tag → the tag that is meant."""

    prefixes: tuple[str, ...]
    default_prefix: str = ""
    labels: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)


def read_policy(text: str, name: str) -> Policy:
    """The policy that a file declares. name: of the file, for messages. Raises InvalidPolicyError, which names every fault."""
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidPolicyError(f"{name} is not TOML: {error}") from error
    faults = [f"there is no setting {key!r}" for key in given if key not in _KEYS]
    prefixes = _texts(given, "prefixes", faults)
    labels = _texts(given, "labels", faults)
    aliases = given.get("aliases", {})
    if not isinstance(aliases, dict) or not all(isinstance(value, str) for value in aliases.values()):
        faults.append("aliases is a table of texts")
        aliases = {}
    default = given.get("default_prefix", "")
    if not prefixes:
        faults.append("prefixes names none; without any no tag could be kept")
    faults += [f"the prefix {prefix!r} is not of lower-case letters, digits and hyphens" for prefix in prefixes if not SLUG.match(prefix)]
    if default and default not in prefixes:
        faults.append(f"default_prefix {default!r} is none of the prefixes")
    policy = Policy(prefixes, str(default), labels, aliases)
    faults += _alias_faults(policy)
    if faults:
        raise InvalidPolicyError(
            f"{name} is not taken: {'; '.join(faults)}", suggestions=[w for key in given for w in get_close_matches(key, _KEYS, 1)]
        )
    return policy


def _texts(given: Mapping[str, Any], key: str, faults: list[str]) -> tuple[str, ...]:
    value = given.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        faults.append(f"{key} is a list of texts that say something")
        return ()
    return tuple(value)


def _alias_faults(policy: Policy) -> list[str]:
    faults = []
    for old, meant in policy.aliases.items():
        if normalise(old, policy.default_prefix) != old:
            faults.append(f"the alias {old!r} is not in normal form, so nothing would ever match it; write {normalise(old, policy.default_prefix)!r}")
        if meant in policy.aliases:
            faults.append(f"the alias {old!r} leads to {meant!r}, which is an alias itself: one hop is all that is followed")
        if fault := grammar_fault(meant, policy):
            faults.append(f"the alias {old!r} leads to {meant!r}, {fault}")
    return faults


def grammar_fault(tag: str, policy: Policy) -> str:
    """Why a tag in normal form is none of the vocabulary; "" where it may be one."""
    prefix, slug = split(tag)
    if not prefix:
        return f"which has no prefix; expected one of {', '.join(policy.prefixes)}"
    if prefix not in policy.prefixes:
        return f"whose prefix {prefix!r} is none of {', '.join(policy.prefixes)}"
    if not SLUG.match(slug):
        return "whose name is not of lower-case letters, digits and single hyphens"
    return ""
