"""The index as it first was."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "anchor_watch",
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("anchor_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("key", "anchor_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "claim_status",
        sa.Column("worktree", sa.Text(), nullable=False),
        sa.Column("claim_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("verdict_id", sa.Text(), nullable=False),
        sa.Column("is_relocated", sa.Integer(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("worktree", "claim_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "counter", sa.Column("name", sa.Text(), nullable=False), sa.Column("value", sa.Integer(), nullable=False), sa.PrimaryKeyConstraint("name")
    )
    op.create_table(
        "definition_name",
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("fact_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("key", "fact_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "edge_target",
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("resolution_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("predicates", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("key", "resolution_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "fact",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("blob_id", sa.Text(), nullable=False),
        sa.Column("toolchain_id", sa.Integer(), nullable=False),
        sa.Column("interface_hash", sa.Text(), nullable=False),
        sa.Column("skipped", sa.Text(), nullable=False),
        sa.Column("definitions", sa.LargeBinary(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("fact_skipped", "fact", ["id"], unique=False, sqlite_where=sa.text("skipped <> ''"))
    op.create_index("fact_unique", "fact", ["blob_id", "toolchain_id"], unique=True)
    op.create_table(
        "fact_digest",
        sa.Column("fact_id", sa.Integer(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("fact_id"),
    )
    op.create_table(
        "resolution",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("path", sa.LargeBinary(), nullable=False),
        sa.Column("fact_id", sa.Integer(), nullable=False),
        sa.Column("inputs", sa.Text(), nullable=False),
        sa.Column("reads", sa.LargeBinary(), nullable=False),
        sa.Column("limitations", sa.LargeBinary(), nullable=False),
        sa.Column("edges", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("resolution_unique", "resolution", ["fact_id", "path", "inputs"], unique=True)
    op.create_table(
        "resolution_read",
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("resolution_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("key", "resolution_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "toolchain",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.Column("parser_version", sa.Text(), nullable=False),
        sa.Column("analyzer_version", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("toolchain_unique", "toolchain", ["language", "parser_version", "analyzer_version"], unique=True)
    op.create_table(
        "tree",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=True),
        sa.Column("base_id", sa.Integer(), nullable=True),
        sa.Column("depth", sa.Integer(), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("manifest", sa.LargeBinary(), nullable=False),
        sa.Column("meta", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("tree_by_base", "tree", ["base_id"], unique=False)
    op.create_index("tree_by_key", "tree", ["key"], unique=True)
    op.create_table(
        "watched_anchor", sa.Column("id", sa.Integer(), nullable=False), sa.Column("digest", sa.Text(), nullable=False), sa.PrimaryKeyConstraint("id")
    )
    op.create_index("watched_by_digest", "watched_anchor", ["digest"], unique=True)
    op.create_table(
        "worktree",
        sa.Column("worktree", sa.Text(), nullable=False),
        sa.Column("tree_key", sa.Text(), nullable=False),
        sa.Column("revision", sa.Text(), nullable=True),
        sa.Column("branch", sa.Text(), nullable=True),
        sa.Column("event_sequence", sa.Integer(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("worktree"),
    )
    for statement in VIEWS:
        op.execute(statement)


VIEWS = (
    "CREATE VIEW hot_worktree AS SELECT worktree, tree_key, revision, branch, event_sequence FROM worktree",
    "CREATE VIEW hot_status AS SELECT worktree, claim_id, status FROM claim_status",
    "CREATE VIEW hot_counter AS SELECT name, value FROM counter",
)
