DROP INDEX delivery_queues_due;
CREATE INDEX delivery_queues_due ON delivery_queues (due_at);
