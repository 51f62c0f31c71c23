-- Until when a process holds a queue, apart from when its first delivery is due: so a pause between
-- two attempts outlives a replay in the middle of it.
ALTER TABLE delivery_queues ADD COLUMN leased_until INTEGER;
UPDATE delivery_queues SET lease = NULL;

-- Why it is paused.
ALTER TABLE delivery_queues ADD COLUMN pause_cause TEXT;

CREATE INDEX delivery_queues_paused ON delivery_queues (paused_at);
