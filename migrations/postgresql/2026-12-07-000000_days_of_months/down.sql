CREATE TABLE day_totals (
    book_id BIGINT NOT NULL,
    account_id BIGINT NOT NULL,
    day INTEGER NOT NULL,
    debit_high BIGINT NOT NULL,
    debit_low BIGINT NOT NULL,
    credit_high BIGINT NOT NULL,
    credit_low BIGINT NOT NULL,
    PRIMARY KEY (book_id, account_id, day)
);
ALTER TABLE day_totals ALTER COLUMN book_id SET STATISTICS 0;

INSERT INTO day_totals
    (book_id, account_id, day, debit_high, debit_low, credit_high, credit_low)
SELECT book_id, account_id, day,
    SUM(CASE WHEN credit THEN 0 ELSE amount / 4294967296 END),
    SUM(CASE WHEN credit THEN 0 ELSE amount % 4294967296 END),
    SUM(CASE WHEN credit THEN amount / 4294967296 ELSE 0 END),
    SUM(CASE WHEN credit THEN amount % 4294967296 ELSE 0 END)
FROM entries
WHERE amount <> 0
GROUP BY 1, 2, 3;

ALTER TABLE month_totals DROP COLUMN days;
