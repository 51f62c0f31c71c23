-- The imports of files (behaviour 15).
CREATE TABLE imports (
    book_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    state TEXT NOT NULL,
    -- The name of the file.
    name TEXT NOT NULL,
    -- Documents of the API: the parameters, the preview without its records, the decisions, and the
    -- results of recording and undoing.
    options TEXT NOT NULL,
    summary TEXT NOT NULL,
    decisions TEXT NOT NULL,
    results TEXT NOT NULL,
    -- The blobs of the file and of the records of the preview, and their bytes.
    source TEXT,
    preview TEXT,
    blob_bytes BIGINT NOT NULL,
    -- The records that are recorded or undone, of all.
    done BIGINT NOT NULL,
    total BIGINT NOT NULL,
    report_id BIGINT,
    -- When a worker continues it, or removes it because nobody has confirmed it.
    due_at BIGINT,
    created_by BIGINT NOT NULL,
    agent TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (book_id, id)
);
CREATE INDEX imports_due ON imports (book_id, due_at) WHERE due_at IS NOT NULL;
-- The transactions that imports have matched with records, by the remote ids of the records.
CREATE TABLE import_matches (
    book_id BIGINT NOT NULL,
    remote_id TEXT NOT NULL,
    transaction_id BIGINT NOT NULL,
    import_id BIGINT NOT NULL,
    -- Whether the transaction was given the remote id.
    given BOOLEAN NOT NULL,
    PRIMARY KEY (book_id, remote_id)
);
CREATE INDEX import_matches_import ON import_matches (book_id, import_id);
CREATE INDEX import_matches_transaction ON import_matches (book_id, transaction_id);
