DROP INDEX books_of_owner;
ALTER TABLE users DROP COLUMN storage_allowance;
ALTER TABLE book_state DROP COLUMN stored_bytes;
ALTER TABLE book_state DROP COLUMN stored_transactions;
