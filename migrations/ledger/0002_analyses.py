"""What other programs said of the code."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "analysis",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("format", sa.Text(), nullable=False),
        sa.Column("tool", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("configuration", sa.Text(), nullable=False),
        sa.Column("is_whole", sa.Integer(), nullable=False),
        sa.Column("snapshot_key", sa.Text(), nullable=False),
        sa.Column("revision", sa.Text(), nullable=True),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("at", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "outside_edges",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest"),
    )
    op.create_table(
        "analysed_file",
        sa.Column("analysis_id", sa.Text(), nullable=False),
        sa.Column("path", sa.LargeBinary(), nullable=False),
        sa.Column("blob_id", sa.Text(), nullable=False),
        sa.Column("edges_digest", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["analysis_id"],
            ["analysis.id"],
        ),
        sa.PrimaryKeyConstraint("analysis_id", "path"),
    )
    op.create_table(
        "outside_target",
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["digest"],
            ["outside_edges.digest"],
        ),
        sa.PrimaryKeyConstraint("key", "digest"),
        sqlite_with_rowid=False,
    )
    for table in ("analysis", "analysed_file", "outside_edges", "outside_target"):
        for verb in ("update", "delete"):
            refusal = "SELECT RAISE(ABORT, 'the ledger is only added to')"
            op.execute(f"CREATE TRIGGER {table}_no_{verb} BEFORE {verb.upper()} ON {table} BEGIN {refusal}; END")
