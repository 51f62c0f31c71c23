-- The data of events is kept compressed from now on (storage/event/packed.rs). What is there stays
-- as it is: JSON, which the first byte tells.

CREATE TABLE packed_events (
    book_id INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    resource INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    agent TEXT,
    data BLOB NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (book_id, sequence)
) STRICT, WITHOUT ROWID;

INSERT INTO packed_events
    (book_id, sequence, resource, created_at, user_id, kind, agent, data, hash)
SELECT book_id, sequence, resource, created_at, user_id, kind, agent, CAST(data AS BLOB), hash
FROM events
ORDER BY book_id, sequence;

DROP TABLE events;
ALTER TABLE packed_events RENAME TO events;
CREATE INDEX events_resource ON events (book_id, resource, sequence);
-- Without TRANSACTION_POSTED: nearly every event is one, so these are found in the log itself.
CREATE INDEX events_kind ON events (book_id, kind, sequence) WHERE kind <> 7;
