"""How a tag is written: the one place that knows its grammar and how it is brought into its normal form."""

from __future__ import annotations

import re
import unicodedata

SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*\Z")
"""Lower-case letters, digits, single hyphens between them. A prefix is written as a slug is."""
_GAPS = re.compile(r"[\s_]+")
_HYPHENS = re.compile(r"-{2,}")


def normalise(tag: str, default_prefix: str = "") -> str:
    """The tag as it is compared and kept: compatible characters as one (NFKC), lower case, hyphens for white space and underscores.

    A tag without a prefix gets the default one, where there is one.
    """
    prefix, colon, slug = unicodedata.normalize("NFKC", tag).strip().lower().partition(":")
    if not colon:
        prefix, slug = default_prefix, prefix
    parts = [_HYPHENS.sub("-", _GAPS.sub("-", part.strip())).strip("-") for part in (prefix, slug)]
    return ":".join(parts) if parts[0] or colon else parts[1]


def has_prefix(tag: str) -> bool:
    """Whether a tag, as it is given, comes with a prefix."""
    return ":" in unicodedata.normalize("NFKC", tag)


def split(tag: str) -> tuple[str, str]:
    """Prefix and slug; the prefix is "" where there is none."""
    prefix, colon, slug = tag.partition(":")
    return (prefix, slug) if colon else ("", prefix)
