"""Tags that were given to a claim afterwards."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

_IS_REDACTED = "EXISTS (SELECT 1 FROM claim WHERE id = OLD.claim_id AND redacted_at IS NOT NULL)"
_REFUSAL = "SELECT RAISE(ABORT, 'the ledger is only added to')"


def upgrade() -> None:
    op.create_table(
        "retagging",
        sa.Column("claim_id", sa.Text(), nullable=False),
        sa.Column("clock", sa.BigInteger(), nullable=False),
        sa.Column("tags", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["claim_id"],
            ["claim.id"],
        ),
        sa.PrimaryKeyConstraint("claim_id", "clock", "tags"),
    )
    op.execute(f"CREATE TRIGGER retagging_no_update BEFORE UPDATE ON retagging BEGIN {_REFUSAL}; END")
    op.execute(f"CREATE TRIGGER retagging_no_delete BEFORE DELETE ON retagging WHEN NOT {_IS_REDACTED} BEGIN {_REFUSAL}; END")
    op.execute(
        "CREATE VIEW current_tag AS SELECT claim_id, tag FROM claim_tag WHERE claim_id NOT IN (SELECT claim_id FROM retagging)"
        " UNION ALL SELECT claim_id, value AS tag FROM retagging AS latest, json_each(latest.tags)"
        " WHERE NOT EXISTS (SELECT 1 FROM retagging AS other WHERE other.claim_id = latest.claim_id"
        " AND (other.clock, other.tags) > (latest.clock, latest.tags))"
    )
