CREATE TABLE saved_queries (
    book_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    title TEXT NOT NULL,
    query TEXT NOT NULL,
    agent TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (book_id, id)
);

-- Collections belong to users, not to books, so their keys lead with user_id. The key of collection_books is the rule that
-- a book is in at most one collection of an owner.
CREATE TABLE collections (
    user_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    agent TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (user_id, id)
);

CREATE TABLE collection_books (
    user_id BIGINT NOT NULL,
    book_id BIGINT NOT NULL,
    collection_id BIGINT NOT NULL,
    PRIMARY KEY (user_id, book_id)
);
CREATE INDEX collection_books_book ON collection_books (book_id, user_id);
