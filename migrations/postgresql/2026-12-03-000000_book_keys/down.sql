ALTER TABLE books ADD CONSTRAINT books_public_id_key UNIQUE (public_id);
DROP TABLE book_keys;
