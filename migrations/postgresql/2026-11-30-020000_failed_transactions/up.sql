-- The transactions with an event that an app answered with an error, in the order of lists: a page
-- of them is a stretch of an index, however many errors there are, and of whatever else.

CREATE TABLE failed_transactions (
    book_id BIGINT NOT NULL,
    transaction_id BIGINT NOT NULL,
    -- As the transaction has it.
    day INTEGER NOT NULL,
    PRIMARY KEY (book_id, transaction_id)
);

CREATE INDEX failed_transactions_day ON failed_transactions (book_id, day, transaction_id);

INSERT INTO failed_transactions (book_id, transaction_id, day)
    SELECT DISTINCT t.book_id, t.id, t.day
    FROM bot_responses r
    JOIN events e ON e.book_id = r.book_id AND e.sequence = r.sequence
    JOIN transactions t ON t.book_id = e.book_id AND t.id = e.resource
    WHERE r.kind = 'ERROR';
