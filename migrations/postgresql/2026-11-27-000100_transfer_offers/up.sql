-- Books that their owners offer to others, who have not accepted yet (behaviour 6.28).
CREATE TABLE transfer_offers (
    book_id BIGINT NOT NULL PRIMARY KEY,
    -- Whom the book is offered to; perhaps no user.
    email TEXT NOT NULL,
    -- The owner of then. The offer holds for as long as they own the book.
    offered_by BIGINT NOT NULL,
    created_at BIGINT NOT NULL
);
-- By this the offers to somebody are found, in all books.
CREATE INDEX transfer_offers_email ON transfer_offers (email, book_id);
