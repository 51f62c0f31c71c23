-- The lease of the delivery with whose token the same app caused the event. The event waits until
-- that lease ends (behaviour 8.9). Each attempt has its own lease.
ALTER TABLE deliveries ADD COLUMN cause_lease INTEGER;
-- Every search for due queues reads the current leases, which are few.
CREATE INDEX delivery_queues_leased ON delivery_queues (leased_until) WHERE lease IS NOT NULL;
