ALTER TABLE transactions DROP COLUMN files;
DROP TABLE files;
