-- What a caller must still be allowed to be given a stored answer again: rights in books, and apps
-- that they develop, as text (behaviour 0.27).
ALTER TABLE idempotency_keys ADD COLUMN needs TEXT;
