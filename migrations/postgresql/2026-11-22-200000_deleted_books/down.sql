DROP INDEX books_deleted;
ALTER TABLE books DROP COLUMN kept_until;
ALTER TABLE books DROP COLUMN deleted_at;
