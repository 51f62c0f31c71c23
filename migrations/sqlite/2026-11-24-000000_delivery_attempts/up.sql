-- The delivery log: the attempts to deliver events to apps, and what came back.

CREATE TABLE delivery_attempts (
    book_id INTEGER NOT NULL,
    -- The number of the event.
    sequence INTEGER NOT NULL,
    app_id TEXT NOT NULL,
    -- The number of the attempt, among those to deliver this event to this app.
    attempt INTEGER NOT NULL,
    at INTEGER NOT NULL,
    milliseconds INTEGER NOT NULL,
    -- The HTTP status; none without an answer.
    status INTEGER,
    -- Why it failed, if it did.
    failure TEXT,
    -- The beginning of the answer.
    answer TEXT,
    PRIMARY KEY (book_id, sequence, app_id, attempt)
) STRICT, WITHOUT ROWID;

CREATE INDEX delivery_attempts_at ON delivery_attempts (at);
