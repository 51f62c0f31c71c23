-- How many transactions of a book are dated in each month (yyyymm): the posted ones, and the
-- trashed ones, whatever they were before.
CREATE TABLE month_counts (
    book_id INTEGER NOT NULL,
    month INTEGER NOT NULL,
    posted INTEGER NOT NULL,
    trashed INTEGER NOT NULL,
    PRIMARY KEY (book_id, month)
) STRICT, WITHOUT ROWID;

INSERT INTO month_counts (book_id, month, posted, trashed)
SELECT book_id, day / 100,
    COUNT(CASE WHEN NOT trashed AND standing > 0 THEN 1 END),
    COUNT(CASE WHEN trashed THEN 1 END)
FROM transactions
WHERE dated
GROUP BY book_id, day / 100;
