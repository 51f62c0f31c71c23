-- The comparisons of accounts with statements (behaviour 14).
CREATE TABLE reconciliations (
    book_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    -- The last day of the statement.
    day INTEGER NOT NULL,
    -- The raw closing balance as a decimal, so a change of the scale of the book keeps it.
    closing TEXT NOT NULL,
    file_id INTEGER,
    created_by INTEGER NOT NULL,
    agent TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (book_id, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX reconciliations_day ON reconciliations (book_id, day, id);
CREATE INDEX reconciliations_account ON reconciliations (book_id, account_id, day, id);
CREATE INDEX reconciliations_file ON reconciliations (book_id, file_id) WHERE file_id IS NOT NULL;
-- The transactions on a reconciliation of one of their accounts.
CREATE TABLE reconciled_entries (
    book_id INTEGER NOT NULL,
    transaction_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    reconciliation_id INTEGER NOT NULL,
    -- The number of the last event before the change that put it on.
    sequence INTEGER NOT NULL,
    -- Whether a reconciliation checked the transaction, which was not unchecked since.
    checked INTEGER NOT NULL,
    PRIMARY KEY (book_id, transaction_id, account_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX reconciled_entries_reconciliation
ON reconciled_entries (book_id, reconciliation_id, transaction_id);
