-- What is stored of a book: transactions, and bytes of rows and of contents of files (behaviour
-- 10.14). `storage/stored.rs` has the same sums.
ALTER TABLE book_state ADD COLUMN stored_transactions BIGINT NOT NULL DEFAULT 0;
ALTER TABLE book_state ADD COLUMN stored_bytes BIGINT NOT NULL DEFAULT 0;
-- What the operator allows a user in place of the usual storage quotas: four numbers with commas
-- between them, of which those that are missing are the usual ones.
ALTER TABLE users ADD COLUMN storage_allowance TEXT;
CREATE INDEX books_of_owner ON books (owner_id);
UPDATE book_state SET
    stored_transactions = (
        SELECT COUNT(*) FROM transactions t WHERE t.book_id = book_state.book_id
    ),
    stored_bytes = (
        SELECT CAST(COALESCE(SUM(200 + octet_length(t.description)
            + COALESCE(octet_length(t.properties), 0) + COALESCE(octet_length(t.urls), 0)
            + COALESCE(octet_length(t.remote_ids), 0) + COALESCE(octet_length(t.files), 0)
            + COALESCE(octet_length(t.agent), 0)), 0) AS BIGINT)
        FROM transactions t WHERE t.book_id = book_state.book_id
    ) + (
        SELECT CAST(COALESCE(SUM(100 + octet_length(e.data)
            + COALESCE(octet_length(e.agent), 0)), 0) AS BIGINT)
        FROM events e WHERE e.book_id = book_state.book_id
    ) + (
        SELECT CAST(COALESCE(SUM(100 + octet_length(a.name)
            + COALESCE(octet_length(a.properties), 0)
            + COALESCE(octet_length(a.agent), 0)), 0) AS BIGINT)
        FROM accounts a WHERE a.book_id = book_state.book_id
    ) + (
        SELECT CAST(COALESCE(SUM(100 + octet_length(g.name)
            + COALESCE(octet_length(g.properties), 0)
            + COALESCE(octet_length(g.agent), 0)), 0) AS BIGINT)
        FROM account_groups g WHERE g.book_id = book_state.book_id
    ) + (
        SELECT CAST(COALESCE(SUM(100), 0) AS BIGINT)
        FROM memberships m WHERE m.book_id = book_state.book_id
    ) + (
        SELECT CAST(COALESCE(SUM(100 + octet_length(q.title) + octet_length(q.query)
            + COALESCE(octet_length(q.agent), 0)), 0) AS BIGINT)
        FROM saved_queries q WHERE q.book_id = book_state.book_id
    ) + (
        SELECT CAST(COALESCE(SUM(100 + f.size + octet_length(f.name)
            + octet_length(f.content_type) + COALESCE(octet_length(f.properties), 0)
            + COALESCE(octet_length(f.agent), 0)), 0) AS BIGINT)
        FROM files f WHERE f.book_id = book_state.book_id
    );
