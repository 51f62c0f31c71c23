-- The numbers of books by their public ids. Public ids are unique here and not in `books`, because
-- a distributed engine keeps each book on one machine, by its number, and looks for a public id on
-- any.
CREATE TABLE book_keys (
    public_id TEXT NOT NULL PRIMARY KEY,
    book_id BIGINT NOT NULL
);

INSERT INTO book_keys (public_id, book_id) SELECT public_id, id FROM books;

ALTER TABLE books DROP CONSTRAINT books_public_id_key;
