-- API keys name the app that sends a request, for quotas and for counting. They are kept as their
-- SHA-256. A day is yyyymmdd.

CREATE TABLE api_keys (
    id BIGINT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    digest BYTEA NOT NULL,
    rate BIGINT,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT
);

CREATE UNIQUE INDEX api_keys_digest ON api_keys (digest);

CREATE INDEX api_keys_of_user ON api_keys (user_id, id);

CREATE TABLE api_key_days (
    key_id BIGINT NOT NULL,
    day BIGINT NOT NULL,
    calls BIGINT NOT NULL,
    PRIMARY KEY (key_id, day)
);
