-- How the body of a stored answer is stored: 0 as it was sent, 1 compressed, 2 its ids, compressed.
ALTER TABLE idempotency_keys ADD COLUMN form INTEGER NOT NULL DEFAULT 0;
