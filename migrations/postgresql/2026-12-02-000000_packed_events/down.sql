-- Only while no event has been packed: SQL cannot unpack them.
DROP INDEX events_kind;
ALTER TABLE events ALTER COLUMN data TYPE TEXT USING convert_from(data, 'UTF8');
CREATE INDEX events_kind ON events (book_id, kind, sequence);
