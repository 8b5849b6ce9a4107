"""The ledger's tables: the record. Rows are only ever added, which triggers hold; `redact` is the one exception, and they bound it.

JSON columns hold what no query asks for. Alembic's scripts make these tables; a test holds that both agree.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Float, ForeignKey, Index, Integer, LargeBinary, MetaData, Table, TableClause, Text, column

from knowledge.records.stored import REDACTED

metadata = MetaData()


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


claim = Table(
    "claim",
    metadata,
    Column("id", Text, primary_key=True),
    _text("statement"),
    _text("statement_hash"),
    _text("kind"),
    _text("scope"),
    _text("evidence_refs"),
    _text("derived_from"),
    Column("valid_at_revision", Text),
    _text("valid_at_tree"),
    _text("freshness_policy"),
    Column("predicate", Text),
    _text("tags"),
    _text("author_kind"),
    _text("author_name"),
    _text("author_session"),
    _text("recorded_at"),
    _text("detail"),
    Column("redacted_at", Text),
)

anchor = Table("anchor", metadata, Column("digest", Text, primary_key=True), _text("kind"), _text("target"))

claim_anchor = Table(
    "claim_anchor",
    metadata,
    Column("claim_id", Text, ForeignKey("claim.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("anchor_digest", Text, ForeignKey("anchor.digest"), nullable=False),
    _text("role"),
    Index("claim_anchor_by_anchor", "anchor_digest"),
)

premise = Table(
    "premise",
    metadata,
    Column("claim_id", Text, ForeignKey("claim.id"), primary_key=True),
    Column("premise_id", Text, primary_key=True),
    Index("premise_by_premise", "premise_id"),
)

claim_tag = Table(
    "claim_tag",
    metadata,
    Column("claim_id", Text, ForeignKey("claim.id"), primary_key=True),
    Column("tag", Text, primary_key=True),
    Index("claim_tag_by_tag", "tag"),
)

retagging = Table(
    "retagging",
    metadata,
    Column("claim_id", Text, ForeignKey("claim.id"), primary_key=True),
    Column("clock", BigInteger, primary_key=True),
    Column("tags", Text, primary_key=True),
)
"""The tags that a claim was given afterwards, by the clock of the event that says so; the latest ones count (`current_tag`)."""

evidence = Table(
    "evidence",
    metadata,
    Column("id", Text, primary_key=True),
    _text("kind"),
    Column("repository_revision", Text),
    _text("tree_id"),
    Column("file_path", LargeBinary, nullable=False),
    _text("blob_id"),
    _text("language"),
    _text("parser_version"),
    _text("analyzer_version"),
    _text("node_type"),
    _text("source_range"),
    _text("content_hash"),
    _text("extracted_relation"),
    _text("symbol"),
    _text("excerpt"),
    Column("is_dirty", Integer, nullable=False),
)

citation = Table(
    "citation",
    metadata,
    Column("claim_id", Text, primary_key=True),
    Column("evidence_id", Text, primary_key=True),
    Index("citation_by_evidence", "evidence_id"),
)
"""Which claim cites which evidence, itself or by a verdict: for questions; the references stand in the claim and the verdict."""

verdict = Table(
    "verdict",
    metadata,
    Column("id", Text, primary_key=True),
    Column("claim_id", Text, ForeignKey("claim.id"), nullable=False),
    _text("kind"),
    Column("sequence", BigInteger, nullable=False),
    _text("fingerprint"),
    _text("tree_id"),
    _text("snapshot_key"),
    Column("revision", Text),
    _text("author_kind"),
    _text("author_name"),
    _text("author_session"),
    _text("reason"),
    _text("evidence_refs"),
    _text("said_at"),
    _text("analyzer_versions"),
    Index("verdict_by_claim", "claim_id", "sequence"),
    Index("verdict_by_sequence", "sequence"),
)

event = Table(
    "event",
    metadata,
    Column("sequence", Integer, primary_key=True),
    Column("id", Text, nullable=False),
    Column("clock", BigInteger, nullable=False),
    _text("type"),
    _text("claim_id"),
    _text("at"),
    _text("author"),
    _text("payload"),
    Index("event_by_id", "id", unique=True),
    Index("event_by_claim", "claim_id", "clock"),
    Index("event_by_clock", "clock"),
)

transition = Table(
    "transition",
    metadata,
    Column("claim_id", Text, primary_key=True),
    Column("old_fingerprint", Text, primary_key=True),
    Column("new_fingerprint", Text, primary_key=True),
    Column("event_sequence", Integer, nullable=False),
)
"""What is logged once only: a claim's step from one fingerprint to another."""

relation = Table(
    "relation",
    metadata,
    Column("id", Text, primary_key=True),
    _text("kind"),
    _text("source"),
    _text("target"),
    _text("detail"),
    Index("relation_by_source", "source"),
    Index("relation_by_target", "target"),
)

kept_blob = Table("kept_blob", metadata, Column("blob_id", Text, primary_key=True), Column("content", LargeBinary, nullable=False))
"""The bytes of uncommitted files that a verdict was said on, compressed: git may never hold them."""

analysis = Table(
    "analysis",
    metadata,
    Column("id", Text, primary_key=True),
    _text("format"),
    _text("tool"),
    _text("version"),
    _text("configuration"),
    Column("is_whole", Integer, nullable=False),
    _text("snapshot_key"),
    Column("revision", Text),
    _text("reference"),
    _text("origin"),
    _text("at"),
    _text("author"),
    _text("detail"),
)
"""One run of another program; whether it was withdrawn is said by events."""

analysed_file = Table(
    "analysed_file",
    metadata,
    Column("analysis_id", Text, ForeignKey("analysis.id"), primary_key=True),
    Column("path", LargeBinary, primary_key=True),
    _text("blob_id"),
    _text("edges_digest"),
)

outside_edges = Table("outside_edges", metadata, Column("digest", Text, primary_key=True), Column("payload", LargeBinary, nullable=False))
"""What was said of one file, packed; once, however many analyses say the same."""

outside_target = Table(
    "outside_target",
    metadata,
    Column("key", BigInteger, primary_key=True, autoincrement=False),
    Column("digest", Text, ForeignKey("outside_edges.digest"), primary_key=True),
    sqlite_with_rowid=False,
)
"""Hash of an edge's object (`keys.py`) → the packed edges that hold such an edge. Follows from the payload."""

run = Table(
    "run",
    metadata,
    Column("id", Text, primary_key=True),
    Column("revision", Text),
    _text("tree_id"),
    _text("snapshot_key"),
    _text("command"),
    _text("directory"),
    _text("environment"),
    _text("environment_detail"),
    Column("exit_code", Integer),
    _text("ending"),
    _text("at"),
    Column("seconds", Float, nullable=False),
    _text("output_ref"),
    _text("tool"),
    _text("author"),
    _text("detail"),
    Column("is_local", Integer, nullable=False),
    Index("run_by_time", "at", "id"),
)

test_result = Table(
    "test_result",
    metadata,
    Column("run_id", Text, ForeignKey("run.id"), primary_key=True),
    Column("test", Text, primary_key=True),
    _text("outcome"),
    Column("seconds", Float, nullable=False),
    _text("message"),
    _text("symbol"),
    _text("given"),
    Column("is_flaky", Integer, nullable=False),
    Index("test_result_by_test", "test"),
)

coverage = Table(
    "coverage",
    metadata,
    Column("run_id", Text, ForeignKey("run.id"), primary_key=True),
    Column("payload", LargeBinary, nullable=False),
)
"""What the tests of a run covered, packed."""


def _refuse(name: str, when: str, table: str, condition: str, message: str) -> str:
    return f"CREATE TRIGGER {name} BEFORE {when} ON {table}{condition} BEGIN SELECT RAISE(ABORT, '{message}'); END"


def _same(*columns: str) -> str:
    return " AND ".join(f"NEW.{column} IS OLD.{column}" for column in columns)


_CLAIM_KEPT = (
    "id", "statement_hash", "kind", "evidence_refs", "derived_from", "valid_at_revision", "valid_at_tree",
    "author_kind", "author_name", "author_session", "recorded_at",
)  # fmt: skip
_EVIDENCE_KEPT = tuple(c.name for c in evidence.columns if c.name not in ("excerpt", "extracted_relation"))
_VERDICT_KEPT = tuple(c.name for c in verdict.columns if c.name not in ("reason", "fingerprint"))
_EVENT_KEPT = tuple(c.name for c in event.columns if c.name != "payload")
_RELATION_KEPT = tuple(c.name for c in relation.columns if c.name != "detail")
_IS_REDACTED = "EXISTS (SELECT 1 FROM claim WHERE id = OLD.claim_id AND redacted_at IS NOT NULL)"
_MAY_CHANGE = {
    "claim": f"OLD.redacted_at IS NULL AND NEW.redacted_at IS NOT NULL AND NEW.statement = '{REDACTED}' AND {_same(*_CLAIM_KEPT)}",
    "verdict": f"{_IS_REDACTED} AND NEW.reason IN ('', '{REDACTED}') AND {_same(*_VERDICT_KEPT)}",
    "event": f"{_IS_REDACTED} AND {_same(*_EVENT_KEPT)}",
    "evidence": "EXISTS (SELECT 1 FROM citation JOIN claim ON claim.id = citation.claim_id"
    f" WHERE citation.evidence_id = OLD.id AND claim.redacted_at IS NOT NULL) AND NEW.excerpt = '{REDACTED}' AND {_same(*_EVIDENCE_KEPT)}",
    "relation": f"EXISTS (SELECT 1 FROM claim WHERE id IN (OLD.source, OLD.target) AND redacted_at IS NOT NULL) AND {_same(*_RELATION_KEPT)}",
}
_TAG_MAY_GO = f"NOT {_IS_REDACTED}"


def _triggers() -> dict[str, str]:
    found = {}
    for table in metadata.tables:
        kept = f" WHEN NOT ({_MAY_CHANGE[table]})" if table in _MAY_CHANGE else ""
        found[f"{table}_no_update"] = _refuse(f"{table}_no_update", "UPDATE", table, kept, "the ledger is only added to")
        goes = f" WHEN {_TAG_MAY_GO}" if table in ("claim_tag", "retagging") else ""
        found[f"{table}_no_delete"] = _refuse(f"{table}_no_delete", "DELETE", table, goes, "the ledger is only added to")
    found["event_in_sequence"] = _refuse(
        "event_in_sequence", "INSERT", "event",
        " WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM event)", "events have no gaps",
    )  # fmt: skip
    return found


TRIGGERS = _triggers()

VIEWS = {
    "hot_claim": "CREATE VIEW hot_claim AS SELECT id AS claim_id, kind FROM claim",
    "hot_position": "CREATE VIEW hot_position AS SELECT coalesce(max(sequence), 0) AS last_sequence FROM event",
    "current_tag": "CREATE VIEW current_tag AS SELECT claim_id, tag FROM claim_tag WHERE claim_id NOT IN (SELECT claim_id FROM retagging)"
    " UNION ALL SELECT claim_id, value AS tag FROM retagging AS latest, json_each(latest.tags)"
    " WHERE NOT EXISTS (SELECT 1 FROM retagging AS other WHERE other.claim_id = latest.claim_id"
    " AND (other.clock, other.tags) > (latest.clock, latest.tags))",
}
"""For hot reads (`hot.py`), and `current_tag`: the tags that each claim bears now."""

current_tag = TableClause("current_tag", column("claim_id", Text), column("tag", Text))
