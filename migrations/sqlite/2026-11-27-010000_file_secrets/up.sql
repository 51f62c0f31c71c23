-- What the addresses of the files of a book are computed from. It is empty in books from before,
-- whose addresses go on until somebody may see less of them (behaviour 9.20).
ALTER TABLE books ADD COLUMN file_secret TEXT NOT NULL DEFAULT '';
