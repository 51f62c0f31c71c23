-- The totals of the days stand in the row of their month from now on (storage/balance/day_sums.rs):
-- a posting changes one row for both, and a month is read with all of its days. What is there is
-- kept in the form that a statement can write.
ALTER TABLE month_totals ADD COLUMN days BLOB NOT NULL DEFAULT x'01';

UPDATE month_totals
SET days = unhex('01' || (
    SELECT coalesce(group_concat(printf('%02x%016x%016x%016x%016x', d.day % 100,
        d.debit_high, d.debit_low, d.credit_high, d.credit_low), ''), '')
    FROM day_totals d
    WHERE d.book_id = month_totals.book_id
        AND d.account_id = month_totals.account_id
        AND d.day BETWEEN month_totals.month * 100 AND month_totals.month * 100 + 99
));

DROP TABLE day_totals;
