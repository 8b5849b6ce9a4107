"""Which review conditions are true for what verdicts, and by which rules the statuses of a worktree were computed."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    op.create_table(
        "claim_review",
        sa.Column("worktree", sa.Text(), nullable=False),
        sa.Column("claim_id", sa.Text(), nullable=False),
        sa.Column("condition", sa.Text(), nullable=False),
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("said_at", sa.Text(), nullable=False),
        sa.Column("is_due", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("worktree", "claim_id", "condition"),
        sqlite_with_rowid=False,
    )
    op.create_index("review_by_group", "claim_review", ["worktree", "condition", "revision", "said_at", "is_due"])
    op.add_column("worktree", sa.Column("rules", sa.Text(), nullable=False, server_default=""))
