DROP INDEX idempotency_keys_counted;
ALTER TABLE idempotency_keys DROP COLUMN counted_bytes;
