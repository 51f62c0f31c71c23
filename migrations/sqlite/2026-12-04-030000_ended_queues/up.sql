-- Queues that have ended, of which the rows that waited are removed in portions.
CREATE INDEX delivery_queues_stopped ON delivery_queues (book_id, app_id)
    WHERE stopped_at IS NOT NULL;
