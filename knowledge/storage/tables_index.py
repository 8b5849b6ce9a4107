"""The index's tables: a cache of what the repository's bytes say, and of what claims are worth in its worktrees.

What a query never looks into is a packed payload. Questions go through thin tables of 64-bit hashes (`keys.py`), which may name a
row too many, never one too few; rows are compared by their content afterwards. Alembic's scripts make these tables; a test holds that both agree.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Index, Integer, LargeBinary, MetaData, Table, Text, text

metadata = MetaData()


def _key(name: str) -> Column[int]:
    return Column(name, BigInteger, primary_key=True, autoincrement=False)


def _integer(name: str) -> Column[int]:
    return Column(name, Integer, nullable=False)


def _text(name: str) -> Column[str]:
    return Column(name, Text, nullable=False)


def _bytes(name: str) -> Column[bytes]:
    return Column(name, LargeBinary, nullable=False)


toolchain = Table(
    "toolchain",
    metadata,
    Column("id", Integer, primary_key=True),
    _text("language"),
    _text("parser_version"),
    _text("analyzer_version"),
    Index("toolchain_unique", "language", "parser_version", "analyzer_version", unique=True),
)

fact = Table(
    "fact",
    metadata,
    Column("id", Integer, primary_key=True),
    _text("blob_id"),
    _integer("toolchain_id"),
    _text("remark"),
    _text("skipped"),
    _bytes("definitions"),
    _bytes("payload"),
    Index("fact_unique", "blob_id", "toolchain_id", unique=True),
    Index("fact_skipped", "id", sqlite_where=text("skipped <> ''")),
)

fact_digest = Table("fact_digest", metadata, Column("fact_id", Integer, primary_key=True), _bytes("payload"))

definition_name = Table("definition_name", metadata, _key("key"), _key("fact_id"), sqlite_with_rowid=False)
"""Hash of a short name → the facts that define it."""

resolution = Table(
    "resolution",
    metadata,
    Column("id", Integer, primary_key=True),
    _bytes("path"),
    _integer("fact_id"),
    _text("inputs"),
    _bytes("reads"),
    _bytes("limitations"),
    _bytes("edges"),
    Index("resolution_unique", "fact_id", "path", "inputs", unique=True),
)

edge_target = Table("edge_target", metadata, _key("key"), _key("resolution_id"), _integer("predicates"), sqlite_with_rowid=False)
"""Hash of an edge's object (its name in the high half) → the resolutions that hold such an edge, and its predicates as bits."""

resolution_read = Table("resolution_read", metadata, _key("key"), _key("resolution_id"), sqlite_with_rowid=False)
"""Hash of a read's kind and key → the resolutions that read it."""

tree = Table(
    "tree",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key", Text),
    Column("base_id", Integer),
    _integer("depth"),
    _integer("used"),
    _bytes("manifest"),
    _text("meta"),
    Index("tree_by_key", "key", unique=True),
    Index("tree_by_base", "base_id"),
)
"""`key` NULL: no tree of its own any more, only the base of others. `used`: a counter that says which was used last."""

worktree = Table(
    "worktree",
    metadata,
    Column("worktree", Text, primary_key=True),
    _text("tree_key"),
    Column("revision", Text),
    Column("branch", Text),
    _integer("event_sequence"),
    _text("day"),
    Column("rules", Text, nullable=False, server_default=""),
)

claim_status = Table(
    "claim_status",
    metadata,
    Column("worktree", Text, primary_key=True),
    Column("claim_id", Text, primary_key=True),
    _text("status"),
    _text("verdict_id"),
    _integer("is_relocated"),
    _text("detail"),
    sqlite_with_rowid=False,
)

claim_review = Table(
    "claim_review",
    metadata,
    Column("worktree", Text, primary_key=True),
    Column("claim_id", Text, primary_key=True),
    Column("condition", Text, primary_key=True),
    _text("revision"),
    _text("said_at"),
    _integer("is_due"),
    Index("review_by_group", "worktree", "condition", "revision", "said_at", "is_due"),
    sqlite_with_rowid=False,
)
"""Of each claim under a review condition: since which verdict it counts, and whether it was true when the status was stored."""

watched_anchor = Table(
    "watched_anchor",
    metadata,
    Column("id", Integer, primary_key=True),
    _text("digest"),
    Index("watched_by_digest", "digest", unique=True),
)

anchor_watch = Table("anchor_watch", metadata, _key("key"), _key("anchor_id"), sqlite_with_rowid=False)
"""Hash of a watch key → the anchors whose reading it may change."""

recall_state = Table(
    "recall_state",
    metadata,
    Column("id", Integer, primary_key=True),
    _text("version"),
    _integer("event_sequence"),
    _integer("pieces"),
    _integer("terms"),
)
"""Of the search index, in one row: with which version of the terms it was made, up to which event, how many pieces and terms it has."""

recall_term = Table("recall_term", metadata, _key("key"), _integer("pieces"), sqlite_with_rowid=False)
"""Hash of a term → in how many pieces it is."""

recall_vector = Table(
    "recall_vector",
    metadata,
    Column("id", Integer, primary_key=True),
    _text("claim_id"),
    _text("model"),
    _bytes("vector"),
    Index("recall_vector_by_claim", "claim_id", "model"),
)
"""What the pieces of a claim's text mean to a model, as one vector each: only where somebody asks by meaning."""

text_blob = Table("text_blob", metadata, Column("id", Integer, primary_key=True), _text("blob_id"), Index("text_blob_unique", "blob_id", unique=True))
"""The contents that `blob_text` can be searched for, by its rowid."""

past_commit = Table("past_commit", metadata, Column("revision", Text, primary_key=True), _bytes("payload"))

past_line = Table("past_line", metadata, Column("revision", Text, primary_key=True), _integer("used"), _bytes("payload"))
"""What the commits up to a revision said and touched, in one piece: for the revisions that were asked about last."""

counter = Table("counter", metadata, Column("name", Text, primary_key=True), _integer("value"))

SEARCHED = {
    "recall_piece": "CREATE VIRTUAL TABLE recall_piece USING fts5(claim_id UNINDEXED, terms, detail=none, tokenize='ascii')",
    "blob_text": "CREATE VIRTUAL TABLE blob_text USING fts5(body, content='', tokenize='porter unicode61')",
}
"""Full-text tables. The terms of recall are our own (`knowledge/recall/terms.py`): of the tokenizer only that is wanted that it cuts at spaces.
Texts of files go in as they are: SQLite cuts and stems them ten times as fast."""

VIEWS = {
    "hot_worktree": "CREATE VIEW hot_worktree AS SELECT worktree, tree_key, revision, branch, event_sequence FROM worktree",
    "hot_tree": "CREATE VIEW hot_tree AS SELECT key, meta FROM tree WHERE key IS NOT NULL",
    "hot_status": "CREATE VIEW hot_status AS SELECT worktree, claim_id, status FROM claim_status",
    "hot_counter": "CREATE VIEW hot_counter AS SELECT name, value FROM counter",
}
"""For hot reads (`hot.py`)."""
