-- What is known of files. Their bytes lie outside of the database, in the file store, under the book's public id and blob:
-- written before the row, and never changed. Whoever knows token may read them without signing in.
CREATE TABLE files (
    book_id INTEGER NOT NULL,
    id INTEGER NOT NULL,
    name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size INTEGER NOT NULL,
    digest TEXT NOT NULL,
    blob TEXT NOT NULL,
    token TEXT NOT NULL,
    properties TEXT,
    created_by INTEGER NOT NULL,
    agent TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL,
    PRIMARY KEY (book_id, id)
) STRICT, WITHOUT ROWID;
-- The sweep asks which bytes of a book are still known.
CREATE UNIQUE INDEX files_blob ON files (book_id, blob);

-- The ids of attached files, none for most. Their holders are found through marks.
ALTER TABLE transactions ADD COLUMN files TEXT;
