-- Books that their owners offer to other users, who have not accepted yet (behaviour 6.28).
CREATE TABLE transfer_offers (
    book_id INTEGER NOT NULL PRIMARY KEY,
    -- The address to which the book is offered. It may belong to no user.
    email TEXT NOT NULL,
    -- The owner who made the offer. It is valid as long as they own the book.
    offered_by INTEGER NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
-- Finds the offers to an address, in all books.
CREATE INDEX transfer_offers_email ON transfer_offers (email, book_id);
