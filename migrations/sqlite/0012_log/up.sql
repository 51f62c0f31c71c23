-- When the last event of a book happened: none after it may be told of an earlier instant, so the log is in order of both
-- numbers and instants (behaviour 8.18), and where an instant lies in it is found by halving.
ALTER TABLE heads ADD COLUMN told_at INTEGER NOT NULL DEFAULT 0;
UPDATE heads SET told_at = COALESCE((SELECT MAX(e.created_at) FROM events e WHERE e.book_id = heads.book_id), 0);

-- The events of one type, for listEvents.
CREATE INDEX events_kind ON events (book_id, kind, sequence);
