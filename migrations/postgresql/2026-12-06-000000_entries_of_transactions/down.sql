ALTER VIEW entries RENAME TO sides;

CREATE TABLE entries (
    book_id BIGINT NOT NULL,
    account_id BIGINT NOT NULL,
    day INTEGER NOT NULL,
    transaction_id BIGINT NOT NULL,
    credit BOOLEAN NOT NULL,
    amount BIGINT NOT NULL,
    PRIMARY KEY (book_id, account_id, day, transaction_id)
);
ALTER TABLE entries ALTER COLUMN book_id SET STATISTICS 0;

INSERT INTO entries (book_id, account_id, day, transaction_id, credit, amount)
SELECT
    book_id,
    account_id,
    day,
    transaction_id,
    credit,
    CASE WHEN credit THEN amount ELSE -amount END
FROM sides
ON CONFLICT DO NOTHING;

DROP VIEW sides;
DROP INDEX transactions_debit;
DROP INDEX transactions_credit;
