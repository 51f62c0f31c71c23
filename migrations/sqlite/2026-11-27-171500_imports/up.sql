-- The imports of files (behaviour 15).
CREATE TABLE imports (
    book_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
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
    blob_bytes INTEGER NOT NULL,
    -- The records that are recorded or undone, of all.
    done INTEGER NOT NULL,
    total INTEGER NOT NULL,
    report_id INTEGER,
    -- When a worker continues it, or removes it because nobody has confirmed it.
    due_at INTEGER,
    created_by INTEGER NOT NULL,
    agent TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (book_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX imports_due ON imports (book_id, due_at) WHERE due_at IS NOT NULL;
-- The transactions that imports have matched with records, by the remote ids of the records.
CREATE TABLE import_matches (
    book_id INTEGER NOT NULL,
    remote_id TEXT NOT NULL,
    transaction_id INTEGER NOT NULL,
    import_id INTEGER NOT NULL,
    -- Whether the transaction was given the remote id.
    given INTEGER NOT NULL,
    PRIMARY KEY (book_id, remote_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX import_matches_import ON import_matches (book_id, import_id);
CREATE INDEX import_matches_transaction ON import_matches (book_id, transaction_id);
