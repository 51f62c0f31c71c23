-- The numbers of books by their public ids, as PostgreSQL has them. `books` is UNIQUE by them here
-- too, which SQLite cannot drop and which does no harm.
CREATE TABLE book_keys (
    public_id TEXT NOT NULL PRIMARY KEY,
    book_id INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO book_keys (public_id, book_id) SELECT public_id, id FROM books;
