"""Tags as a bank's vocabulary has them: on records and on questions alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from knowledge.config import VOCABULARY_FILE
from knowledge.errors import InvalidRecordError, UnknownTagError
from knowledge.operations.project import Project
from knowledge.records.recalls import RewriteLine
from knowledge.vocabulary.policy import Policy, read_policy
from knowledge.vocabulary.reading import Rewrite, check_label, read_tag, read_tags, suggest
from knowledge.vocabulary.spelling import normalise


@dataclass(frozen=True, slots=True)
class AskedTags:
    """The tags that a question means in one bank: the tag itself, and old ones of the same meaning that records have kept."""

    wanted: tuple[str, ...] = ()
    rewrites: tuple[RewriteLine, ...] = ()


def policy_of(project: Project) -> Policy | None:
    """The vocabulary that the bank declares; None where it declares none. Raises InvalidPolicyError."""
    path = project.home / VOCABULARY_FILE
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    return read_policy(text, str(path))


def kept_tags(project: Project, tags: Sequence[str], statement: str, *, is_read: bool = False) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The tags that a new claim gets, and what is to be said of them.

    is_read: the claim was read out of a document, which nobody tagged or labelled; it may stay without. Raises UnknownTagError, InvalidRecordError.
    """
    given = tuple(dict.fromkeys(tags))
    policy = policy_of(project)
    if policy is None:
        return given, ()
    if not is_read:
        check_label(statement, policy)
        if not given:
            prefixes = ", ".join(policy.prefixes)
            raise InvalidRecordError(f"a claim in this bank needs a tag: prefix:name with a prefix out of {prefixes}")
    kept, rewrites = read_tags(given, policy, project.ledger.tags())
    return kept, tuple(f"the tag {one.given!r} is kept as {one.kept!r} ({one.why})" for one in rewrites)


def asked_tags(tags: Sequence[str], banks: Sequence[Project]) -> list[AskedTags]:
    """What the tags of a question mean in each bank. Raises UnknownTagError, with suggestions, for one that no claim of any bank bears."""
    found = [AskedTags() for _ in banks]
    for tag in tags:
        meant = [_meant(tag, bank) for bank in banks]
        if not any(one.names for one in meant):
            raise next((one.refused for one in meant if one.refused is not None), None) or _unknown(meant[0].read, banks)
        for place, one in enumerate(meant):
            told = (RewriteLine(one.read.given, one.read.kept, one.read.why),) if one.read.why else ()
            found[place] = AskedTags(tuple(dict.fromkeys((*found[place].wanted, *one.names))), (*found[place].rewrites, *told))
    return found


@dataclass(frozen=True, slots=True)
class _Meant:
    """How a bank reads a tag: names are the tags in use that it reads alike; refused says why it cannot be any tag there."""

    read: Rewrite
    names: tuple[str, ...] = ()
    refused: UnknownTagError | None = None


def _meant(tag: str, project: Project) -> _Meant:
    policy, known = policy_of(project), project.ledger.tags()
    as_given = Rewrite(tag, tag, "")
    if policy is None:
        return _Meant(as_given, (tag,) if tag in known else ())
    try:
        read = read_tag(tag, policy, known)
    except UnknownTagError as refused:
        # Kept from before the policy was declared, it is found as it is.
        return _Meant(as_given, (tag,) if tag in known else (), refused)
    return _Meant(read, tuple(name for name in known if name == tag or canonical(name, policy) == read.kept))


def _unknown(read: Rewrite, banks: Sequence[Project]) -> UnknownTagError:
    known = sorted({name for bank in banks for name in bank.ledger.tags()})
    told = f"{read.given!r}, read as {read.kept!r}" if read.why else repr(read.given)
    return UnknownTagError(f"no claim bears the tag {told}", suggestions=suggest(read.kept, known))


def canonical(tag: str, policy: Policy) -> str:
    """What a tag that is in use stands for, whether or not the grammar would take it today."""
    normal = normalise(tag, policy.default_prefix)
    return policy.aliases.get(normal, normal)
