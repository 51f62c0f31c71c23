-- Queues of paused apps stay due: who looks for work passes none of them.
DROP INDEX delivery_queues_due;
CREATE INDEX delivery_queues_due ON delivery_queues (due_at) WHERE paused_at IS NULL;
