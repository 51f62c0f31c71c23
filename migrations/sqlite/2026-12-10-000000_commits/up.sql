-- As on PostgreSQL, which may lose the answer of a commit (storage/commit_mark.rs). Nothing is
-- written to it here.
CREATE TABLE commits (
    writer INTEGER NOT NULL,
    number INTEGER NOT NULL,
    written_at INTEGER NOT NULL DEFAULT 0,
    undone INTEGER NOT NULL,
    PRIMARY KEY (writer, number)
) STRICT, WITHOUT ROWID;
