DROP INDEX delivery_queues_paused;
ALTER TABLE delivery_queues DROP COLUMN pause_cause;
ALTER TABLE delivery_queues DROP COLUMN leased_until;
