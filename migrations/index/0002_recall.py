"""Claims can be searched: pieces of their texts by terms, and in how many pieces each term is."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.create_table(
        "recall_state",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("event_sequence", sa.Integer(), nullable=False),
        sa.Column("pieces", sa.Integer(), nullable=False),
        sa.Column("terms", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "recall_term",
        sa.Column("key", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("pieces", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
        sqlite_with_rowid=False,
    )
    op.execute("CREATE VIRTUAL TABLE recall_piece USING fts5(claim_id UNINDEXED, terms, detail=none, tokenize='ascii')")
