-- Queues of paused apps in the order of their list, and those of them in which something waits: who
-- gives up what has waited for too long passes none of the others.
DROP INDEX delivery_queues_paused;
CREATE INDEX delivery_queues_paused ON delivery_queues (paused_at, book_id, app_id)
    WHERE paused_at IS NOT NULL;
CREATE INDEX delivery_queues_overdue ON delivery_queues (paused_at, book_id, app_id)
    WHERE paused_at IS NOT NULL AND due_at IS NOT NULL;
