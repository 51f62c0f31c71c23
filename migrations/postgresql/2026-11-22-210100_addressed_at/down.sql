ALTER TABLE users DROP COLUMN addressed_at;
