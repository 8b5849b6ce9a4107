"""What is answered about the tags of a bank, and about what was remembered elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from knowledge.records.answers import ClaimLine, TreeName


@dataclass(frozen=True, slots=True)
class TagLine:
    """A tag in use: how many claims bear it, since when, and what the policy would keep it as ("" where it is kept as it is)."""

    tag: str
    claims: int
    first_borne: str
    kept_as: str = ""


@dataclass(frozen=True, slots=True)
class NearLine:
    """Two tags that may say the same, and why: spelling, other-prefix, together."""

    one: str
    other: str
    why: str
    claims: tuple[int, int]


@dataclass(frozen=True, slots=True)
class TagsAnswer:
    """The vocabulary of a bank. policy: the file that declares it, "" where there is none. untagged: claims without a tag.

    refused: tags in use that the policy would not take today. fresh: tags first borne within a month that no alias folds.
    """

    policy: str
    prefixes: tuple[str, ...]
    aliases: dict[str, str]
    tags: tuple[TagLine, ...]
    untagged: int
    near: tuple[NearLine, ...]
    unused: tuple[str, ...]
    refused: tuple[str, ...]
    fresh: tuple[str, ...]
    warnings: tuple[str, ...]
    left_out: int = 0
    announcement: str = ""


@dataclass(frozen=True, slots=True)
class MigrationAnswer:
    """What a migration of tags would do or did. manifest: the file. stage: planned, done, stopped (too many refusals).

    actions: withdraw, retag, fill → how many. left: why → how many claims are left as they are by design. refused: claim → why it was not
    changed. differing: claims whose tags are not the expected ones after all, as `id: tags, expected tags`. vocabulary: tags before and after.
    """

    manifest: str
    stage: str
    actions: dict[str, int]
    done: dict[str, int]
    left: dict[str, int]
    refused: dict[str, str]
    differing: tuple[str, ...]
    vocabulary: tuple[int, int]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MemorySource:
    """A file that memories were taken from. kind: of evidence, `document` or `agent_memory`. claims: how many were new."""

    path: str
    kind: str
    claims: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class MemoriesAnswer:
    """What was taken in. outcomes: how many hold, do not hold, cannot be told. known: taken in before. claims: what does not hold first."""

    tree: TreeName
    sources: tuple[MemorySource, ...]
    outcomes: dict[str, int]
    known: int
    claims: tuple[ClaimLine, ...]
    left_out: int = 0
