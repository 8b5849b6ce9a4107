"""Which analyzers read what: kept with every verdict, so that an upgrade is not taken for a change of the code."""

from __future__ import annotations

from collections.abc import Iterable

from analyzers.registry import LANGUAGES, analyzer_version, language_of
from knowledge.claims.anchors import digest_of
from knowledge.graph.resolution import RESOLVER_VERSION
from knowledge.records.claims import Anchor
from knowledge.records.identifiers import read_symbol

RESOLVER = "resolver"
RULES_VERSION = "2"
"""Raise it whenever a claim's status comes out otherwise for the same readings, verdicts and day."""
CURRENT_VERSIONS = {name: analyzer_version(name) for name in LANGUAGES} | {RESOLVER: RESOLVER_VERSION}
"""Language, or `resolver` → the version of this program's analyzer."""

RULES = digest_of(f"{RULES_VERSION} {sorted(CURRENT_VERSIONS.items())}")
"""What stored statuses were computed by: where it differs they are computed anew."""


def versions(anchors: Iterable[Anchor]) -> dict[str, str]:
    """The versions that the readings of these anchors depend on."""
    found = {}
    for anchor in anchors:
        text = str(anchor.target.get("symbol") or anchor.target.get("subject") or anchor.target.get("path") or "")
        language = language_of(read_symbol(text).path) if text else ""
        if language and anchor.kind != "source":
            found[language] = CURRENT_VERSIONS[language]
        if anchor.kind in ("set", "edge"):
            found[RESOLVER] = RESOLVER_VERSION
    return found
