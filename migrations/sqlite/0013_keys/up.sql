-- Step 0009 took the first `=` of a mark for the end of the key. Where the key holds one itself, `pa=b=c` became `pa b=c`, and
-- is `pa=b c`. What keys a transaction has, its marks of keys tell.
CREATE TEMPORARY TABLE torn AS
    SELECT k.book_id, k.transaction_id, k.key, 'p' || substr(k.key, 1, instr(k.key, '=') - 1) || ' ' || substr(k.key, instr(k.key, '=') + 1) || '=' AS mistaken
    FROM (SELECT m.book_id, m.transaction_id, substr(m.mark, 2) AS key FROM marks m
          WHERE substr(m.mark, 1, 1) = 'k' AND instr(m.mark, '=') > 0) k;
CREATE INDEX torn_transaction ON torn (book_id, transaction_id);

INSERT INTO marks (book_id, mark, day, transaction_id)
SELECT m.book_id, 'p' || k.key || ' ' || substr(m.mark, length(k.key) + 3), m.day, m.transaction_id
FROM marks m JOIN torn k ON k.book_id = m.book_id AND k.transaction_id = m.transaction_id
WHERE substr(m.mark, 1, length(k.mistaken)) = k.mistaken
ON CONFLICT (book_id, mark, day, transaction_id) DO NOTHING;

-- With the part before the `=` for a key of its own, the mark may be right as it is.
DELETE FROM marks WHERE (book_id, mark, day, transaction_id) IN (
    SELECT m.book_id, m.mark, m.day, m.transaction_id
    FROM marks m JOIN torn k ON k.book_id = m.book_id AND k.transaction_id = m.transaction_id
    WHERE substr(m.mark, 1, length(k.mistaken)) = k.mistaken
    AND NOT EXISTS (SELECT 1 FROM marks o WHERE o.book_id = m.book_id AND o.mark = 'k' || substr(k.key, 1, instr(k.key, '=') - 1)
                    AND o.day = m.day AND o.transaction_id = m.transaction_id));

DROP TABLE torn;
