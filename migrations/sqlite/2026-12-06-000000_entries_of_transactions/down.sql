CREATE TABLE sides (
    book_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    day INTEGER NOT NULL,
    transaction_id INTEGER NOT NULL,
    credit INTEGER NOT NULL,
    amount INTEGER NOT NULL,
    PRIMARY KEY (book_id, account_id, day, transaction_id)
) STRICT, WITHOUT ROWID;

INSERT INTO sides (book_id, account_id, day, transaction_id, credit, amount)
SELECT book_id, account_id, day, transaction_id, credit, iif(credit, amount, -amount)
FROM entries
WHERE TRUE
ON CONFLICT DO NOTHING;

DROP VIEW entries;
ALTER TABLE sides RENAME TO entries;
DROP INDEX transactions_debit;
DROP INDEX transactions_credit;
