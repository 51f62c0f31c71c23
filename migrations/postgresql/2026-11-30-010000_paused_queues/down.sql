DROP INDEX delivery_queues_overdue;
DROP INDEX delivery_queues_paused;
CREATE INDEX delivery_queues_paused ON delivery_queues (paused_at);
