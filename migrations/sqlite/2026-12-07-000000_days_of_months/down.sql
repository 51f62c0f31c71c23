CREATE TABLE day_totals (
    book_id INTEGER NOT NULL,
    account_id INTEGER NOT NULL,
    day INTEGER NOT NULL,
    debit_high INTEGER NOT NULL,
    debit_low INTEGER NOT NULL,
    credit_high INTEGER NOT NULL,
    credit_low INTEGER NOT NULL,
    PRIMARY KEY (book_id, account_id, day)
) STRICT, WITHOUT ROWID;

INSERT INTO day_totals
    (book_id, account_id, day, debit_high, debit_low, credit_high, credit_low)
SELECT book_id, account_id, day,
    SUM(iif(credit, 0, amount / 4294967296)), SUM(iif(credit, 0, amount % 4294967296)),
    SUM(iif(credit, amount / 4294967296, 0)), SUM(iif(credit, amount % 4294967296, 0))
FROM entries
WHERE amount <> 0
GROUP BY 1, 2, 3;

ALTER TABLE month_totals DROP COLUMN days;
