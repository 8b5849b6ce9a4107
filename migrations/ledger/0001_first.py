"""The ledger as it first was."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "anchor",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_table(
        "citation",
        sa.Column("claim_id", sa.Text(), nullable=False),
        sa.Column("evidence_id", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("claim_id", "evidence_id"),
    )
    op.create_index("citation_by_evidence", "citation", ["evidence_id"], unique=False)
    op.create_table(
        "claim",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("statement", sa.Text(), nullable=False),
        sa.Column("statement_hash", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("scope", sa.Text(), nullable=False),
        sa.Column("evidence_refs", sa.Text(), nullable=False),
        sa.Column("derived_from", sa.Text(), nullable=False),
        sa.Column("valid_at_revision", sa.Text(), nullable=True),
        sa.Column("valid_at_tree", sa.Text(), nullable=False),
        sa.Column("freshness_policy", sa.Text(), nullable=False),
        sa.Column("predicate", sa.Text(), nullable=True),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.Column("author_kind", sa.Text(), nullable=False),
        sa.Column("author_name", sa.Text(), nullable=False),
        sa.Column("author_session", sa.Text(), nullable=False),
        sa.Column("recorded_at", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("redacted_at", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "event",
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("clock", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("claim_id", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("sequence"),
    )
    op.create_index("event_by_claim", "event", ["claim_id", "clock"], unique=False)
    op.create_index("event_by_clock", "event", ["clock"], unique=False)
    op.create_index("event_by_id", "event", ["id"], unique=True)
    op.create_table(
        "evidence",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("repository_revision", sa.Text(), nullable=True),
        sa.Column("tree_id", sa.Text(), nullable=False),
        sa.Column("file_path", sa.LargeBinary(), nullable=False),
        sa.Column("blob_id", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("parser_version", sa.Text(), nullable=False),
        sa.Column("analyzer_version", sa.Text(), nullable=False),
        sa.Column("node_type", sa.Text(), nullable=False),
        sa.Column("source_range", sa.Text(), nullable=False),
        sa.Column("content_hash", sa.Text(), nullable=False),
        sa.Column("extracted_relation", sa.Text(), nullable=False),
        sa.Column("symbol", sa.Text(), nullable=False),
        sa.Column("excerpt", sa.Text(), nullable=False),
        sa.Column("is_dirty", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "kept_blob",
        sa.Column("blob_id", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("blob_id"),
    )
    op.create_table(
        "relation",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("target", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("relation_by_source", "relation", ["source"], unique=False)
    op.create_index("relation_by_target", "relation", ["target"], unique=False)
    op.create_table(
        "transition",
        sa.Column("claim_id", sa.Text(), nullable=False),
        sa.Column("old_fingerprint", sa.Text(), nullable=False),
        sa.Column("new_fingerprint", sa.Text(), nullable=False),
        sa.Column("event_sequence", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("claim_id", "old_fingerprint", "new_fingerprint"),
    )
    op.create_table(
        "claim_anchor",
        sa.Column("claim_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("anchor_digest", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["anchor_digest"],
            ["anchor.digest"],
        ),
        sa.ForeignKeyConstraint(
            ["claim_id"],
            ["claim.id"],
        ),
        sa.PrimaryKeyConstraint("claim_id", "position"),
    )
    op.create_index("claim_anchor_by_anchor", "claim_anchor", ["anchor_digest"], unique=False)
    op.create_table(
        "claim_tag",
        sa.Column("claim_id", sa.Text(), nullable=False),
        sa.Column("tag", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["claim_id"],
            ["claim.id"],
        ),
        sa.PrimaryKeyConstraint("claim_id", "tag"),
    )
    op.create_index("claim_tag_by_tag", "claim_tag", ["tag"], unique=False)
    op.create_table(
        "premise",
        sa.Column("claim_id", sa.Text(), nullable=False),
        sa.Column("premise_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["claim_id"],
            ["claim.id"],
        ),
        sa.PrimaryKeyConstraint("claim_id", "premise_id"),
    )
    op.create_index("premise_by_premise", "premise", ["premise_id"], unique=False)
    op.create_table(
        "verdict",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("claim_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("sequence", sa.BigInteger(), nullable=False),
        sa.Column("fingerprint", sa.Text(), nullable=False),
        sa.Column("tree_id", sa.Text(), nullable=False),
        sa.Column("snapshot_key", sa.Text(), nullable=False),
        sa.Column("revision", sa.Text(), nullable=True),
        sa.Column("author_kind", sa.Text(), nullable=False),
        sa.Column("author_name", sa.Text(), nullable=False),
        sa.Column("author_session", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("evidence_refs", sa.Text(), nullable=False),
        sa.Column("said_at", sa.Text(), nullable=False),
        sa.Column("analyzer_versions", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["claim_id"],
            ["claim.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("verdict_by_claim", "verdict", ["claim_id", "sequence"], unique=False)
    op.create_index("verdict_by_sequence", "verdict", ["sequence"], unique=False)
    for statement in VIEWS + TRIGGERS:
        op.execute(statement)


VIEWS = (
    "CREATE VIEW hot_claim AS SELECT id AS claim_id, kind FROM claim",
    "CREATE VIEW hot_position AS SELECT coalesce(max(sequence), 0) AS last_sequence FROM event",
)
TRIGGERS = (
    """
    CREATE TRIGGER claim_no_update BEFORE UPDATE ON claim WHEN NOT (OLD.redacted_at IS NULL AND NEW.redacted_at IS NOT NULL AND NEW.statement =
    '[redacted]' AND NEW.id IS OLD.id AND NEW.statement_hash IS OLD.statement_hash AND NEW.kind IS OLD.kind AND NEW.evidence_refs IS
    OLD.evidence_refs AND NEW.derived_from IS OLD.derived_from AND NEW.valid_at_revision IS OLD.valid_at_revision AND NEW.valid_at_tree IS
    OLD.valid_at_tree AND NEW.author_kind IS OLD.author_kind AND NEW.author_name IS OLD.author_name AND NEW.author_session IS OLD.author_session
    AND NEW.recorded_at IS OLD.recorded_at) BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END
    """,
    "CREATE TRIGGER claim_no_delete BEFORE DELETE ON claim BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    "CREATE TRIGGER anchor_no_update BEFORE UPDATE ON anchor BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    "CREATE TRIGGER anchor_no_delete BEFORE DELETE ON anchor BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    "CREATE TRIGGER claim_anchor_no_update BEFORE UPDATE ON claim_anchor BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    "CREATE TRIGGER claim_anchor_no_delete BEFORE DELETE ON claim_anchor BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    "CREATE TRIGGER premise_no_update BEFORE UPDATE ON premise BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    "CREATE TRIGGER premise_no_delete BEFORE DELETE ON premise BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    "CREATE TRIGGER claim_tag_no_update BEFORE UPDATE ON claim_tag BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    """
    CREATE TRIGGER claim_tag_no_delete BEFORE DELETE ON claim_tag WHEN NOT EXISTS (SELECT 1 FROM claim WHERE id = OLD.claim_id AND redacted_at
    IS NOT NULL) BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END
    """,
    """
    CREATE TRIGGER evidence_no_update BEFORE UPDATE ON evidence WHEN NOT (EXISTS (SELECT 1 FROM citation JOIN claim ON claim.id =
    citation.claim_id WHERE citation.evidence_id = OLD.id AND claim.redacted_at IS NOT NULL) AND NEW.excerpt = '[redacted]' AND NEW.id IS OLD.id
    AND NEW.kind IS OLD.kind AND NEW.repository_revision IS OLD.repository_revision AND NEW.tree_id IS OLD.tree_id AND NEW.file_path IS
    OLD.file_path AND NEW.blob_id IS OLD.blob_id AND NEW.language IS OLD.language AND NEW.parser_version IS OLD.parser_version AND
    NEW.analyzer_version IS OLD.analyzer_version AND NEW.node_type IS OLD.node_type AND NEW.source_range IS OLD.source_range AND
    NEW.content_hash IS OLD.content_hash AND NEW.symbol IS OLD.symbol AND NEW.is_dirty IS OLD.is_dirty) BEGIN SELECT RAISE(ABORT, 'the ledger is
    only added to'); END
    """,
    "CREATE TRIGGER evidence_no_delete BEFORE DELETE ON evidence BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    "CREATE TRIGGER citation_no_update BEFORE UPDATE ON citation BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    "CREATE TRIGGER citation_no_delete BEFORE DELETE ON citation BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    """
    CREATE TRIGGER verdict_no_update BEFORE UPDATE ON verdict WHEN NOT (EXISTS (SELECT 1 FROM claim WHERE id = OLD.claim_id AND redacted_at IS
    NOT NULL) AND NEW.reason IN ('', '[redacted]') AND NEW.id IS OLD.id AND NEW.claim_id IS OLD.claim_id AND NEW.kind IS OLD.kind AND
    NEW.sequence IS OLD.sequence AND NEW.tree_id IS OLD.tree_id AND NEW.snapshot_key IS OLD.snapshot_key AND NEW.revision IS OLD.revision AND
    NEW.author_kind IS OLD.author_kind AND NEW.author_name IS OLD.author_name AND NEW.author_session IS OLD.author_session AND NEW.evidence_refs
    IS OLD.evidence_refs AND NEW.said_at IS OLD.said_at AND NEW.analyzer_versions IS OLD.analyzer_versions) BEGIN SELECT RAISE(ABORT, 'the
    ledger is only added to'); END
    """,
    "CREATE TRIGGER verdict_no_delete BEFORE DELETE ON verdict BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    """
    CREATE TRIGGER event_no_update BEFORE UPDATE ON event WHEN NOT (EXISTS (SELECT 1 FROM claim WHERE id = OLD.claim_id AND redacted_at IS NOT
    NULL) AND NEW.sequence IS OLD.sequence AND NEW.id IS OLD.id AND NEW.clock IS OLD.clock AND NEW.type IS OLD.type AND NEW.claim_id IS
    OLD.claim_id AND NEW.at IS OLD.at AND NEW.author IS OLD.author) BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END
    """,
    "CREATE TRIGGER event_no_delete BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    "CREATE TRIGGER transition_no_update BEFORE UPDATE ON transition BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    "CREATE TRIGGER transition_no_delete BEFORE DELETE ON transition BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    """
    CREATE TRIGGER relation_no_update BEFORE UPDATE ON relation WHEN NOT (EXISTS (SELECT 1 FROM claim WHERE id IN (OLD.source, OLD.target) AND
    redacted_at IS NOT NULL) AND NEW.id IS OLD.id AND NEW.kind IS OLD.kind AND NEW.source IS OLD.source AND NEW.target IS OLD.target) BEGIN
    SELECT RAISE(ABORT, 'the ledger is only added to'); END
    """,
    "CREATE TRIGGER relation_no_delete BEFORE DELETE ON relation BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    "CREATE TRIGGER kept_blob_no_update BEFORE UPDATE ON kept_blob BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    "CREATE TRIGGER kept_blob_no_delete BEFORE DELETE ON kept_blob BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END",
    """
    CREATE TRIGGER event_in_sequence BEFORE INSERT ON event WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM event) BEGIN
    SELECT RAISE(ABORT, 'events have no gaps'); END
    """,
)
