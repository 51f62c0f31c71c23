-- The bytes of a stored answer, where they are so many that they count for its user (behaviour
-- 0.38). Answers of before do not count; they are gone after a day.
ALTER TABLE idempotency_keys ADD COLUMN counted_bytes INTEGER;
CREATE INDEX idempotency_keys_counted ON idempotency_keys (user_id, created_at, counted_bytes)
    WHERE counted_bytes IS NOT NULL;
