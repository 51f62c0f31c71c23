-- Users let apps use their books: what they granted, to whom they agreed once and for all, and the
-- programs without a browser that wait for a decision. Of codes the SHA-256 is kept; authorization
-- codes and refresh tokens are signed, and name their grant.

CREATE TABLE grants (
    id BIGINT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL,
    client TEXT NOT NULL,
    scope TEXT NOT NULL,
    signed_in_at BIGINT NOT NULL,
    rotation BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);

CREATE INDEX grants_of_user ON grants (user_id, expires_at);

CREATE TABLE consents (
    user_id BIGINT NOT NULL,
    client TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (user_id, client)
);

CREATE TABLE device_authorizations (
    digest BYTEA NOT NULL PRIMARY KEY,
    user_code TEXT NOT NULL,
    client TEXT NOT NULL,
    scope TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    polled_at BIGINT,
    poll_interval BIGINT NOT NULL,
    denied BOOLEAN NOT NULL,
    grant_id BIGINT
);

CREATE UNIQUE INDEX device_authorizations_user_code ON device_authorizations (user_code);
CREATE INDEX device_authorizations_created ON device_authorizations (created_at);
