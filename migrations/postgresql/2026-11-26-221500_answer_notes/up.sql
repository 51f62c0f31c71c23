-- Headers of the responses that are stored under idempotency keys: which items of a batch were
-- skipped, and which existed before (behaviour 3.6.4, 3.7.2).
ALTER TABLE idempotency_keys ADD COLUMN notes TEXT;
