-- Comments on transactions (behaviour 3.14).
CREATE TABLE comments (
    book_id INTEGER NOT NULL,
    transaction_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    text TEXT NOT NULL,
    author_id INTEGER NOT NULL,
    agent TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (book_id, transaction_id, id)
) STRICT, WITHOUT ROWID;
-- The number of comments, so a list reads no other table.
ALTER TABLE transactions ADD COLUMN comment_count INTEGER NOT NULL DEFAULT 0;
