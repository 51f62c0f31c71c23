CREATE TABLE saved_queries (
    book_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    title TEXT NOT NULL,
    query TEXT NOT NULL,
    agent TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (book_id, id)
) STRICT, WITHOUT ROWID;

-- Collections belong to users, not to books, so their keys lead with user_id. The key of collection_books is the rule that
-- a book is in at most one collection of an owner.
CREATE TABLE collections (
    user_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    agent TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (user_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE collection_books (
    user_id INTEGER NOT NULL,
    book_id INTEGER NOT NULL,
    collection_id INTEGER NOT NULL,
    PRIMARY KEY (user_id, book_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX collection_books_book ON collection_books (book_id, user_id);
