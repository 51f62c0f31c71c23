-- The totals of the days stand in the row of their month from now on (storage/balance/day_sums.rs):
-- a posting changes one row for both, and a month is read with all of its days. What is there is
-- kept in the form that a statement can write.
ALTER TABLE month_totals ADD COLUMN days BYTEA NOT NULL DEFAULT '\x01';

UPDATE month_totals
SET days = kept.days
FROM (
    SELECT book_id, account_id, day / 100 AS month,
        '\x01'::bytea || string_agg(set_byte('\x00'::bytea, 0, day % 100)
            || int8send(debit_high) || int8send(debit_low)
            || int8send(credit_high) || int8send(credit_low), ''::bytea) AS days
    FROM day_totals
    GROUP BY book_id, account_id, day / 100
) kept
WHERE kept.book_id = month_totals.book_id
    AND kept.account_id = month_totals.account_id
    AND kept.month = month_totals.month;

ALTER TABLE month_totals ALTER COLUMN days DROP DEFAULT;

DROP TABLE day_totals;
