-- What is known of files. Their bytes lie outside of the database, in the file store, under the book's public id and blob:
-- written before the row, and never changed. Whoever knows token may read them without signing in.
CREATE TABLE files (
    book_id BIGINT NOT NULL,
    id BIGINT NOT NULL,
    name TEXT NOT NULL,
    content_type TEXT NOT NULL,
    size BIGINT NOT NULL,
    digest TEXT NOT NULL,
    blob TEXT NOT NULL,
    token TEXT NOT NULL,
    properties TEXT,
    created_by BIGINT NOT NULL,
    agent TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (book_id, id)
);
-- The sweep asks which bytes of a book are still known.
CREATE UNIQUE INDEX files_blob ON files (book_id, blob);

-- The ids of attached files, none for most. Their holders are found through marks.
ALTER TABLE transactions ADD COLUMN files TEXT;
