"""Full texts of contents, and what earlier commits said and touched."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.create_table(
        "text_blob", sa.Column("id", sa.Integer(), nullable=False), sa.Column("blob_id", sa.Text(), nullable=False), sa.PrimaryKeyConstraint("id")
    )
    op.create_index("text_blob_unique", "text_blob", ["blob_id"], unique=True)
    op.create_table(
        "past_commit",
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("revision"),
    )
    op.execute("CREATE VIRTUAL TABLE blob_text USING fts5(body, content='', tokenize='porter unicode61')")
