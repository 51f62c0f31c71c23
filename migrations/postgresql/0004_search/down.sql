DELETE FROM marks WHERE mark IN ('sdraft', 'strashed');
ALTER TABLE heads DROP COLUMN text_waiting;
ALTER TABLE heads DROP COLUMN text_chunks;
ALTER TABLE heads DROP COLUMN text_until;
DROP TABLE text_blocks;
DROP TABLE text_grams;
