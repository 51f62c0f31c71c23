-- Users let apps use their books: what they granted, to whom they agreed once and for all, and the
-- programs without a browser that wait for a decision. Of codes the SHA-256 is kept; authorization
-- codes and refresh tokens are signed, and name their grant.

CREATE TABLE grants (
    id INTEGER NOT NULL PRIMARY KEY,
    user_id INTEGER NOT NULL,
    client TEXT NOT NULL,
    scope TEXT NOT NULL,
    signed_in_at INTEGER NOT NULL,
    rotation INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX grants_of_user ON grants (user_id, expires_at);

CREATE TABLE consents (
    user_id INTEGER NOT NULL,
    client TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (user_id, client)
) STRICT;

CREATE TABLE device_authorizations (
    digest BLOB NOT NULL PRIMARY KEY,
    user_code TEXT NOT NULL,
    client TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    polled_at INTEGER,
    poll_interval INTEGER NOT NULL,
    denied INTEGER NOT NULL,
    grant_id INTEGER
) STRICT;

CREATE UNIQUE INDEX device_authorizations_user_code ON device_authorizations (user_code);
CREATE INDEX device_authorizations_created ON device_authorizations (created_at);
