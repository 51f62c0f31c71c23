-- How many transactions of a book are dated in each month (yyyymm): the posted ones, and the
-- trashed ones, whatever they were before.
CREATE TABLE month_counts (
    book_id BIGINT NOT NULL,
    month INTEGER NOT NULL,
    posted BIGINT NOT NULL,
    trashed BIGINT NOT NULL,
    PRIMARY KEY (book_id, month)
);

-- As of the other tables of books (storage/planner.rs).
ALTER TABLE month_counts ALTER COLUMN book_id SET STATISTICS 0;

INSERT INTO month_counts (book_id, month, posted, trashed)
SELECT book_id, day / 100,
    COUNT(CASE WHEN NOT trashed AND standing > 0 THEN 1 END),
    COUNT(CASE WHEN trashed THEN 1 END)
FROM transactions
WHERE dated
GROUP BY book_id, day / 100;
