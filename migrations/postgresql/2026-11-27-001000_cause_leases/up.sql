-- The lease of the delivery with whose token the same app caused the event: the event waits while
-- that lease runs (behaviour 8.9). Each attempt has a lease of its own.
ALTER TABLE deliveries ADD COLUMN cause_lease BIGINT;
-- The leases that run are few, and looked for with each look at what is due.
CREATE INDEX delivery_queues_leased ON delivery_queues (leased_until) WHERE lease IS NOT NULL;
