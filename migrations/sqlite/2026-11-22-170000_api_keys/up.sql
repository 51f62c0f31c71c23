-- API keys name the app that sends a request, for quotas and for counting. They are kept as their
-- SHA-256. A day is yyyymmdd.

CREATE TABLE api_keys (
    id INTEGER NOT NULL PRIMARY KEY,
    user_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    digest BLOB NOT NULL,
    rate INTEGER,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
) STRICT;

CREATE UNIQUE INDEX api_keys_digest ON api_keys (digest);

CREATE INDEX api_keys_of_user ON api_keys (user_id, id);

CREATE TABLE api_key_days (
    key_id INTEGER NOT NULL,
    day INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    PRIMARY KEY (key_id, day)
) STRICT, WITHOUT ROWID;
