"""What the commits up to a revision said and touched, in one piece."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "past_line",
        sa.Column("revision", sa.Text(), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.Column("payload", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("revision"),
    )
