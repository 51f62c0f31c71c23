-- A transaction has at most two entries, which say nothing that it does not say itself: they are no
-- rows of their own any more. Each index has those of one side in the order of an account's ledger.
DROP TABLE entries;

CREATE INDEX transactions_credit ON transactions (book_id, credit_account_id, day, id);
CREATE INDEX transactions_debit ON transactions (book_id, debit_account_id, day, id);

-- SQLite counts no rows, and takes the key of a book for as narrow as an account of it: so each
-- side names its index.
-- amount is zero while the transaction is a draft or trashed, so that a sum needs no filter.
CREATE VIEW entries AS
SELECT
    book_id,
    credit_account_id AS account_id,
    day,
    id AS transaction_id,
    1 AS credit,
    CASE WHEN standing IN (1, 2) AND trashed = 0 THEN COALESCE(amount, 0) ELSE 0 END AS amount
FROM transactions INDEXED BY transactions_credit
WHERE credit_account_id IS NOT NULL
UNION ALL
SELECT
    book_id,
    debit_account_id,
    day,
    id,
    0,
    CASE WHEN standing IN (1, 2) AND trashed = 0 THEN COALESCE(amount, 0) ELSE 0 END
FROM transactions INDEXED BY transactions_debit
WHERE debit_account_id IS NOT NULL;
