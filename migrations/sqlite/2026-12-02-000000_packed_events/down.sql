-- Only while no event has been packed: SQL cannot unpack them.
CREATE TABLE plain_events (
    book_id INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    resource INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    user_id INTEGER NOT NULL,
    agent TEXT,
    data TEXT NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (book_id, sequence)
) STRICT, WITHOUT ROWID;
INSERT INTO plain_events
    (book_id, sequence, kind, resource, created_at, user_id, agent, data, hash)
SELECT book_id, sequence, kind, resource, created_at, user_id, agent, CAST(data AS TEXT), hash
FROM events;
DROP TABLE events;
ALTER TABLE plain_events RENAME TO events;
CREATE INDEX events_resource ON events (book_id, resource, sequence);
CREATE INDEX events_kind ON events (book_id, kind, sequence);
