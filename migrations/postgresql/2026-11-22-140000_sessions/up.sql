-- People sign in with a link that works once, which begins a session in their browser. Secrets are
-- kept as their SHA-256.

CREATE TABLE login_links (
    digest BYTEA NOT NULL PRIMARY KEY,
    email TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT
);

CREATE INDEX login_links_created ON login_links (created_at);

CREATE TABLE sessions (
    id BIGINT NOT NULL PRIMARY KEY,
    user_id BIGINT NOT NULL,
    digest BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL,
    ended_at BIGINT
);

CREATE INDEX sessions_of_user ON sessions (user_id, id);
