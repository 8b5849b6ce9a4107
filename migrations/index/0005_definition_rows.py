"""What bears on all of a file's facts is told beside them, and definitions say whether they are overloads: what was kept is read anew."""

from alembic import op

revision = "0005"
down_revision = "0004"

_KEPT_ANEW = (
    "fact", "fact_digest", "definition_name", "resolution", "edge_target", "resolution_read", "tree", "worktree", "claim_status", "anchor_watch",
    "watched_anchor",
)  # fmt: skip


def upgrade() -> None:
    op.alter_column("fact", "interface_hash", new_column_name="remark")
    for table in _KEPT_ANEW:
        op.execute(f"DELETE FROM {table}")
    op.execute("CREATE VIEW hot_tree AS SELECT key, meta FROM tree WHERE key IS NOT NULL")
