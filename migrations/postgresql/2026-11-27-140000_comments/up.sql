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
-- The planner gets no statistics of how many rows a book has (storage/conn/planner.rs).
ALTER TABLE comments ALTER COLUMN book_id SET STATISTICS 0;
-- The number of comments, so a list reads no other table.
ALTER TABLE transactions ADD COLUMN comment_count INTEGER NOT NULL DEFAULT 0;
