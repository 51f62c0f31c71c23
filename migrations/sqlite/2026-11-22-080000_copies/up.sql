-- Copies of books that are being made, in several units of work: each has its book, which nobody
-- sees, because it has no collaborators yet. What a process leaves behind is swept away.
CREATE TABLE unfinished_copies (
    book_id INTEGER NOT NULL PRIMARY KEY,
    user_id INTEGER NOT NULL
) STRICT;

-- What copied transactions were before their first change: the SHA-256 of the row. The log of a
-- copy begins with the SHA-256 over all of them (behaviour 6.20).
CREATE TABLE copied_transactions (
    book_id INTEGER NOT NULL,
    transaction_id INTEGER NOT NULL,
    digest BLOB NOT NULL,
    PRIMARY KEY (book_id, transaction_id)
) STRICT, WITHOUT ROWID;
