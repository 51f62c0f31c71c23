-- Events of one request that are much alike share a row from now on (storage/event/event_row.rs).
-- What is there stays as it is: a row without a count has one event.

ALTER TABLE events ADD COLUMN count INTEGER;
CREATE INDEX events_blocks ON events (book_id, resource, count) WHERE count IS NOT NULL;
