-- The data of events is kept compressed from now on (storage/event/packed.rs). What is there stays
-- as it is: JSON, which the first byte tells. The order of the columns leaves no gaps.

CREATE TABLE packed_events (
    book_id BIGINT NOT NULL,
    sequence BIGINT NOT NULL,
    resource BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    user_id BIGINT NOT NULL,
    kind INTEGER NOT NULL,
    agent TEXT,
    data BYTEA NOT NULL,
    hash BYTEA NOT NULL
);

INSERT INTO packed_events
    (book_id, sequence, resource, created_at, user_id, kind, agent, data, hash)
SELECT book_id, sequence, resource, created_at, user_id, kind, agent,
    convert_to(data, 'UTF8'), hash
FROM events;

DROP TABLE events;
ALTER TABLE packed_events RENAME TO events;
ALTER TABLE events ADD PRIMARY KEY (book_id, sequence);
CREATE INDEX events_resource ON events (book_id, resource, sequence);
-- Without TRANSACTION_POSTED: nearly every event is one, so these are found in the log itself.
CREATE INDEX events_kind ON events (book_id, kind, sequence) WHERE kind <> 7;
-- Why stands in storage/planner.rs.
ALTER TABLE events ALTER COLUMN book_id SET STATISTICS 0;
