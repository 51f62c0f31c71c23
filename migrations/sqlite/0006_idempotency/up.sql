-- Requests that were done once and are answered again. They belong to a user, not to a book: they outlive it (behaviour
-- 0.16). Rows are long and are deleted by age, so they lie in the order they came in.
CREATE TABLE idempotency_keys (
    user_id INTEGER NOT NULL,
    key TEXT NOT NULL,
    operation BLOB NOT NULL,
    fingerprint BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    status INTEGER NOT NULL,
    tag TEXT,
    body BLOB NOT NULL,
    PRIMARY KEY (user_id, key, operation)
) STRICT;
CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);

-- How often a process has opened this database. Each takes its number as its node when it mints ids.
CREATE TABLE starts (
    id INTEGER NOT NULL PRIMARY KEY,
    count INTEGER NOT NULL
) STRICT;
