-- Users may be disabled, and access tokens have ids by which they are revoked.

ALTER TABLE users ADD COLUMN disabled_at BIGINT;

CREATE TABLE tokens (
    id BIGINT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    read_only BOOLEAN NOT NULL,
    -- The public ids of the books it reaches, as JSON; all of the user's when absent.
    books TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT
);

CREATE INDEX tokens_of_user ON tokens (user_id, id);

-- One row, which grows with every change of users and tokens that processes may remember.
CREATE TABLE identity_changes (
    id INTEGER NOT NULL PRIMARY KEY,
    count BIGINT NOT NULL
);
