-- The comparisons of accounts with statements (behaviour 14).
CREATE TABLE reconciliations (
    book_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    account_id BIGINT NOT NULL,
    -- The last day of the statement.
    day INTEGER NOT NULL,
    -- The raw closing balance as a decimal, so a change of the scale of the book keeps it.
    closing TEXT NOT NULL,
    file_id BIGINT,
    created_by BIGINT NOT NULL,
    agent TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (book_id, id)
);
CREATE INDEX reconciliations_day ON reconciliations (book_id, day, id);
CREATE INDEX reconciliations_account ON reconciliations (book_id, account_id, day, id);
CREATE INDEX reconciliations_file ON reconciliations (book_id, file_id) WHERE file_id IS NOT NULL;
-- The transactions on a reconciliation of one of their accounts.
CREATE TABLE reconciled_entries (
    book_id BIGINT NOT NULL,
    transaction_id BIGINT NOT NULL,
    account_id BIGINT NOT NULL,
    reconciliation_id BIGINT NOT NULL,
    -- The number of the last event before the change that put it on.
    sequence BIGINT NOT NULL,
    -- Whether a reconciliation checked the transaction, which was not unchecked since.
    checked BOOLEAN NOT NULL,
    PRIMARY KEY (book_id, transaction_id, account_id)
);
CREATE INDEX reconciled_entries_reconciliation
ON reconciled_entries (book_id, reconciliation_id, transaction_id);
