-- Comments on transactions (behaviour 3.14).
CREATE TABLE comments (
    book_id BIGINT NOT NULL,
    transaction_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    text TEXT NOT NULL,
    author_id BIGINT NOT NULL,
    agent TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (book_id, transaction_id, id)
);
-- The number of comments, so a list reads no other table.
ALTER TABLE transactions ADD COLUMN comment_count INTEGER NOT NULL DEFAULT 0;
