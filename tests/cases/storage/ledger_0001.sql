PRAGMA application_id = 1802398823;
BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE anchor (
	digest TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	target TEXT NOT NULL, 
	PRIMARY KEY (digest)
);
INSERT INTO "anchor" VALUES('anchor-one','body','{"strict":false,"symbol":"src/a.py::one"}');
CREATE TABLE citation (
	claim_id TEXT NOT NULL, 
	evidence_id TEXT NOT NULL, 
	PRIMARY KEY (claim_id, evidence_id)
);
INSERT INTO "citation" VALUES('c_one','e_one');
CREATE TABLE claim (
	id TEXT NOT NULL, 
	statement TEXT NOT NULL, 
	statement_hash TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	scope TEXT NOT NULL, 
	evidence_refs TEXT NOT NULL, 
	derived_from TEXT NOT NULL, 
	valid_at_revision TEXT, 
	valid_at_tree TEXT NOT NULL, 
	freshness_policy TEXT NOT NULL, 
	predicate TEXT, 
	tags TEXT NOT NULL, 
	author_kind TEXT NOT NULL, 
	author_name TEXT NOT NULL, 
	author_session TEXT NOT NULL, 
	recorded_at TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	redacted_at TEXT, 
	PRIMARY KEY (id)
);
INSERT INTO "claim" VALUES('c_one','the function one returns early','bf7246cfec6beb7359e9141909950a9f6c63cda4853b3b1b75e8b9296e519bda','observation','{"conditions":["on Linux"],"paths":["src"]}','["e_one"]','[]','rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr','tttttttttttttttttttttttttttttttttttttttt','{}','{"covers_statement":true,"is_negated":false,"members":[],"object":"b","relation":"calls","subject":"a","value":""}','["kind:gotcha"]','person','ada','','2026-03-04T05:06:07Z','{"constraints":["must stay fast"],"nested":{"nothing":null,"yes":true},"weight":2.5}',NULL);
CREATE TABLE claim_anchor (
	claim_id TEXT NOT NULL, 
	position INTEGER NOT NULL, 
	anchor_digest TEXT NOT NULL, 
	role TEXT NOT NULL, 
	PRIMARY KEY (claim_id, position), 
	FOREIGN KEY(anchor_digest) REFERENCES anchor (digest), 
	FOREIGN KEY(claim_id) REFERENCES claim (id)
);
INSERT INTO "claim_anchor" VALUES('c_one',0,'anchor-one','primary');
CREATE TABLE claim_tag (
	claim_id TEXT NOT NULL, 
	tag TEXT NOT NULL, 
	PRIMARY KEY (claim_id, tag), 
	FOREIGN KEY(claim_id) REFERENCES claim (id)
);
INSERT INTO "claim_tag" VALUES('c_one','kind:gotcha');
CREATE TABLE event (
	sequence INTEGER NOT NULL, 
	id TEXT NOT NULL, 
	clock BIGINT NOT NULL, 
	type TEXT NOT NULL, 
	claim_id TEXT NOT NULL, 
	at TEXT NOT NULL, 
	author TEXT NOT NULL, 
	payload TEXT NOT NULL, 
	PRIMARY KEY (sequence)
);
INSERT INTO "event" VALUES(1,'f0400a4057c37a022b1325e6',1772600767000000,'ClaimRecorded','c_one','2026-03-04T05:06:07Z','person:ada','{}');
INSERT INTO "event" VALUES(2,'11d8bbd32fdee1f0792d1fca',1772600767000001,'ClaimMarkedStale','c_one','2026-03-04T05:06:07Z','person:ada','{"new_fingerprint":"new","old_fingerprint":"old"}');
CREATE TABLE evidence (
	id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	repository_revision TEXT, 
	tree_id TEXT NOT NULL, 
	file_path BLOB NOT NULL, 
	blob_id TEXT NOT NULL, 
	language TEXT NOT NULL, 
	parser_version TEXT NOT NULL, 
	analyzer_version TEXT NOT NULL, 
	node_type TEXT NOT NULL, 
	source_range TEXT NOT NULL, 
	content_hash TEXT NOT NULL, 
	extracted_relation TEXT NOT NULL, 
	symbol TEXT NOT NULL, 
	excerpt TEXT NOT NULL, 
	is_dirty INTEGER NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO "evidence" VALUES('e_one','ast','rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr','tttttttttttttttttttttttttttttttttttttttt',X'7372632FFF2E7079','bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','python','1','2','function_definition','{"column":0,"end":40,"end_column":8,"end_row":2,"row":1,"start":3}','hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh','a calls b','src/a.py::one','def one(): ...',0);
CREATE TABLE kept_blob (
	blob_id TEXT NOT NULL, 
	content BLOB NOT NULL, 
	PRIMARY KEY (blob_id)
);
INSERT INTO "kept_blob" VALUES('blob',X'789C4BAA2C492D0600066C0228');
CREATE TABLE premise (
	claim_id TEXT NOT NULL, 
	premise_id TEXT NOT NULL, 
	PRIMARY KEY (claim_id, premise_id), 
	FOREIGN KEY(claim_id) REFERENCES claim (id)
);
CREATE TABLE relation (
	id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	source TEXT NOT NULL, 
	target TEXT NOT NULL, 
	detail TEXT NOT NULL, 
	PRIMARY KEY (id)
);
CREATE TABLE transition (
	claim_id TEXT NOT NULL, 
	old_fingerprint TEXT NOT NULL, 
	new_fingerprint TEXT NOT NULL, 
	event_sequence INTEGER NOT NULL, 
	PRIMARY KEY (claim_id, old_fingerprint, new_fingerprint)
);
INSERT INTO "transition" VALUES('c_one','cba06b5736faf67e54b07b56','11507a0e2f5e69d5dfa40a62',2);
CREATE TABLE verdict (
	id TEXT NOT NULL, 
	claim_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	sequence BIGINT NOT NULL, 
	fingerprint TEXT NOT NULL, 
	tree_id TEXT NOT NULL, 
	snapshot_key TEXT NOT NULL, 
	revision TEXT, 
	author_kind TEXT NOT NULL, 
	author_name TEXT NOT NULL, 
	author_session TEXT NOT NULL, 
	reason TEXT NOT NULL, 
	evidence_refs TEXT NOT NULL, 
	said_at TEXT NOT NULL, 
	analyzer_versions TEXT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(claim_id) REFERENCES claim (id)
);
INSERT INTO "verdict" VALUES('v_one','c_one','recorded',1772600767000000,'{"anchor-one":{"count":0,"detail":"as written","hash":"h1","place":"src/a.py::one","state":"present"}}','tttttttttttttttttttttttttttttttttttttttt','tttttttttttttttttttttttttttttttttttttttt','rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr','person','ada','','','[]','2026-03-04T05:06:07Z','{"python":"2"}');
CREATE INDEX citation_by_evidence ON citation (evidence_id);
CREATE INDEX event_by_claim ON event (claim_id, clock);
CREATE INDEX event_by_clock ON event (clock);
CREATE UNIQUE INDEX event_by_id ON event (id);
CREATE INDEX relation_by_source ON relation (source);
CREATE INDEX relation_by_target ON relation (target);
CREATE INDEX claim_anchor_by_anchor ON claim_anchor (anchor_digest);
CREATE INDEX claim_tag_by_tag ON claim_tag (tag);
CREATE INDEX premise_by_premise ON premise (premise_id);
CREATE INDEX verdict_by_claim ON verdict (claim_id, sequence);
CREATE INDEX verdict_by_sequence ON verdict (sequence);
CREATE VIEW hot_claim AS SELECT id AS claim_id, kind FROM claim;
CREATE VIEW hot_position AS SELECT coalesce(max(sequence), 0) AS last_sequence FROM event;
CREATE TRIGGER claim_no_update BEFORE UPDATE ON claim WHEN NOT (OLD.redacted_at IS NULL AND NEW.redacted_at IS NOT NULL AND NEW.statement =
    '[redacted]' AND NEW.id IS OLD.id AND NEW.statement_hash IS OLD.statement_hash AND NEW.kind IS OLD.kind AND NEW.evidence_refs IS
    OLD.evidence_refs AND NEW.derived_from IS OLD.derived_from AND NEW.valid_at_revision IS OLD.valid_at_revision AND NEW.valid_at_tree IS
    OLD.valid_at_tree AND NEW.author_kind IS OLD.author_kind AND NEW.author_name IS OLD.author_name AND NEW.author_session IS OLD.author_session
    AND NEW.recorded_at IS OLD.recorded_at) BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER claim_no_delete BEFORE DELETE ON claim BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER anchor_no_update BEFORE UPDATE ON anchor BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER anchor_no_delete BEFORE DELETE ON anchor BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER claim_anchor_no_update BEFORE UPDATE ON claim_anchor BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER claim_anchor_no_delete BEFORE DELETE ON claim_anchor BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER premise_no_update BEFORE UPDATE ON premise BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER premise_no_delete BEFORE DELETE ON premise BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER claim_tag_no_update BEFORE UPDATE ON claim_tag BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER claim_tag_no_delete BEFORE DELETE ON claim_tag WHEN NOT EXISTS (SELECT 1 FROM claim WHERE id = OLD.claim_id AND redacted_at
    IS NOT NULL) BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER evidence_no_update BEFORE UPDATE ON evidence WHEN NOT (EXISTS (SELECT 1 FROM citation JOIN claim ON claim.id =
    citation.claim_id WHERE citation.evidence_id = OLD.id AND claim.redacted_at IS NOT NULL) AND NEW.excerpt = '[redacted]' AND NEW.id IS OLD.id
    AND NEW.kind IS OLD.kind AND NEW.repository_revision IS OLD.repository_revision AND NEW.tree_id IS OLD.tree_id AND NEW.file_path IS
    OLD.file_path AND NEW.blob_id IS OLD.blob_id AND NEW.language IS OLD.language AND NEW.parser_version IS OLD.parser_version AND
    NEW.analyzer_version IS OLD.analyzer_version AND NEW.node_type IS OLD.node_type AND NEW.source_range IS OLD.source_range AND
    NEW.content_hash IS OLD.content_hash AND NEW.symbol IS OLD.symbol AND NEW.is_dirty IS OLD.is_dirty) BEGIN SELECT RAISE(ABORT, 'the ledger is
    only added to'); END;
CREATE TRIGGER evidence_no_delete BEFORE DELETE ON evidence BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER citation_no_update BEFORE UPDATE ON citation BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER citation_no_delete BEFORE DELETE ON citation BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER verdict_no_update BEFORE UPDATE ON verdict WHEN NOT (EXISTS (SELECT 1 FROM claim WHERE id = OLD.claim_id AND redacted_at IS
    NOT NULL) AND NEW.reason IN ('', '[redacted]') AND NEW.id IS OLD.id AND NEW.claim_id IS OLD.claim_id AND NEW.kind IS OLD.kind AND
    NEW.sequence IS OLD.sequence AND NEW.tree_id IS OLD.tree_id AND NEW.snapshot_key IS OLD.snapshot_key AND NEW.revision IS OLD.revision AND
    NEW.author_kind IS OLD.author_kind AND NEW.author_name IS OLD.author_name AND NEW.author_session IS OLD.author_session AND NEW.evidence_refs
    IS OLD.evidence_refs AND NEW.said_at IS OLD.said_at AND NEW.analyzer_versions IS OLD.analyzer_versions) BEGIN SELECT RAISE(ABORT, 'the
    ledger is only added to'); END;
CREATE TRIGGER verdict_no_delete BEFORE DELETE ON verdict BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER event_no_update BEFORE UPDATE ON event WHEN NOT (EXISTS (SELECT 1 FROM claim WHERE id = OLD.claim_id AND redacted_at IS NOT
    NULL) AND NEW.sequence IS OLD.sequence AND NEW.id IS OLD.id AND NEW.clock IS OLD.clock AND NEW.type IS OLD.type AND NEW.claim_id IS
    OLD.claim_id AND NEW.at IS OLD.at AND NEW.author IS OLD.author) BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER event_no_delete BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER transition_no_update BEFORE UPDATE ON transition BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER transition_no_delete BEFORE DELETE ON transition BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER relation_no_update BEFORE UPDATE ON relation WHEN NOT (EXISTS (SELECT 1 FROM claim WHERE id IN (OLD.source, OLD.target) AND
    redacted_at IS NOT NULL) AND NEW.id IS OLD.id AND NEW.kind IS OLD.kind AND NEW.source IS OLD.source AND NEW.target IS OLD.target) BEGIN
    SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER relation_no_delete BEFORE DELETE ON relation BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER kept_blob_no_update BEFORE UPDATE ON kept_blob BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER kept_blob_no_delete BEFORE DELETE ON kept_blob BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END;
CREATE TRIGGER event_in_sequence BEFORE INSERT ON event WHEN NEW.sequence IS NOT (SELECT coalesce(max(sequence), 0) + 1 FROM event) BEGIN
    SELECT RAISE(ABORT, 'events have no gaps'); END;
COMMIT;
